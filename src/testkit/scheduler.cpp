#include "testkit/scheduler.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/internal/deadline.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::testkit {

Scheduler::Scheduler(std::uint64_t seed) : tasks_(seed), random_(~seed), began_(tasks_.clock().now()) {}
Scheduler::~Scheduler() {
  shut_down();
}

void Scheduler::shut_down() {
  std::vector<Task> requests;
  std::multimap<TimePoint, std::pair<Timer, Task>> timers;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    requests.swap(requests_);
    timers.swap(timers_);
  }
  tasks_.shut_down();
}

Timer Scheduler::post_after(Duration delay, Task task) {
  auto [timer, run] = Timer::wrap(std::move(task));
  if (delay <= Duration::zero()) {
    post(std::move(run));
    return timer;
  }
  const auto due = detail::after(clock().now(), delay);
  const std::lock_guard lock(mutex_);
  if (!closed_) timers_.emplace(due, std::pair(timer, std::move(run)));
  return timer;
}

void Scheduler::send(Task request) {
  const std::lock_guard lock(mutex_);
  if (!closed_) requests_.push_back(std::move(request));
}

void Scheduler::make_due_ready() {
  const auto now = clock().now();
  const std::lock_guard lock(mutex_);
  while (!timers_.empty() && timers_.begin()->first <= now) {
    auto [timer, run] = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    if (timer.pending()) tasks_.post(std::move(run));
  }
}

bool Scheduler::arrive_one() {
  Task request;
  {
    const std::lock_guard lock(mutex_);
    if (requests_.empty()) return false;
    std::swap(requests_[random_.below(requests_.size())], requests_.back());
    request = std::move(requests_.back());
    requests_.pop_back();
  }
  call_isolated("request", request);
  return true;
}

bool Scheduler::run_one() {
  if (stuck()) return false;
  make_due_ready();
  const bool requests_first = random_.below(2) == 0;
  const bool ran = (requests_first && arrive_one()) || tasks_.run_one() || (!requests_first && arrive_one());
  if (ran) ++ran_;
  return ran;
}

void Scheduler::pass(Duration by) {
  while (arrive_one()) {
  }
  clock().advance(by);
  ran_ = 0;
}

bool Scheduler::pass_to_next_timer(TimePoint limit) {
  std::optional<TimePoint> next;
  {
    const std::lock_guard lock(mutex_);
    while (!timers_.empty() && !timers_.begin()->second.first.pending()) timers_.erase(timers_.begin());
    if (!timers_.empty()) next = timers_.begin()->first;
  }
  if (!next || *next > limit) return false;
  pass(std::max(Duration::zero(), *next - clock().now()));
  return true;
}

void Scheduler::advance(Duration by) {
  const auto target = detail::after(clock().now(), by);
  do {
    while (run_one()) {
    }
  } while (!stuck() && pass_to_next_timer(target));
  if (stuck()) return;
  if (clock().now() < target) pass(target - clock().now());  // a blocked task may have moved it further
  while (run_one()) {
  }
}

bool Scheduler::drive(TimePoint until) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
  }
  if (until == TimePoint::min()) return true;  // asked whether it can
  if (stuck() || clock().now() - began_ > kLongestWait) return false;
  struct Blocked {
    int& depth;
    explicit Blocked(int& count) : depth(count) { ++depth; }
    ~Blocked() { --depth; }
  } const blocked(blocked_);
  if (meanwhile && meanwhile()) return true;
  return run_one() || pass_to_next_timer(TimePoint::max());
}

void Scheduler::run_as_one(const std::function<void()>& what) {
  struct Began {
    TimePoint& began;
    const TimePoint before;
    ~Began() { began = before; }
  } const outer{began_, std::exchange(began_, clock().now())};
  what();
}

void ScheduledExecutor::post(Task task) {
  if (!task) throw std::logic_error("an empty task was posted");
  scheduler_->post([self = shared_from_this(), task = std::move(task)]() mutable { self->run(std::move(task)); });
}

Timer ScheduledExecutor::post_after(Duration delay, Task task) {
  if (!task) throw std::logic_error("an empty task was posted");
  if (delay <= Duration::zero()) {
    auto [timer, run] = Timer::wrap(std::move(task));
    post(std::move(run));
    return timer;
  }
  // A timer of its own: one that became due while the program was frozen can still be canceled when it goes on.
  auto [timer, run] = Timer::wrap(std::move(task));
  scheduler_->post_after(delay, [self = shared_from_this(), timer = timer, run = std::move(run)]() mutable {
    if (timer.pending()) self->run(std::move(run));
  });
  return timer;
}

void ScheduledExecutor::run(Task task) {
  if (frozen()) return held_.push_back(std::move(task));
  scheduler_->run_as_one([&] { task(); });
}

void ScheduledExecutor::thaw() {
  if (--frozen_ > 0) return;
  for (auto& task : std::exchange(held_, {})) post(std::move(task));
}

}  // namespace kubexx::testkit
