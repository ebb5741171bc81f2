#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "base/internal/alarm.hpp"
#include "base/internal/burst_queue.hpp"
#include "base/internal/descriptor.hpp"
#include "base/internal/insist.hpp"
#include "base/internal/thread.hpp"
#include "base/internal/watch_handle.hpp"
#include "base/timer_heap.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"

namespace kubexx {
namespace {

constexpr std::size_t kPromptAtOnce = 2;
constexpr std::size_t kResident = 2;  // threads that stay while the prompt lane is open: one may be in user code

int milliseconds(Duration duration) {
  constexpr std::int64_t kLongest = 1'000'000'000;
  return static_cast<int>(
      std::min<std::int64_t>(std::chrono::ceil<std::chrono::milliseconds>(duration).count(), kLongest));
}

int usable(int fd) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "ElasticExecutor");
  return fd;
}

}  // namespace

// Workers run tasks of two lanes: those that may block, and prompt ones. An idle worker waits in epoll_wait() for what
// is watched, for the timers' alarm and for a call; the one that went idle last is woken first, so that the others can
// end after `linger`. Whoever finds a descriptor readable reads it and then runs what that made, while the others wait
// on: a lone change passes from the socket to its handler without waking a second thread.
//
// One worker at a time is called for new tasks; when it takes one and more are waiting, it calls the next, so a burst
// of posts does not wake threads that find nothing.
//
// A task that finds every worker busy is left to the supervisor. When one that may block waited for `patience` it
// starts as many workers as are blocked, unless `eager_threads` are not: more threads would not finish the same
// computation sooner. Blocked means asleep in a task that began at least `patience` ago. For a prompt task, or when
// nobody watched for so long, it starts one whatever the others do. Where the system has no thread to spare it does
// their work itself, which is why it is there from the beginning: whoever posts is heard. Where there are prompt tasks
// it runs no others: one that blocks would hold up everything. For those there is a worker at least.
//
// Functions whose names end in _locked are called with the mutex held.
struct KUBEXX_HIDDEN ElasticExecutor::Impl : std::enable_shared_from_this<Impl> {
  struct Waiting {
    Task task;
    TimePoint since;
  };
  struct Lane {
    BurstQueue<Waiting> queue;
    detail::TimerHeap timers;
    std::size_t running = 0;
    bool open = false;  // its executor is there
  };
  struct Soon {
    Lane* lane;
    Task task;
  };
  struct Worker {
    std::jthread thread;
    detail::ThreadId id = 0;
    Lane* lane = nullptr;  // of the task that it runs
    std::optional<TimePoint> busy_since;
    // Tasks of each lane that are on its stack: for want of memory one may run inside another's end.
    std::size_t prompt_inside = 0;
    std::size_t may_block_inside = 0;
    // Its own thread's.
    const Impl* of = nullptr;
    bool returns_soon = false;  // it reads a descriptor, or runs a prompt task
    bool reads = false;
    std::vector<Soon> soon;
  };
  struct Watched {
    int fd;
    std::shared_ptr<std::function<void()>> on_ready;
  };
  using Lock = std::unique_lock<std::mutex>;

  static constexpr std::uint64_t kCall = 0;
  static constexpr std::uint64_t kAlarm = 1;
  static constexpr std::uint64_t kStop = 2;

  explicit Impl(Options o) : options(std::move(o)) {
    // Edges: a call, or the alarm, is for one worker. Everybody hears of the end.
    add(call.get(), kCall, EPOLLIN | EPOLLET);
    add(alarm.get(), kAlarm, EPOLLIN | EPOLLET);
    add(stop.get(), kStop, EPOLLIN);
  }

