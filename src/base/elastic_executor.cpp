#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "base/internal/burst_queue.hpp"
#include "base/internal/insist.hpp"
#include "base/internal/thread.hpp"
#include "base/timer_heap.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"

namespace kubexx {

// Workers run tasks and end when idle for `linger`. One worker at a time is called for new tasks; when it takes one and
// more are waiting, it calls the next, so a burst of posts does not wake threads that find nothing.
//
// A task that finds every worker busy is left to the supervisor. It fires the timers, and when a task waited for
// `patience` it starts as many workers as are blocked, unless `eager_threads` are not: more threads would not finish
// the same computation sooner. Blocked means asleep in a task that began at least `patience` ago. Where the system has
// no thread to spare it runs tasks itself, which is why it is there from the beginning: whoever posts is heard.
//
// Functions whose names end in _locked are called with the mutex held.
struct KUBEXX_HIDDEN ElasticExecutor::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(Options o) : options(std::move(o)) {}

  struct Worker {
    std::jthread thread;
    detail::ThreadId id = 0;
    std::condition_variable called;
    bool wanted = true;  // called, and not yet awake
    std::optional<TimePoint> busy_since;
  };
  struct Waiting {
    Task task;
    TimePoint since;
  };
  using Lock = std::unique_lock<std::mutex>;

  const Options options;
  mutable std::mutex mutex;
  // All below is guarded by mutex.
  BurstQueue<Waiting> queue;
  detail::TimerHeap timers;
  std::list<Worker> workers;
  std::vector<Worker*> idle;  // the last to go idle is called first, so that the others can end
  std::size_t waking = 0;     // workers that are wanted
  std::jthread ended;         // to be joined by the next worker that ends
  bool stopping = false;
  int shortage = 0;  // why no worker could be started the last time; 0: it could
  bool shortage_told = false;

  std::jthread supervisor;
  std::condition_variable supervisor_called;
  TimePoint supervisor_wakes = TimePoint::max();

  static TimePoint now() { return Clock::system().now(); }

  /// Takes the task, or throws and leaves it.
  void enqueue_locked(Task& task, TimePoint at) {
    queue.emplace_back();
    queue.back() = {std::move(task), at};
    call_worker_locked(at);
  }

  void call_worker_locked(TimePoint at) {
    if (waking > 0) return;
    if (!idle.empty()) {
      Worker* worker = idle.back();
      idle.pop_back();
      worker->wanted = true;
      ++waking;
      worker->called.notify_one();
    } else if (workers.size() >= options.eager_threads || !start_worker_locked()) {
      call_supervisor_locked(detail::after(at, options.patience));
    }
  }

  // The supervisor tells of a shortage: whoever posts has the lock, and perhaps locks of its own.
  bool start_worker_locked() {
    if (workers.size() >= options.max_threads) return false;
    try {
      idle.reserve(workers.size() + 1);  // going idle must not need memory
      std::list<Worker> fresh(1);
      const auto worker = fresh.begin();
      worker->thread = detail::start_thread(options.name, [self = shared_from_this(), worker] { self->work(worker); });
      workers.splice(workers.end(), fresh);
    } catch (const std::system_error& e) {
      shortage = e.code().value();
      return false;
    } catch (const std::bad_alloc&) {
      shortage = ENOMEM;
      return false;
    }
    shortage = 0;
    shortage_told = false;
    ++waking;
    return true;
  }

  void work(std::list<Worker>::iterator self) {
    Lock lock(mutex);
    self->id = detail::this_thread_id();
    while (!stopping) {
      if (std::exchange(self->wanted, false)) --waking;
      if (queue.empty()) {
        if (wait_for_call_locked(*self, lock)) continue;
        // It joins the one that ended before it and leaves itself to the next.
        auto before = std::exchange(ended, std::move(self->thread));
        workers.erase(self);
        lock.unlock();
        detail::join_thread(std::move(before));
        return;
      }
      self->busy_since = now();
      Task task = std::move(queue.front().task);
      queue.pop_front();
      if (!queue.empty()) call_worker_locked(*self->busy_since);
      run_unlocked(std::move(task), lock);
      self->busy_since.reset();
    }
  }

  static void run_unlocked(Task task, Lock& lock) {
    lock.unlock();
    call_isolated("executor", task);
    task.reset();
    lock.lock();
  }

  // False when nobody called for `linger`.
  bool wait_for_call_locked(Worker& self, Lock& lock) {
    idle.push_back(&self);
    const TimePoint until = detail::after(now(), options.linger);
    if (self.called.wait_until(lock, until, [&] { return self.wanted || stopping; })) return true;
    std::erase(idle, &self);
    return false;
  }

  void start_supervisor() {
    supervisor = detail::start_thread(options.name, [self = shared_from_this()] { self->supervise(); });
  }

  void call_supervisor_locked(TimePoint when) {
    if (when < supervisor_wakes) supervisor_called.notify_one();
  }

