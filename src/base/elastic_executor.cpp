#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "base/thread.hpp"
#include "base/timer_heap.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"

namespace kubexx {

namespace {

std::vector<std::jthread> one(std::jthread thread) {
  std::vector<std::jthread> list;
  list.push_back(std::move(thread));
  return list;
}

}  // namespace

// Workers run tasks and end when idle for `linger`. One worker at a time is called for new tasks; when it takes one and
// more are waiting, it calls the next, so a burst of posts does not wake threads that find nothing.
//
// A task that finds every worker busy is left to the supervisor, a thread that exists while there is a backlog or a
// timer. It fires the timers, and when a task waited for `patience` it starts as many workers as are blocked, unless
// `eager_threads` are not: more threads would not finish the same computation sooner. Blocked means asleep in a task
// that began at least `patience` ago.
//
// Functions whose names end in _locked are called with the mutex held.
struct ElasticExecutor::State : std::enable_shared_from_this<State> {
  explicit State(Options o) : options(std::move(o)) {}

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
  std::deque<Waiting> queue;
  detail::TimerHeap timers;
  std::list<Worker> workers;
  std::vector<Worker*> idle;        // the last to go idle is called first, so that the others can end
  std::size_t waking = 0;           // workers that are wanted
  std::vector<std::jthread> ended;  // to be joined by the next thread that ends
  bool stopping = false;

  std::jthread supervisor;
  std::condition_variable supervisor_called;
  bool supervising = false;
  TimePoint supervisor_wakes;

  static TimePoint now() { return Clock::system().now(); }

  void enqueue_locked(Task task, TimePoint at) {
    queue.push_back({std::move(task), at});
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

  // A system without a thread to spare is asked again when the supervisor looks.
  bool start_worker_locked() {
    if (workers.size() >= options.max_threads) return false;
    const auto worker = workers.emplace(workers.end());
    try {
      worker->thread = detail::start_thread(options.name, [self = shared_from_this(), worker] { self->work(worker); });
    } catch (const std::system_error& e) {
      workers.erase(worker);
      report_error(Error::config(std::string("no thread for a task: ") + e.what()), "executor");
      return false;
    }
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
        auto thread = std::move(self->thread);
        workers.erase(self);
        end_locked(std::move(thread), lock);
        return;
      }
      Task task = std::move(queue.front().task);
      queue.pop_front();
      self->busy_since = now();
      if (!queue.empty()) call_worker_locked(*self->busy_since);
      lock.unlock();
      call_isolated("executor", task);
      task.reset();
      lock.lock();
      self->busy_since.reset();
    }
  }

  // False when nobody called for `linger`.
  bool wait_for_call_locked(Worker& self, Lock& lock) {
    idle.push_back(&self);
    const TimePoint until = detail::after(now(), options.linger);
    if (self.called.wait_until(lock, until, [&] { return self.wanted || stopping; })) return true;
    std::erase(idle, &self);
    return false;
  }

  // The calling thread is about to end. It joins those that ended before it and leaves itself to the next.
  void end_locked(std::jthread self, Lock& lock) {
    auto before = std::exchange(ended, one(std::move(self)));
    lock.unlock();
    detail::join_threads(std::move(before));
  }

  void call_supervisor_locked(TimePoint when) {
    if (supervising) {
      if (when < supervisor_wakes) supervisor_called.notify_one();
      return;
    }
    try {
      supervisor = detail::start_thread(options.name, [self = shared_from_this()] { self->supervise(); });
      supervising = true;
    } catch (const std::system_error& e) {
      report_error(Error::config(std::string("no thread for the backlog: ") + e.what()), "executor");
    }
  }

  void supervise() {
    Lock lock(mutex);
    while (!stopping) {
      const TimePoint at = now();
      while (auto task = timers.pop_due(at)) enqueue_locked(std::move(*task), at);
      const TimePoint wake = std::min(timers.next().value_or(TimePoint::max()), watch_backlog_locked(at, lock));
      if (stopping) return;
      supervisor_wakes = wake;
      if (wake != TimePoint::max()) {
        supervisor_called.wait_until(lock, wake);
        continue;
      }
      const TimePoint until = detail::after(at, options.linger);
      supervisor_called.wait_until(lock, until);
      if (stopping || !queue.empty() || timers.next() || now() < until) continue;
      supervising = false;
      end_locked(std::move(supervisor), lock);
      return;
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
    }
    return detail::after(at, options.patience);
  }

  // How many workers are blocked; 0 when enough others are not. Asking the system takes a while: the lock is not held.
  std::size_t blocked_locked(TimePoint at, Lock& lock) {
    std::size_t awake = 0;
    std::vector<detail::ThreadId> suspects;
    for (const Worker& worker : workers) {
      if (worker.busy_since && at - *worker.busy_since >= options.patience) {
        suspects.push_back(worker.id);
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
    std::deque<Waiting> dropped_queue;
    detail::TimerHeap dropped_timers;
    std::vector<std::jthread> threads;
    {
      std::lock_guard lock(mutex);
      stopping = true;
      dropped_queue.swap(queue);
      std::swap(dropped_timers, timers);
      threads = std::move(ended);
      for (Worker& worker : workers) {
        worker.called.notify_one();
        threads.push_back(std::move(worker.thread));
      }
      supervisor_called.notify_one();
      if (supervising) threads.push_back(std::move(supervisor));
    }
    detail::join_threads(std::move(threads));
  }
};

ElasticExecutor::ElasticExecutor() : ElasticExecutor(Options()) {}

ElasticExecutor::ElasticExecutor(Options options) {
  if (options.max_threads == 0) throw std::logic_error("ElasticExecutor: it needs at least one thread");
  options.eager_threads = std::clamp<std::size_t>(options.eager_threads, 1, options.max_threads);
  constexpr std::size_t kKeptName = 12;
  options.name = options.name.substr(0, kKeptName);
  state_ = std::make_shared<State>(std::move(options));
}

ElasticExecutor::~ElasticExecutor() {
  state_->shut_down();
}

void ElasticExecutor::post(Task task) {
  if (!task) throw std::logic_error("ElasticExecutor: an empty task was posted");
  std::lock_guard lock(state_->mutex);
  if (state_->stopping) return;  // the task goes with the parameter, after the lock
  state_->enqueue_locked(std::move(task), State::now());
}

Timer ElasticExecutor::post_after(Duration delay, Task task) {
  if (!task) throw std::logic_error("ElasticExecutor: an empty task was posted");
  auto [timer, run] = Timer::wrap(std::move(task));
  if (delay <= Duration::zero()) {
    post(std::move(run));
    return timer;
  }
  std::lock_guard lock(state_->mutex);
  if (state_->stopping) return timer;  // `run` was declared before the lock and releases the task after it
  const TimePoint when = detail::after(State::now(), delay);
  if (state_->timers.push(when, timer, std::move(run))) state_->call_supervisor_locked(when);
  return timer;
}

const Clock& ElasticExecutor::clock() const {
  return Clock::system();
}

std::size_t ElasticExecutor::threads() const {
  std::lock_guard lock(state_->mutex);
  return state_->workers.size() + (state_->supervising ? 1 : 0);
}

}  // namespace kubexx
