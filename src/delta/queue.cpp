#include "kubexx/delta/queue.hpp"

#include "kubexx/base/error_sink.hpp"

namespace kubexx::delta::detail {

Result<void> run(const Process& process, Taken& taken) {
  try {
    return process(taken.deltas, taken.is_in_initial_list);
  } catch (...) {
    return current_exception_as_error();
  }
}

Result<void> check_put_back(const Deltas& deltas) {
  if (deltas.empty()) return Error::config("nothing to put back: no deltas");
  for (const Delta& delta : deltas) {
    if (delta.has_key() && delta.key().empty()) return Error::config("a change to put back has no key");
  }
  return {};
}

}  // namespace kubexx::delta::detail