  void supervise() {
    Lock lock(mutex);
    while (!stopping) {
      const TimePoint at = now();
      supervisor_wakes = TimePoint::min();  // it is awake
      fire_timers_locked(at, lock);
      if (stopping) return;
      const TimePoint look = watch_backlog_locked(at, lock);
      if (stopping) return;
      if (shortage != 0 && !std::exchange(shortage_told, true)) {
        const int why = shortage;
        lock.unlock();
        tell_shortage(why);
        lock.lock();
        continue;
      }
      supervisor_wakes = std::min(look, timers.next().value_or(TimePoint::max()));
      if (supervisor_wakes == TimePoint::max()) {
        supervisor_called.wait(lock);
      } else {
        supervisor_called.wait_until(lock, supervisor_wakes);
      }
    }
  }

  static void tell_shortage(int why) noexcept {
    call_isolated("executor", [why] {
      report_error(Error::config("no further thread can be started, there will be fewer: " +
                                 std::generic_category().message(why)),
                   "executor");
    });
  }

  void fire_timers_locked(TimePoint at, Lock& lock) {
    while (auto task = timers.pop_due(at)) {
      try {
        queue.emplace_back();
      } catch (const std::bad_alloc&) {
        run_unlocked(std::move(*task), lock);
        continue;
      }
      queue.back() = {std::move(*task), at};
      call_worker_locked(at);
    }
  }

  // Starts workers if a task waited too long; returns when to look again.
  TimePoint watch_backlog_locked(TimePoint at, Lock& lock) {
    if (queue.empty()) return TimePoint::max();
    const TimePoint due = detail::after(queue.front().since, options.patience);
    if (at < due) return due;
    if (workers.size() < options.max_threads) {
      std::size_t count = blocked_locked(at, lock);
      count = std::min(count, queue.size());
      while (count > 0 && !stopping && start_worker_locked()) --count;
      if (count > 0 && !stopping && shortage != 0 && shortage_told) {
        Task task = std::move(queue.front().task);
        queue.pop_front();
        run_unlocked(std::move(task), lock);
        return at;
      }
    }
    return detail::after(at, options.patience);
  }

  // How many workers are blocked; 0 when enough others are not. Asking the system takes a while: the lock is not held.
  std::size_t blocked_locked(TimePoint at, Lock& lock) {
    std::size_t awake = 0;
    std::vector<detail::ThreadId> suspects;
    for (const Worker& worker : workers) {
      if (worker.busy_since && at - *worker.busy_since >= options.patience) {
        try {
          suspects.push_back(worker.id);
        } catch (const std::bad_alloc&) {
          break;  // those there are must do
        }
      } else {
        ++awake;
      }
    }
    std::size_t blocked = 0;
    lock.unlock();
    // The youngest were started because the others were blocked.
    for (auto id = suspects.rbegin(); id != suspects.rend() && awake < options.eager_threads; ++id) {
      ++(detail::thread_asleep(*id) ? blocked : awake);
    }
    lock.lock();
    if (awake >= options.eager_threads) return 0;
    return std::max<std::size_t>(blocked, 1);
  }

  void shut_down() {
    std::optional<BurstQueue<Waiting>> dropped_queue;
    insist([&] { dropped_queue.emplace(); });  // an empty one needs memory too
    detail::TimerHeap dropped_timers;
    {
      std::lock_guard lock(mutex);
      stopping = true;
      dropped_queue->swap(queue);
      std::swap(dropped_timers, timers);
      for (Worker& worker : workers) worker.called.notify_one();
      supervisor_called.notify_one();
    }
    // From now on nobody but this thread touches them.
    for (Worker& worker : workers) detail::join_thread(std::move(worker.thread));
    detail::join_thread(std::move(ended));
    detail::join_thread(std::move(supervisor));
  }
};

ElasticExecutor::ElasticExecutor() : ElasticExecutor(Options()) {}

ElasticExecutor::ElasticExecutor(Options options) {
  if (options.max_threads == 0) throw std::logic_error("ElasticExecutor: it needs at least one thread");
  options.eager_threads = std::clamp<std::size_t>(options.eager_threads, 1, options.max_threads);
  constexpr std::size_t kKeptName = 12;
  options.name = options.name.substr(0, kKeptName);
  impl_ = std::make_shared<Impl>(std::move(options));
  impl_->start_supervisor();
}

ElasticExecutor::~ElasticExecutor() {
  impl_->shut_down();
}

void ElasticExecutor::post(Task task) {
  if (!task) throw std::logic_error("ElasticExecutor: an empty task was posted");
  insist([&] {
    std::lock_guard lock(impl_->mutex);
    if (impl_->stopping) return;  // the task goes with the parameter, after the lock
    impl_->enqueue_locked(task, Impl::now());
  });
}

Timer ElasticExecutor::post_after(Duration delay, Task task) {
  if (!task) throw std::logic_error("ElasticExecutor: an empty task was posted");
  auto [timer, run] = Timer::wrap(std::move(task));
  if (delay <= Duration::zero()) {
    post(std::move(run));
    return timer;
  }
  insist([&, &timer = timer, &run = run] {
    std::lock_guard lock(impl_->mutex);
    if (impl_->stopping) return;  // `run` was declared before the lock and releases the task after it
    const TimePoint when = detail::after(Impl::now(), delay);
    impl_->timers.make_room();
    if (impl_->timers.push(when, timer, std::move(run))) impl_->call_supervisor_locked(when);
  });
  return timer;
}

const Clock& ElasticExecutor::clock() const {
  return Clock::system();
}

std::size_t ElasticExecutor::threads() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->workers.size();
}

}  // namespace kubexx
