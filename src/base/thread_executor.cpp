#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/internal/burst_queue.hpp"
#include "base/internal/insist.hpp"
#include "base/internal/thread.hpp"
#include "base/timer_heap.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"

namespace kubexx {

// Shared with the threads: when a task of the executor drops its last owner, the thread that runs the task outlives
// the executor by the rest of that task.
struct KUBEXX_HIDDEN ThreadExecutor::Impl {
  std::mutex mutex;
  std::condition_variable changed;
  BurstQueue<Task> ready;    // guarded by mutex
  detail::TimerHeap timers;  // guarded by mutex
  std::size_t waiting = 0;   // guarded by mutex
  bool stopping = false;     // guarded by mutex
  std::vector<std::jthread> threads;

  void work() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      Task task = take_due_timers();
      if (!task && ready.empty()) {
        wait(lock);
        continue;
      }
      if (!task) {
        task = std::move(ready.front());
        ready.pop_front();
      }
      lock.unlock();
      call_isolated("executor", task);
      task.reset();
      lock.lock();
    }
  }

  // To the end of the queue. One that no memory can be had for is returned, to run at once.
  Task take_due_timers() {
    if (!timers.next()) return {};
    const TimePoint now = Clock::system().now();
    std::size_t taken = 0;
    while (auto task = timers.pop_due(now)) {
      try {
        ready.push_back(std::move(*task));
      } catch (const std::bad_alloc&) {
        return std::move(*task);
      }
      if (++taken > 1 && waiting > 0) changed.notify_one();
    }
    return {};
  }

  // Every idle thread waits for the first timer: there are few of them, and none has to hand over when it gets work.
  void wait(std::unique_lock<std::mutex>& lock) {
    ++waiting;
    if (const auto when = timers.next()) {
      changed.wait_until(lock, *when);
    } else {
      changed.wait(lock);
    }
    --waiting;
  }

  void shut_down() {
    std::optional<BurstQueue<Task>> dropped_ready;
    insist([&] { dropped_ready.emplace(); });  // an empty one needs memory too
    detail::TimerHeap dropped_timers;
    {
      std::lock_guard lock(mutex);
      stopping = true;
      dropped_ready->swap(ready);
      std::swap(dropped_timers, timers);
    }
    changed.notify_all();
    detail::join_threads(std::move(threads));
  }
};

ThreadExecutor::ThreadExecutor() : ThreadExecutor(Options()) {}

ThreadExecutor::ThreadExecutor(Options options) : impl_(std::make_shared<Impl>()) {
  if (options.threads == 0) throw std::logic_error("ThreadExecutor: it needs at least one thread");
  constexpr std::size_t kKeptName = 12;
  impl_->threads.reserve(options.threads);  // a thread that has no place would be joined before it is told to end
  try {
    for (std::size_t i = 0; i < options.threads; ++i) {
      const std::string name = options.name.substr(0, kKeptName) + "-" + std::to_string(i);
      impl_->threads.push_back(detail::start_thread(name, [impl = impl_] { impl->work(); }));
    }
  } catch (...) {
    impl_->shut_down();
    throw;
  }
}

ThreadExecutor::~ThreadExecutor() {
  impl_->shut_down();
}

void ThreadExecutor::post(Task task) {
  if (!task) throw std::logic_error("ThreadExecutor: an empty task was posted");
  bool wake = false;
  insist([&] {
    std::lock_guard lock(impl_->mutex);
    if (impl_->stopping) return;  // the task goes with the parameter, after the lock
    impl_->ready.push_back(std::move(task));
    wake = impl_->waiting > 0;
  });
  if (wake) impl_->changed.notify_one();
}

Timer ThreadExecutor::post_after(Duration delay, Task task) {
  if (!task) throw std::logic_error("ThreadExecutor: an empty task was posted");
  auto [timer, run] = Timer::wrap(std::move(task));
  if (delay <= Duration::zero()) {
    post(std::move(run));
    return timer;
  }
  const TimePoint when = detail::after(clock().now(), delay);
  bool first = false;
  insist([&, &timer = timer, &run = run] {
    std::lock_guard lock(impl_->mutex);
    if (impl_->stopping) return;  // `run` was declared before the lock and releases the task after it
    impl_->timers.make_room();
    first = impl_->timers.push(when, timer, std::move(run));
  });
  if (first) impl_->changed.notify_all();
  return timer;
}

const Clock& ThreadExecutor::clock() const {
  return Clock::system();
}

}  // namespace kubexx
