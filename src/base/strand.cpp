#include <atomic>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "base/internal/insist.hpp"
#include "base/timer_impl.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"

namespace kubexx {

namespace {

// A queue that grew beyond this gives its memory back when it is empty.
constexpr std::size_t kKeptCapacity = 1024;

// The queue of a strand. It outlives the handles while a turn is scheduled. It never owns the executor, not even for a
// moment: whoever drops the last reference expects that the tasks are over, and a turn would take that over unseen.
// Turns and timers run inside the executor, which waits for them before it goes; only a task of the same turn can
// have destroyed it, and then the weak reference knows.
class Runner : public std::enable_shared_from_this<Runner> {
 public:
  Runner(const std::shared_ptr<Executor>& executor, std::size_t turn)
      : executor_(executor.get()), alive_(executor), turn_(turn) {}

  // By a handle, which owns the executor, or by a task inside it.
  void post(Task task) {
    bool first = false;
    insist([&] {
      std::lock_guard lock(mutex_);
      incoming_.push_back(std::move(task));  // moves it when it has the room
      ++posted_;
      first = !std::exchange(scheduled_, true);
    });
    if (first) schedule();
  }

  // By the task that runs now.
  void defer(Task task) {
    insist([&] { deferred_.push_back(std::move(task)); });
  }

  std::size_t depth() const {
    std::lock_guard lock(mutex_);
    return posted_ - finished_.load(std::memory_order_relaxed);
  }

  static const Runner*& current() noexcept {
    static thread_local const Runner* runner = nullptr;
    return runner;
  }

 private:
  // The task that the executor holds while there is something to run. Dropping it unrun drops the queue, which
  // may hold the last references to itself.
  struct Turn {
    std::shared_ptr<Runner> runner;
    explicit Turn(std::shared_ptr<Runner> c) : runner(std::move(c)) {}
    Turn(Turn&&) noexcept = default;
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (runner) runner->abandon();
    }
    void operator()() { std::exchange(runner, nullptr)->run(); }
  };

  void schedule() {
    Turn turn(shared_from_this());
    if (!alive_.expired()) executor_->post(std::move(turn));
  }

  void run() {
    const Runner* const outer = std::exchange(current(), this);
    const bool more = run_turn();
    current() = outer;
    if (more) schedule();
  }

  // True when the turn ended before the queue did. One turn runs at a time, so running_ and next_ need no lock.
  bool run_turn() {
    for (std::size_t done = 0; done < turn_; ++done) {
      if (next_ == running_.size() && !refill()) return false;
      if (done > 0 && !alive_.expired()) executor_->goes_on();
      Task& task = running_[next_++];
      call_isolated("strand", task);
      task.reset();
      run_deferred();
      finished_.fetch_add(1, std::memory_order_relaxed);
    }
    return next_ < running_.size() || refill();
  }

  // What these defer runs in their wake.
  void run_deferred() {
    for (std::size_t i = 0; i < deferred_.size(); ++i) {
      Task task = std::move(deferred_[i]);
      call_isolated("strand", task);
    }
    deferred_.clear();
    if (deferred_.capacity() > kKeptCapacity) std::vector<Task>().swap(deferred_);
  }

  bool refill() {
    running_.clear();
    if (running_.capacity() > kKeptCapacity) std::vector<Task>().swap(running_);
    next_ = 0;
    std::lock_guard lock(mutex_);
    running_.swap(incoming_);
    if (!running_.empty()) return true;
    scheduled_ = false;
    return false;
  }

  void abandon() noexcept {
    std::vector<Task> dropped_running;
    std::vector<Task> dropped_incoming;
    std::lock_guard lock(mutex_);
    dropped_running.swap(running_);
    dropped_incoming.swap(incoming_);
    finished_.store(posted_, std::memory_order_relaxed);
    next_ = 0;
    scheduled_ = false;
    // The tasks were declared before the lock: they go after it is released.
  }

  Executor* const executor_;
  const std::weak_ptr<Executor> alive_;
  const std::size_t turn_;
  mutable std::mutex mutex_;
  std::vector<Task> incoming_;  // guarded by mutex_
  bool scheduled_ = false;      // guarded by mutex_; true while a Turn exists
  std::size_t posted_ = 0;      // guarded by mutex_
  std::atomic<std::size_t> finished_{0};
  std::vector<Task> running_;   // the Turn's
  std::size_t next_ = 0;        // the Turn's
  std::vector<Task> deferred_;  // the Turn's; of the task that runs now
};

void require(const Task& task) {
  if (!task) throw std::logic_error("Strand: an empty task was posted");
}

}  // namespace

struct KUBEXX_HIDDEN Strand::Impl {
  std::shared_ptr<Executor> executor;
  std::shared_ptr<Runner> runner;
};

Strand::Strand(std::shared_ptr<Executor> executor) {
  if (!executor) throw std::logic_error("Strand: no executor");
  auto runner = std::make_shared<Runner>(executor, executor->strand_turn());
  impl_ = std::make_shared<Impl>(Impl{std::move(executor), std::move(runner)});
}

void Strand::post(Task task) const {
  require(task);
  impl_->runner->post(std::move(task));
}

void Strand::defer(Task task) const {
  require(task);
  if (running_in_this_thread()) return impl_->runner->defer(std::move(task));
  impl_->runner->post(std::move(task));
}

Timer Strand::post_after(Duration delay, Task task) const {
  require(task);
  auto [timer, run] = Timer::wrap(std::move(task));
  if (delay <= Duration::zero()) {
    impl_->runner->post(std::move(run));
    return timer;
  }
  auto when_due = [runner = impl_->runner, due = std::move(run)]() mutable { runner->post(std::move(due)); };
  // Canceling has to reach the executor's timer too, or canceled ones would pile up there until they are due.
  timer.impl_->outer = impl_->executor->post_after(delay, insisted_task(std::move(when_due)));
  return timer;
}

bool Strand::running_in_this_thread() const noexcept {
  return Runner::current() == impl_->runner.get();
}
std::size_t Strand::depth() const {
  return impl_->runner->depth();
}
const Clock& Strand::clock() const {
  return impl_->executor->clock();
}
const std::shared_ptr<Executor>& Strand::executor() const {
  return impl_->executor;
}

}  // namespace kubexx
