#include "base/timer_state.hpp"

namespace kubexx {

Timer::Timer(std::shared_ptr<State> state) : state_(std::move(state)) {}

void Timer::cancel() noexcept {
  if (!state_ || !state_->leave_pending(State::Phase::Canceled)) return;
  state_->task.reset();
  state_->outer.cancel();
}

bool Timer::pending() const noexcept {
  return state_ && state_->phase.load(std::memory_order_acquire) == State::Phase::Pending;
}

std::pair<Timer, Task> Timer::wrap(Task task) {
  // What the executor holds. Dropping it unrun releases the task, even while copies of the timer live on.
  struct Run {
    std::shared_ptr<State> state;
    explicit Run(std::shared_ptr<State> s) : state(std::move(s)) {}
    Run(Run&&) noexcept = default;
    Run& operator=(Run&&) = delete;
    ~Run() {
      if (state && state->leave_pending(State::Phase::Canceled)) state->task.reset();
    }
    void operator()() {
      const auto current = std::move(state);
      if (!current->leave_pending(State::Phase::Started)) return;
      Task started = std::move(current->task);
      started();
    }
  };
  auto state = std::make_shared<State>();
  state->task = std::move(task);
  return {Timer(state), Task(Run(state))};
}

}  // namespace kubexx
