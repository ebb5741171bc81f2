#include "kubexx/base/detail/blocking_wait.hpp"

#include <stdexcept>

namespace kubexx::detail {

BlockingWait::BlockingWait(std::shared_ptr<Executor> executor) : executor_(std::move(executor)) {
  if (!executor_) throw std::logic_error("Async: there is no executor to wait for");
}

BlockingWait::~BlockingWait() = default;

void BlockingWait::until_released() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_; });
}

void BlockingWait::end() noexcept {
  const std::lock_guard lock(mutex_);  // held while notifying: the waiting thread destroys this next
  ended_ = true;
  changed_.notify_all();
}

}  // namespace kubexx::detail