  const Options options;
  const Descriptor epoll{usable(epoll_create1(EPOLL_CLOEXEC))};
  const Descriptor call{usable(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))};
  const Descriptor alarm{usable(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))};
  const Descriptor stop{usable(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))};

  std::mutex prompt_mutex;
  std::shared_ptr<Executor> prompt;  // guarded by prompt_mutex; until the executor goes

  mutable std::mutex mutex;
  // All below is guarded by mutex.
  Lane may_block;
  Lane prompt_lane;
  std::list<Worker> workers;
  std::size_t listening = 0;  // workers that wait
  std::size_t starting = 0;   // workers that were started, and run nothing yet
  bool waking = false;        // one was called, and is not yet awake
  TimePoint heard;            // when the last listener went
  std::map<std::uint64_t, Watched> watched;
  std::uint64_t last_watch = kStop;
  TimePoint armed = TimePoint::max();
  std::condition_variable task_over;  // for those that close a lane
  std::size_t closing = 0;
  std::jthread ended;  // to be joined by the next worker that ends
  bool stopping = false;
  int shortage = 0;  // why no worker could be started the last time; 0: it could
  bool shortage_told = false;

  std::jthread supervisor;
  Worker supervisor_as_worker;
  std::condition_variable supervisor_called;
  TimePoint supervisor_wakes = TimePoint::max();

  static TimePoint now() { return Clock::system().now(); }
  static Worker*& here() noexcept {
    static thread_local Worker* worker = nullptr;
    return worker;
  }
  Worker* worker_here() const noexcept {
    Worker* const worker = here();
    return worker && worker->of == this ? worker : nullptr;
  }

  void add(int fd, std::uint64_t id, std::uint32_t events) const {
    epoll_event event{};
    event.events = events;
    event.data.u64 = id;
    usable(epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event));
  }

  // --- posting

  void post(Lane& lane, Task task) {
    Worker* const worker = worker_here();
    if (worker && worker->reads) return post_soon(lane, std::move(task));
    insist([&] {
      const Lock lock(mutex);
      if (!lane.open) return;  // the task goes with the parameter, after the lock
      enqueue_locked(lane, task, now());
      if (runnable_locked()) call_worker_locked(now());  // else whoever makes a place for it takes it
    });
  }

  void post_soon(Lane& lane, Task task) {
    Worker* const worker = worker_here();
    if (worker && worker->returns_soon) {
      try {
        worker->soon.emplace_back();
        worker->soon.back() = {&lane, std::move(task)};
        return;
      } catch (const std::bad_alloc&) {
        worker->reads = false;  // by the long way
      }
    }
    post(lane, std::move(task));
  }

  void goes_on() {
    Worker* const worker = worker_here();
    if (!worker || worker->soon.empty()) return;
    Lock lock(mutex);
    take_soon_locked(*worker, lock);
    if (runnable_locked()) call_worker_locked(now());
  }

  /// Takes the task, or throws and leaves it.
  static void enqueue_locked(Lane& lane, Task& task, TimePoint at) {
    lane.queue.emplace_back();
    lane.queue.back() = {std::move(task), at};
  }

  static bool try_enqueue_locked(Lane& lane, Task& task, TimePoint at) {
    try {
      enqueue_locked(lane, task, at);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  /// What the worker's last task, or what it read, left for it. What there is no memory for runs here and now.
  void take_soon_locked(Worker& self, Lock& lock) {
    if (self.soon.empty()) return;
    const TimePoint at = now();
    bool all = true;
    for (Soon& soon : self.soon) {
      if (soon.lane->open && try_enqueue_locked(*soon.lane, soon.task, at)) {
        soon.lane = nullptr;
      } else {
        all = false;
      }
    }
    if (all) return self.soon.clear();
    std::vector<Soon> rest;
    rest.swap(self.soon);
    for (Soon& soon : rest) {
      if (soon.lane && soon.lane->open) run_here_locked(*soon.lane, soon.task, lock);
    }
    lock.unlock();
    rest.clear();
    lock.lock();
  }

  /// What there is no memory for to queue it, on a worker or the supervisor.
  void run_here_locked(Lane& lane, Task& task, Lock& lock) {
    Worker& self = *worker_here();
    ++lane.running;
    ++inside(self, lane);
    lock.unlock();
    call_isolated("executor", task);
    task.reset();
    lock.lock();
    --inside(self, lane);
    --lane.running;
    if (closing > 0) task_over.notify_all();
  }

  std::size_t& inside(Worker& worker, const Lane& lane) const noexcept {
    return &lane == &prompt_lane ? worker.prompt_inside : worker.may_block_inside;
  }

  // --- who works

  Lane* runnable_locked() noexcept {
    if (!prompt_lane.queue.empty() && prompt_lane.running < kPromptAtOnce) return &prompt_lane;
    return !may_block.queue.empty() && may_block.running < options.max_threads ? &may_block : nullptr;
  }

  void call_worker_locked(TimePoint at) {
    // A call that a worker did not hear, because it gave up waiting at that moment, is for the next one that waits.
    if (waking && listening > 0) return;
    const bool the_last_one = listening == 1 && enough_run_locked() && runnable_locked() == &may_block;
    if (listening > 0 && !the_last_one) {
      waking = true;
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written = write(call.get(), &one, sizeof one);
    } else if (starting > 0) {
      return;  // it takes what there is
    } else if (workers.size() >= options.eager_threads || !start_worker_locked()) {
      call_supervisor_locked(detail::after(at, options.patience));
    }
  }

  // The supervisor tells of a shortage: whoever posts has the lock, and perhaps locks of its own.
  bool start_worker_locked() {
    if (workers.size() >= options.max_threads + needed_locked()) return false;
    try {
      launch_worker_locked();
    } catch (const std::system_error& e) {
      shortage = e.code().value();
      return false;
    } catch (const std::bad_alloc&) {
      shortage = ENOMEM;
      return false;
    }
    shortage = 0;
    shortage_told = false;
    return true;
  }

  void launch_worker_locked() {
    std::list<Worker> fresh(1);
    const auto worker = fresh.begin();
    worker->of = this;
    worker->thread = detail::start_thread(options.name, [self = shared_from_this(), worker] { self->work(worker); });
    workers.splice(workers.end(), fresh);
    ++starting;
  }

  void work(std::list<Worker>::iterator self) {
    here() = &*self;
    Lock lock(mutex);
    --starting;
    self->id = detail::this_thread_id();
    while (!stopping) {
      if (run_one_locked(*self, lock) || listen_locked(*self, lock) || stopping) continue;
      if (listening > 0 && workers.size() > needed_locked() + 1) call_worker_locked(now());  // the next one may end too
      if (listening == 0) call_supervisor_locked(next_timer_locked());
      // It joins the one that ended before it and leaves itself to the next.
      auto before = std::exchange(ended, std::move(self->thread));
      here() = nullptr;
      workers.erase(self);
      lock.unlock();
      detail::join_thread(std::move(before));
      return;
    }
    here() = nullptr;
  }

  /// False: there was nothing to run.
  bool run_one_locked(Worker& self, Lock& lock) {
    Lane* const lane = runnable_locked();
    if (!lane) return false;
    if (lane == &may_block && stays_away_locked(self)) {
      call_supervisor_locked(detail::after(now(), options.patience));
      return false;
    }
    Task task = std::move(lane->queue.front().task);
    lane->queue.pop_front();
    ++lane->running;
    ++inside(self, *lane);
    const TimePoint at = now();
    self.busy_since = at;
    self.lane = lane;
    self.returns_soon = lane == &prompt_lane;
    if (runnable_locked()) {
      call_worker_locked(at);
    } else if (listening == 0 && starting == 0) {
      // It may take long, and nobody hears of anything else meanwhile.
      const bool starts = !watched.empty() && !self.returns_soon && workers.size() < options.eager_threads;
      if (!starts || !start_worker_locked()) {
        const TimePoint patient = watched.empty() ? TimePoint::max() : detail::after(at, options.patience);
        call_supervisor_locked(std::min(next_timer_locked(), patient));
      }
    }
    lock.unlock();
    call_isolated("executor", task);
    task.reset();
    lock.lock();
    self.returns_soon = false;
    self.busy_since.reset();
    take_soon_locked(self, lock);
    self.lane = nullptr;
    --inside(self, *lane);
    --lane->running;
    if (closing > 0) task_over.notify_all();
    return true;
  }

  /// Whether this one leaves the tasks that may block to others: the supervisor, where there are prompt ones, and the
  /// only one that could listen.
  bool stays_away_locked(const Worker& self) const noexcept {
    return &self == &supervisor_as_worker ? prompt_lane.open : enough_run_locked() && listening == 0 && starting == 0;
  }

  /// Tasks that may block, for a listener to be wanted more for what is watched.
  bool enough_run_locked() const noexcept { return !watched.empty() && may_block.running >= options.eager_threads; }

  /// So many threads stay however long nothing comes.
  std::size_t needed_locked() const noexcept { return prompt_lane.open ? kResident : 0; }

  /// Asked by one that does not listen now. Others may be in user code for ever, so the last listener stays.
  bool may_end_locked() const noexcept {
    return workers.size() > needed_locked() && (listening > 0 || watched.empty());
  }

  bool nobody_watches_locked() const noexcept { return !watched.empty() && listening == 0 && starting == 0; }

  /// Waits until there is something. False: nothing came for so long that this worker may end.
  bool listen_locked(Worker& self, Lock& lock) {
    const int linger = may_end_locked() ? milliseconds(options.linger) : -1;
    ++listening;
    lock.unlock();
    epoll_event event{};
    const int count = epoll_wait(epoll.get(), &event, 1, linger);
    const int failure = errno;
    lock.lock();
    if (--listening == 0) heard = now();
    if (count > 0) {
      handle_locked(event.data.u64, self, lock);
      return true;
    }
    if (count < 0 && failure == EINTR) return true;
    return runnable_locked() || !may_end_locked();
  }

  void handle_locked(std::uint64_t id, Worker& self, Lock& lock) {
    if (id == kCall) {
      waking = false;
    } else if (id == kAlarm) {
      armed = TimePoint::max();
      fire_timers_locked(now(), lock);
      arm_locked();
    } else if (const auto found = watched.find(id); found != watched.end()) {
      read_locked(id, found->second.on_ready, self, lock);
    }
  }

  void read_locked(std::uint64_t id, std::shared_ptr<std::function<void()>> on_ready, Worker& self, Lock& lock) {
    self.returns_soon = self.reads = true;
    lock.unlock();
    call_isolated("executor", *on_ready);
    on_ready.reset();
    lock.lock();
    self.returns_soon = self.reads = false;
    if (const auto found = watched.find(id); found != watched.end()) {
      epoll_event event{};
      event.events = EPOLLIN | EPOLLONESHOT;
      event.data.u64 = id;
      epoll_ctl(epoll.get(), EPOLL_CTL_MOD, found->second.fd, &event);
    }
    take_soon_locked(self, lock);
  }

  // --- timers

  Timer post_after(Lane& lane, Duration delay, Task task) {
    auto [timer, run] = Timer::wrap(std::move(task));
    if (delay <= Duration::zero()) {
      post(lane, std::move(run));
      return timer;
    }
    insist([&, &waiting = timer, &body = run] {
      const Lock lock(mutex);
      if (!lane.open) return;  // `run` was declared before the lock and releases the task after it
      const TimePoint when = detail::after(now(), delay);
      lane.timers.make_room();
      if (lane.timers.push(when, waiting, std::move(body))) arm_locked();
      if (listening == 0) call_supervisor_locked(when);
    });
    return timer;
  }

  TimePoint next_timer_locked() {
    return std::min(may_block.timers.next().value_or(TimePoint::max()),
                    prompt_lane.timers.next().value_or(TimePoint::max()));
  }

  void arm_locked() {
    const TimePoint when = next_timer_locked();
    if (when != std::exchange(armed, when)) set_alarm(alarm.get(), when);
  }

  void fire_timers_locked(TimePoint at, Lock& lock) {
    for (Lane* lane : {&prompt_lane, &may_block}) {
      while (auto task = lane->timers.pop_due(at)) {
        if (!try_enqueue_locked(*lane, *task, at)) run_here_locked(*lane, *task, lock);
      }
    }
  }

  // --- the supervisor

  void start_supervisor() {
    supervisor_as_worker.of = this;
    supervisor = detail::start_thread(options.name, [self = shared_from_this()] { self->supervise(); });
  }

  void call_supervisor_locked(TimePoint when) {
    if (when < supervisor_wakes) supervisor_called.notify_one();
  }

  void supervise() {
    here() = &supervisor_as_worker;
    Lock lock(mutex);
    while (!stopping) {
      const TimePoint at = now();
      supervisor_wakes = TimePoint::min();  // it is awake
      const TimePoint look = watch_over_locked(at, lock);
      if (stopping) return;
      if (shortage != 0 && !std::exchange(shortage_told, true)) {
        const int why = shortage;
        lock.unlock();
        tell_shortage(why);
        lock.lock();
        continue;
      }
      supervisor_wakes = look;
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

  /// Starts workers where something waited too long; returns when to look again.
  TimePoint watch_over_locked(TimePoint at, Lock& lock) {
    TimePoint look = TimePoint::max();
    const auto patient = [&](TimePoint since) {
      const TimePoint due = detail::after(since, options.patience);
      look = std::min(look, at < due ? due : detail::after(at, options.patience));
      return at < due;
    };
    if (listening == 0) {
      if (next_timer_locked() <= at) {
        fire_timers_locked(at, lock);
        if (runnable_locked()) call_worker_locked(at);
      }
      look = std::min(look, next_timer_locked());
    }
    std::size_t wanted = 0;
    if (!prompt_lane.queue.empty() && prompt_lane.running < kPromptAtOnce &&
        !patient(prompt_lane.queue.front().since)) {
      wanted = 1;
    }
    if (nobody_watches_locked() && !patient(heard)) wanted = 1;
    if (!may_block.queue.empty() && may_block.running < options.max_threads &&
        !patient(may_block.queue.front().since)) {
      wanted = std::max(wanted, std::min(blocked_locked(at, lock), may_block.queue.size()));
    }
    while (wanted > 0 && !stopping && start_worker_locked()) --wanted;
    if (wanted > 0 && !stopping && shortage != 0 && shortage_told) {
      work_as_supervisor_locked(lock);
      return at;
    }
    return look;
  }

  /// No thread can be had: one step of their work.
  void work_as_supervisor_locked(Lock& lock) {
    fire_timers_locked(now(), lock);
    if (run_one_locked(supervisor_as_worker, lock)) return leave_to_listeners_locked();
    if (listening > 0) {
      leave_to_listeners_locked();
      supervisor_called.wait_for(lock, options.patience);
      return;
    }
    lock.unlock();
    epoll_event event{};
    const int count = epoll_wait(epoll.get(), &event, 1, milliseconds(options.patience));
    lock.lock();
    if (count > 0) handle_locked(event.data.u64, supervisor_as_worker, lock);
    leave_to_listeners_locked();
  }

  /// What the supervisor does not run itself, and what it heard in another's place.
  void leave_to_listeners_locked() {
    if (listening > 0 && runnable_locked()) call_worker_locked(now());
  }

  // How many workers are blocked; 0 when enough others are not. Asking the system takes a while: the lock is not held.
  std::size_t blocked_locked(TimePoint at, Lock& lock) {
    std::size_t awake = starting + (waking ? 1 : 0);
    std::vector<detail::ThreadId> suspects;
    for (const Worker& worker : workers) {
      if (worker.busy_since && at - *worker.busy_since >= options.patience) {
        try {
          suspects.push_back(worker.id);
        } catch (const std::bad_alloc&) {
          break;  // those there are must do
        }
      } else if (worker.lane == &may_block) {
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

  // --- descriptors

  std::shared_ptr<void> watch(int fd, std::function<void()> on_ready) {
    if (!on_ready) throw std::logic_error("ElasticExecutor: nothing is to be called");
    auto handle = std::make_shared<detail::WatchHandle<Impl>>();
    auto shared = std::make_shared<std::function<void()>>(std::move(on_ready));
    const Lock lock(mutex);
    if (stopping) return handle;
    const std::uint64_t id = ++last_watch;
    watched.emplace(id, Watched{fd, shared});
    try {
      add(fd, id, EPOLLIN | EPOLLONESHOT);
    } catch (...) {
      watched.erase(id);
      throw;
    }
    handle->id = id;
    handle->impl = weak_from_this();
    if (nobody_watches_locked() && !start_worker_locked()) call_supervisor_locked(now());
    return handle;
  }

  void forget(std::uint64_t id) {
    std::shared_ptr<std::function<void()>> dropped;
    const Lock lock(mutex);
    const auto found = watched.find(id);
    if (found == watched.end()) return;
    dropped = std::move(found->second.on_ready);
    epoll_ctl(epoll.get(), EPOLL_CTL_DEL, found->second.fd, nullptr);
    watched.erase(found);
  }

  // --- the end

  void open_prompt_lane() {
    const Lock lock(mutex);
    if (workers.empty()) launch_worker_locked();
    prompt_lane.open = true;
    while (workers.size() < kResident && start_worker_locked()) {
    }
  }

  /// Drops what waits and lets running tasks finish, but for the one that calls this. With the last lane ends all.
  void close(Lane& lane) {
    std::unique_ptr<BurstQueue<Waiting>> dropped_queue;
    insist([&] { dropped_queue = std::make_unique<BurstQueue<Waiting>>(); });  // an empty one needs memory too
    detail::TimerHeap dropped_timers;
    bool last = false;
    {
      Lock lock(mutex);
      lane.open = false;
      dropped_queue->swap(lane.queue);
      std::swap(dropped_timers, lane.timers);
      Worker* const self = worker_here();
      const std::size_t own = self ? inside(*self, lane) : 0;
      ++closing;
      task_over.wait(lock, [&] { return lane.running <= own; });
      --closing;
      if (&lane == &prompt_lane && listening > 0) call_worker_locked(now());  // those that stayed for it may end
      last = !may_block.open && !prompt_lane.open && !std::exchange(stopping, true);
    }
    if (last) join_all();
  }

  void join_all() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(stop.get(), &one, sizeof one);
    {
      const Lock lock(mutex);
      supervisor_called.notify_one();
    }
    // From now on nobody but this thread touches them.
    for (Worker& worker : workers) detail::join_thread(std::move(worker.thread));
    detail::join_thread(std::move(ended));
    detail::join_thread(std::move(supervisor));
  }
};

/// The other lane's face.
class KUBEXX_HIDDEN ElasticExecutor::Prompt final : public Executor {
 public:
  explicit Prompt(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) { impl_->open_prompt_lane(); }
  ~Prompt() override { impl_->close(impl_->prompt_lane); }
  Prompt(const Prompt&) = delete;
  Prompt& operator=(const Prompt&) = delete;
  void post(Task task) override {
    require(task);
    impl_->post(impl_->prompt_lane, std::move(task));
  }
  void post_soon(Task task) override {
    require(task);
    impl_->post_soon(impl_->prompt_lane, std::move(task));
  }
  void goes_on() override { impl_->goes_on(); }
  Timer post_after(Duration delay, Task task) override {
    require(task);
    return impl_->post_after(impl_->prompt_lane, delay, std::move(task));
  }
  const Clock& clock() const override { return Clock::system(); }
  bool watches() const noexcept override { return true; }
  std::shared_ptr<void> watch(int fd, std::function<void()> on_ready) override {
    return impl_->watch(fd, std::move(on_ready));
  }
  static void require(const Task& task) {
    if (!task) throw std::logic_error("ElasticExecutor: an empty task was posted");
  }

 private:
  const std::shared_ptr<Impl> impl_;
};

ElasticExecutor::ElasticExecutor() : ElasticExecutor(Options()) {}

ElasticExecutor::ElasticExecutor(Options options) {
  if (options.max_threads == 0) throw std::logic_error("ElasticExecutor: it needs at least one thread");
  options.eager_threads = std::clamp<std::size_t>(options.eager_threads, 1, options.max_threads);
  constexpr std::size_t kKeptName = 12;
  options.name = options.name.substr(0, kKeptName);
  impl_ = std::make_shared<Impl>(std::move(options));
  impl_->may_block.open = true;
  impl_->start_supervisor();
}

ElasticExecutor::~ElasticExecutor() {
  impl_->close(impl_->may_block);
  std::shared_ptr<Executor> prompt;
  const std::lock_guard lock(impl_->prompt_mutex);
  prompt.swap(impl_->prompt);
}

void ElasticExecutor::post(Task task) {
  Prompt::require(task);
  impl_->post(impl_->may_block, std::move(task));
}

void ElasticExecutor::post_soon(Task task) {
  Prompt::require(task);
  impl_->post_soon(impl_->may_block, std::move(task));
}

Timer ElasticExecutor::post_after(Duration delay, Task task) {
  Prompt::require(task);
  return impl_->post_after(impl_->may_block, delay, std::move(task));
}

const Clock& ElasticExecutor::clock() const {
  return Clock::system();
}

std::size_t ElasticExecutor::threads() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->workers.size();
}

std::shared_ptr<Executor> ElasticExecutor::prompt() {
  const std::lock_guard lock(impl_->prompt_mutex);
  if (!impl_->prompt) impl_->prompt = std::make_shared<Prompt>(impl_);
  return impl_->prompt;
}

}  // namespace kubexx
