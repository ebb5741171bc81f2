#include "kubexx/base/detail/blocking_wait.hpp"

namespace kubexx::detail {

Result<void> BlockingWait::until_released(const Awaited& awaited) {
  std::unique_lock lock(mutex_);
  const auto met = changed_.wait(awaited, lock, [this] { return released_; });
  if (!met) return met.error();
  return {};
}

void BlockingWait::release() noexcept {
  const std::lock_guard lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

}  // namespace kubexx::detail
