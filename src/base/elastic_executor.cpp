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

// So many times the patience, and a task is taken for one that blocks.
constexpr int kStuckAfter = 4;

std::vector<std::jthread> one(std::jthread thread) {
  std::vector<std::jthread> list;
  list.push_back(std::move(thread));
  return list;
}

}  // namespace

// Workers run tasks and end when idle for `linger`. A task that finds every worker busy is left to the supervisor, a
// thread that exists while there is a backlog or a timer: it fires the timers and starts workers for tasks that waited
// too long. How many:
//
//   since the last look          new workers
//   no task finished and the     1, then 2, 4, 8 ...: the workers are blocked, the backlog needs its own
//   processors were not busy
//   otherwise                    one at a time and ever slower, and only to have `eager_threads` that are not stuck in
//                                a long task: more threads would not finish the same work sooner
//
// Every function with a lock parameter or a name ending in _locked is called with the mutex held.
struct ElasticExecutor::State : std::enable_shared_from_this<State> {
  explicit State(Options o) : options(std::move(o)) {}

  struct Worker {
    std::jthread thread;
    std::condition_variable called;
    bool wanted = true;  // called for a task; false while idle
    std::optional<TimePoint> busy_since;
  };
  struct Waiting {
    Task task;
    TimePoint since;
  };

  const Options options;
  mutable std::mutex mutex;
  // All below is guarded by mutex.
  std::deque<Waiting> queue;
  detail::TimerHeap timers;
  std::list<Worker> workers;
  std::vector<Worker*> idle;        // the last to go idle is called first, so that the others can end
  std::vector<std::jthread> ended;  // to be joined by the next thread that ends
  bool stopping = false;
  std::uint64_t finished = 0;

  std::jthread supervisor;
  std::condition_variable supervisor_called;
  bool supervising = false;
  TimePoint supervisor_wakes;
  struct Look {
    TimePoint at;
    std::uint64_t finished = 0;
    Duration cpu{};
  } last_look;
  TimePoint last_start;
  std::size_t burst = 1;

  static TimePoint now() { return Clock::system().now(); }

  void enqueue_locked(Task task, TimePoint at) {
    queue.push_back({std::move(task), at});
    if (!idle.empty()) {
      Worker* worker = idle.back();
      idle.pop_back();
      worker->wanted = true;
      worker->called.notify_one();
    } else if (workers.size() < options.eager_threads) {
      start_worker_locked(at);
    } else {
      call_supervisor_locked(detail::after(at, options.patience));
    }
  }

  // A system without a thread to spare is asked again when the next task comes or the supervisor looks.
  bool start_worker_locked(TimePoint at) {
    if (workers.size() >= options.max_threads) return false;
    const auto worker = workers.emplace(workers.end());
    try {
      worker->thread = detail::start_thread(options.name, [self = shared_from_this(), worker] { self->work(worker); });
    } catch (const std::system_error& e) {
      workers.erase(worker);
      report_error(Error::config(std::string("no thread for a task: ") + e.what()), "executor");
      return false;
    }
    last_start = at;
    return true;
  }

  void work(std::list<Worker>::iterator self) {
    std::unique_lock lock(mutex);
    while (!stopping) {
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
      lock.unlock();
      call_isolated("executor", task);
      task.reset();
      lock.lock();
      self->busy_since.reset();
      ++finished;
    }
  }

  // False when nobody called for `linger`.
  bool wait_for_call_locked(Worker& self, std::unique_lock<std::mutex>& lock) {
    self.wanted = false;
    idle.push_back(&self);
    const TimePoint until = detail::after(now(), options.linger);
    if (self.called.wait_until(lock, until, [&] { return self.wanted || stopping; })) return true;
    std::erase(idle, &self);
    return false;
  }

  // The calling thread is about to end. It joins those that ended before it and leaves itself to the next.
  void end_locked(std::jthread self, std::unique_lock<std::mutex>& lock) {
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
    std::unique_lock lock(mutex);
    last_look = look_locked(now());
    burst = 1;
    while (!stopping) {
      const TimePoint at = now();
      while (auto task = timers.pop_due(at)) enqueue_locked(std::move(*task), at);
      const TimePoint wake = std::min(timers.next().value_or(TimePoint::max()), watch_backlog_locked(at));
      supervisor_wakes = wake;
      if (wake != TimePoint::max()) {
        supervisor_called.wait_until(lock, wake);
        continue;
      }
      supervisor_called.wait_until(lock, detail::after(at, options.linger));
      if (stopping || !queue.empty() || timers.next() || now() < detail::after(at, options.linger)) continue;
      supervising = false;
      end_locked(std::move(supervisor), lock);
      return;
    }
  }

  Look look_locked(TimePoint at) const { return {at, finished, detail::process_cpu_time()}; }

  // Starts workers if a task waited too long; returns when to look again.
  TimePoint watch_backlog_locked(TimePoint at) {
    if (queue.empty()) {
      burst = 1;
      return TimePoint::max();
    }
    const TimePoint due = detail::after(queue.front().since, options.patience);
    if (at < due) {
      last_look = look_locked(at);
      return due;
    }
    grow_locked(at);
    return detail::after(at, options.patience);
  }

  void grow_locked(TimePoint at) {
    const Look look = look_locked(at);
    const Duration passed = look.at - last_look.at;
    const auto processors = std::max(1U, std::thread::hardware_concurrency());
    const bool processors_busy = (look.cpu - last_look.cpu) * 4 > passed * processors * 3;
    const bool blocked = look.finished == last_look.finished && !processors_busy;
    last_look = look;

    if (blocked) {
      const std::size_t count = std::min(burst, queue.size());
      burst *= 2;
      for (std::size_t i = 0; i < count && start_worker_locked(at); ++i) continue;
      return;
    }
    burst = 1;
    const auto stuck = static_cast<std::size_t>(std::count_if(workers.begin(), workers.end(), [&](const Worker& w) {
      return w.busy_since && at - *w.busy_since >= options.patience * kStuckAfter;
    }));
    const bool too_few = workers.size() < options.eager_threads + stuck;
    const auto pace = options.patience * static_cast<Duration::rep>(workers.size());
    if (too_few && at - last_start >= pace) start_worker_locked(at);
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
