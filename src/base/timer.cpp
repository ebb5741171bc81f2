#include "base/timer_impl.hpp"

#include "base/internal/insist.hpp"

namespace kubexx {

Timer::Timer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

void Timer::cancel() noexcept {
  if (!impl_ || !impl_->leave_pending(Impl::Phase::Canceled)) return;
  impl_->task.reset();
  impl_->outer.cancel();
}

bool Timer::pending() const noexcept {
  return impl_ && impl_->phase.load(std::memory_order_acquire) == Impl::Phase::Pending;
}

std::pair<Timer, Task> Timer::wrap(Task task) {
  // What the executor holds. Dropping it unrun releases the task, even while copies of the timer live on.
  struct Run {
    std::shared_ptr<Impl> impl;
    explicit Run(std::shared_ptr<Impl> s) : impl(std::move(s)) {}
    Run(Run&&) noexcept = default;
    Run& operator=(Run&&) = delete;
    ~Run() {
      if (impl && impl->leave_pending(Impl::Phase::Canceled)) impl->task.reset();
    }
    void operator()() {
      const auto current = std::move(impl);
      if (!current->leave_pending(Impl::Phase::Started)) return;
      Task started = std::move(current->task);
      started();
    }
  };
  std::shared_ptr<Impl> impl;
  insist([&] { impl = std::make_shared<Impl>(); });
  impl->task = std::move(task);
  return {Timer(impl), Task(Run(impl))};
}

}  // namespace kubexx
