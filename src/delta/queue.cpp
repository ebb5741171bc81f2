#include "kubexx/delta/queue.hpp"

#include <utility>

#include "delta/intake.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::delta {
namespace {

template <class Wait, class TryPop>
Result<void> pop_when_ready(Wait wait, TryPop try_pop) {
  while (true) {
    Result<bool> popped = try_pop();
    if (!popped) return popped.error();
    if (*popped) return {};
    if (!wait()) return Error::canceled("the queue is closed or stopped");
  }
}

}  // namespace

void warn_of_vanished(const std::vector<std::string>& keys) {
  for (const auto& key : keys) {
    log(LogLevel::Warning, "a known object vanished during a replace", {{"key", key}});
  }
}

Result<void> Queue::pop(const Process& process, std::stop_token stop) {
  return pop_when_ready([&] { return wait(stop); }, [&] { return try_pop(process); });
}

Result<void> Queue::pop_batch(const Process& batch, const Process& single, std::stop_token stop) {
  return pop_when_ready([&] { return wait(stop); }, [&] { return try_pop_batch(batch, single); });
}

}  // namespace kubexx::delta
