#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/base/random.hpp"

namespace kubexx::testkit {

/// The order of everything in a simulation: tasks that are ready, timers, requests on their way to the server. All of
/// it comes from one seed and runs on one thread.
class Scheduler {
 public:
  explicit Scheduler(std::uint64_t seed);
  ~Scheduler();

  FakeClock& clock() noexcept { return tasks_.fake_clock(); }
  const Clock& clock() const noexcept { return tasks_.clock(); }
  void post(Task task) { tasks_.post(std::move(task)); }
  Timer post_after(Duration delay, Task task);
  void send(Task request);  ///< arrives before the clock moves

  /// One task, or one request arrives; false: nothing is ready, or it is stuck().
  bool run_one();
  void pass(Duration by);  ///< the clock alone, when all requests have arrived
  /// The clock goes from timer to timer, and everything that becomes due runs.
  void advance(Duration by);

  /// A task waits for others: one of them runs, or time passes until one can. False: nothing can change any more, or it
  /// waits for longer than anything should.
  bool drive(TimePoint until);
  bool runs_here() const noexcept { return std::this_thread::get_id() == owner_; }
  bool blocked() const noexcept { return blocked_ > 0; }
  /// Asked while a task is blocked: does something else happen? True: it did.
  std::function<bool()> meanwhile = {};

  /// Runs a function as one thing, whose blocking calls have a time of their own.
  void run_as_one(const std::function<void()>& what);

  /// So many tasks ran and the clock stood still: they make each other run for ever.
  bool stuck() const noexcept { return ran_ > kMostTasks; }
  void forget_stuck() noexcept { ran_ = 0; }
  void shut_down();

 private:
  static constexpr std::size_t kMostTasks = 50'000;
  static constexpr Duration kLongestWait = std::chrono::hours(1);

  void make_due_ready();
  bool arrive_one();
  bool pass_to_next_timer(TimePoint limit);

  const std::thread::id owner_ = std::this_thread::get_id();
  ManualExecutor tasks_;
  Random random_;
  std::size_t ran_ = 0;  // since the clock moved
  int blocked_ = 0;      // tasks that wait inside each other
  TimePoint began_;      // of the innermost task

  std::mutex mutex_;
  std::vector<Task> requests_;                               // guarded by mutex_
  std::multimap<TimePoint, std::pair<Timer, Task>> timers_;  // guarded by mutex_
  bool closed_ = false;                                      // guarded by mutex_
};

/// The executor of one program, or of the server: tasks in the scheduler's order, none while it is frozen.
class ScheduledExecutor final : public Executor, public std::enable_shared_from_this<ScheduledExecutor> {
 public:
  explicit ScheduledExecutor(std::shared_ptr<Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}

  void post(Task task) override;
  Timer post_after(Duration delay, Task task) override;
  const Clock& clock() const override { return std::as_const(*scheduler_).clock(); }
  std::size_t strand_turn() const noexcept override { return 1; }
  bool runs_only_here() const noexcept override { return scheduler_->runs_here(); }
  bool drive(TimePoint until) override { return scheduler_->drive(until); }

  void freeze() noexcept { ++frozen_; }
  void thaw();
  bool frozen() const noexcept { return frozen_ > 0; }

 private:
  void run(Task task);

  const std::shared_ptr<Scheduler> scheduler_;
  int frozen_ = 0;
  std::vector<Task> held_;  // became ready while it was frozen
};

/// What carries requests to the server: they arrive before the clock moves.
class ScheduledNetwork final : public Executor {
 public:
  explicit ScheduledNetwork(std::shared_ptr<Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}
  void post(Task task) override { scheduler_->send(std::move(task)); }
  Timer post_after(Duration delay, Task task) override { return scheduler_->post_after(delay, std::move(task)); }
  const Clock& clock() const override { return std::as_const(*scheduler_).clock(); }

 private:
  const std::shared_ptr<Scheduler> scheduler_;
};

}  // namespace kubexx::testkit
