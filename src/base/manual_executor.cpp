#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "base/internal/burst_queue.hpp"
#include "base/timer_heap.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/random.hpp"

namespace kubexx {

struct KUBEXX_HIDDEN ManualExecutor::Impl {
  explicit Impl(std::uint64_t seed) : shuffled(seed != 0), random(seed) {}

  FakeClock clock;
  const bool shuffled;
  Random random;
  mutable std::mutex mutex;
  BurstQueue<Task> ready;    // guarded by mutex
  detail::TimerHeap timers;  // guarded by mutex
  bool stopping = false;     // guarded by mutex

  std::optional<Task> take() {
    std::lock_guard lock(mutex);
    while (auto due = timers.pop_due(clock.now())) ready.push_back(std::move(*due));
    if (ready.empty()) return std::nullopt;
    if (shuffled) std::swap(ready.front(), ready[random.below(ready.size())]);
    Task task = std::move(ready.front());
    ready.pop_front();
    return task;
  }

  // A task may have moved the clock itself.
  void move_clock_to(TimePoint when) { clock.advance(std::max(Duration::zero(), when - clock.now())); }

  std::optional<TimePoint> next_timer() {
    std::lock_guard lock(mutex);
    return timers.next();
  }
};

ManualExecutor::ManualExecutor(std::uint64_t seed) : impl_(std::make_unique<Impl>(seed)) {}

ManualExecutor::~ManualExecutor() {
  shut_down();
}

void ManualExecutor::shut_down() {
  BurstQueue<Task> dropped_ready;
  detail::TimerHeap dropped_timers;
  {
    std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
    dropped_ready.swap(impl_->ready);
    std::swap(dropped_timers, impl_->timers);
  }
  // What goes here, without the lock, may still post: such tasks are dropped too.
}

void ManualExecutor::post(Task task) {
  if (!task) throw std::logic_error("ManualExecutor: an empty task was posted");
  std::lock_guard lock(impl_->mutex);
  if (!impl_->stopping) impl_->ready.push_back(std::move(task));
}

Timer ManualExecutor::post_after(Duration delay, Task task) {
  if (!task) throw std::logic_error("ManualExecutor: an empty task was posted");
  auto [timer, run] = Timer::wrap(std::move(task));
  if (delay <= Duration::zero()) {
    post(std::move(run));
    return timer;
  }
  std::lock_guard lock(impl_->mutex);
  if (!impl_->stopping) impl_->timers.push(detail::after(impl_->clock.now(), delay), timer, std::move(run));
  return timer;
}

const Clock& ManualExecutor::clock() const {
  return impl_->clock;
}
FakeClock& ManualExecutor::fake_clock() noexcept {
  return impl_->clock;
}

bool ManualExecutor::run_one() {
  auto task = impl_->take();
  if (!task) return false;
  call_isolated("executor", *task);
  return true;
}

std::size_t ManualExecutor::run_until_idle() {
  std::size_t ran = 0;
  while (run_one()) ++ran;
  return ran;
}

void ManualExecutor::advance(Duration by) {
  if (by < Duration::zero()) throw std::logic_error("ManualExecutor: time does not go back");
  const TimePoint target = detail::after(clock().now(), by);
  run_until_idle();
  for (auto next = impl_->next_timer(); next && *next <= target; next = impl_->next_timer()) {
    impl_->move_clock_to(*next);
    run_until_idle();
  }
  impl_->move_clock_to(target);
  run_until_idle();
}

bool ManualExecutor::advance_to_next_timer() {
  run_until_idle();
  const auto next = impl_->next_timer();
  if (!next) return false;
  impl_->move_clock_to(*next);
  run_until_idle();
  return true;
}

std::size_t ManualExecutor::pending_timers() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->timers.pending();
}

}  // namespace kubexx
