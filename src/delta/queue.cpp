#include "kubexx/delta/queue.hpp"

namespace kubexx::delta::detail {

Result<void> check_put_back(const Deltas& deltas) {
  if (deltas.empty()) return Error::config("nothing to put back: no deltas");
  for (const Delta& delta : deltas) {
    if (delta.has_key() && delta.key().empty()) return Error::config("a change to put back has no key");
  }
  return {};
}

}  // namespace kubexx::delta::detail
