#include "kubexx/base/loop_executor.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/internal/alarm.hpp"
#include "base/internal/descriptor.hpp"
#include "base/timer_heap.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx {
namespace {

constexpr std::size_t kLoopTurn = 64;
constexpr int kDeepest = 64;  // so many calls inside each other still leave most of a stack
constexpr std::uint64_t kWakeup = 0;
constexpr std::uint64_t kAlarm = 1;

int usable(int fd) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "LoopExecutor");
  return fd;
}

}  // namespace

// Whether the descriptor is readable follows the queue and the timers, but not at once: while the loop's thread is
// awake it looks at them itself before it goes, so that a task which posts another costs no system call.
struct LoopExecutor::Impl {
  struct Watched {
    int fd;
    std::shared_ptr<std::function<void()>> on_ready;
  };

  const Descriptor epoll{usable(epoll_create1(EPOLL_CLOEXEC))};
  const Descriptor wakeup{usable(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))};
  const Descriptor alarm{usable(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))};
  std::atomic<std::thread::id> owner{std::this_thread::get_id()};
  std::atomic<int> depth{0};  // of the owner's run_ready and drive inside each other
  bool in_watch = false;      // the owner's

  mutable std::mutex mutex;
  std::deque<Task> ready;                    // guarded by mutex
  mutable detail::TimerHeap timers;          // guarded by mutex
  std::map<std::uint64_t, Watched> watched;  // guarded by mutex
  std::uint64_t last_watch = kAlarm;         // guarded by mutex
  bool awake = false;                        // guarded by mutex; the loop's thread looks here before it sleeps
  bool signaled = false;                     // guarded by mutex; `wakeup` is readable
  TimePoint armed = TimePoint::max();        // guarded by mutex; when `alarm` is readable
  bool stopping = false;                     // guarded by mutex

  Impl() {
    add(wakeup.get(), kWakeup);
    add(alarm.get(), kAlarm);
  }

  void add(int fd, std::uint64_t id) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = id;
    usable(epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event));
  }

  void signal_locked() {
    if (awake || std::exchange(signaled, true)) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wakeup.get(), &one, sizeof one);
  }

  void arm_locked(TimePoint when) {
    if (when != std::exchange(armed, when)) set_alarm(alarm.get(), when);
  }

  /// From here on others see to it that the descriptor is readable.
  void fall_asleep() {
    const std::lock_guard lock(mutex);
    awake = false;
    if (!ready.empty()) {
      signal_locked();
    } else if (std::exchange(signaled, false)) {
      std::uint64_t drained = 0;
      [[maybe_unused]] const auto bytes = read(wakeup.get(), &drained, sizeof drained);
    }
    arm_locked(timers.next().value_or(TimePoint::max()));
  }

  void wake_up() {
    const std::lock_guard lock(mutex);
    awake = true;
  }

  void sleep(TimePoint until) {
    const TimePoint now = Clock::system().now();
    if (until <= now) return;
    int timeout = -1;
    if (until != TimePoint::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
      timeout = static_cast<int>(std::min<std::int64_t>(left, 60'000));
    }
    fall_asleep();
    pollfd waiting{epoll.get(), POLLIN, 0};
    ::poll(&waiting, 1, timeout);
    wake_up();
  }

  std::size_t turn() {
    std::size_t ran = call_watched();
    for (std::size_t left = take_due(); left > 0; --left) {
      Task task;
      {
        const std::lock_guard lock(mutex);
        if (ready.empty()) break;  // a task that drove the loop ran it
        task = std::move(ready.front());
        ready.pop_front();
      }
      call_isolated("executor", task);
      ++ran;
    }
    return ran;
  }

  std::size_t call_watched() {
    {
      const std::lock_guard lock(mutex);
      if (watched.empty()) return 0;
    }
    epoll_event events[16];
    const int count = epoll_wait(epoll.get(), events, 16, 0);
    std::size_t called = 0;
    for (int i = 0; i < count; ++i) {
      std::shared_ptr<std::function<void()>> on_ready;  // it may go meanwhile
      {
        const std::lock_guard lock(mutex);
        const auto found = watched.find(events[i].data.u64);
        if (found == watched.end()) continue;
        on_ready = found->second.on_ready;
      }
      in_watch = true;
      call_isolated("loop", *on_ready);
      in_watch = false;
      ++called;
    }
    return called;
  }

  /// Due timers to the end of the queue; how many tasks to run. A timer that no memory can be had for stays due.
  std::size_t take_due() {
    const std::lock_guard lock(mutex);
    if (timers.next()) {
      const TimePoint now = Clock::system().now();
      try {
        for (auto next = timers.next(); next && *next <= now; next = timers.next()) {
          ready.emplace_back();
          ready.back() = std::move(*timers.pop_due(now));
        }
      } catch (const std::bad_alloc&) {
      }
    }
    return std::min(ready.size(), kLoopTurn);
  }

  void forget(std::uint64_t id) {
    std::shared_ptr<std::function<void()>> dropped;
    const std::lock_guard lock(mutex);
    const auto found = watched.find(id);
    if (found == watched.end()) return;
    dropped = std::move(found->second.on_ready);
    epoll_ctl(epoll.get(), EPOLL_CTL_DEL, found->second.fd, nullptr);
    watched.erase(found);
  }

  /// One thread's stay in the loop.
  class Inside {
   public:
    explicit Inside(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {
      const auto here = std::this_thread::get_id();
      if (impl_->owner.load() != here) {
        if (impl_->depth.load() > 0) throw std::logic_error("LoopExecutor: two threads drive it at the same time");
        impl_->owner = here;
      }
      ++impl_->depth;
      impl_->wake_up();
    }
    ~Inside() {
      if (--impl_->depth == 0) impl_->fall_asleep();
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    Impl* operator->() const { return impl_.get(); }

   private:
    const std::shared_ptr<Impl> impl_;  // a task may drop the last owner of the loop
  };
};

bool Executor::drive(TimePoint) {
  return false;
}

LoopExecutor::LoopExecutor() : impl_(std::make_shared<Impl>()) {}

LoopExecutor::~LoopExecutor() {
  shut_down();
}

void LoopExecutor::shut_down() {
  std::deque<Task> dropped_ready;
  detail::TimerHeap dropped_timers;
  std::map<std::uint64_t, Impl::Watched> dropped_watched;
  const std::lock_guard lock(impl_->mutex);
  impl_->stopping = true;
  dropped_ready.swap(impl_->ready);
  std::swap(dropped_timers, impl_->timers);
  dropped_watched.swap(impl_->watched);
  for (const auto& [id, watched] : dropped_watched) epoll_ctl(impl_->epoll.get(), EPOLL_CTL_DEL, watched.fd, nullptr);
  // What goes here, after the lock, may still post: such tasks are dropped too.
}

int LoopExecutor::fd() const noexcept {
  return impl_->epoll.get();
}

std::size_t LoopExecutor::run_ready() {
  const Impl::Inside inside(impl_);
  return inside->turn();
}

std::optional<TimePoint> LoopExecutor::next_due() const {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->ready.empty()) return TimePoint::min();
  return impl_->timers.next();
}

bool LoopExecutor::drive(TimePoint until) {
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->stopping) return false;
  }
  if (impl_->in_watch || impl_->depth.load() >= kDeepest) return false;
  const Impl::Inside inside(impl_);
  if (inside->turn() > 0) return true;
  inside->sleep(until);
  inside->turn();
  return true;
}

bool LoopExecutor::run_until(const std::function<bool()>& done, const std::stop_token& stop,
                             std::optional<Duration> timeout) {
  const TimePoint until = detail::after(clock().now(), timeout.value_or(Duration::max()));
  const std::stop_callback on_stop(stop, [this]() noexcept {
    try {
      post([] {});
    } catch (...) {
      report_error(current_exception_as_error(), "loop");
    }
  });
  while (!done()) {
    if (stop.stop_requested() || clock().now() >= until || !drive(until)) return false;
  }
  return true;
}

std::shared_ptr<void> LoopExecutor::watch(int fd, std::function<void()> on_ready) {
  if (!on_ready) throw std::logic_error("LoopExecutor: nothing is to be called");
  struct Handle {
    std::weak_ptr<Impl> impl;
    std::uint64_t id = 0;
    Handle() = default;
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
      if (const auto alive = impl.lock()) alive->forget(id);
    }
  };
  auto handle = std::make_shared<Handle>();
  auto shared = std::make_shared<std::function<void()>>(std::move(on_ready));
  const std::lock_guard lock(impl_->mutex);
  if (impl_->stopping) return handle;
  const std::uint64_t id = ++impl_->last_watch;
  impl_->watched.emplace(id, Impl::Watched{fd, std::move(shared)});
  try {
    impl_->add(fd, id);
  } catch (...) {
    impl_->watched.erase(id);
    throw;
  }
  handle->id = id;
  handle->impl = impl_;
  return handle;
}

void LoopExecutor::post(Task task) {
  if (!task) throw std::logic_error("LoopExecutor: an empty task was posted");
  const std::lock_guard lock(impl_->mutex);
  if (impl_->stopping) return;  // the task goes with the parameter, after the lock
  impl_->ready.push_back(std::move(task));
  impl_->signal_locked();
}

Timer LoopExecutor::post_after(Duration delay, Task task) {
  if (!task) throw std::logic_error("LoopExecutor: an empty task was posted");
  auto [timer, run] = Timer::wrap(std::move(task));
  if (delay <= Duration::zero()) {
    post(std::move(run));
    return timer;
  }
  const TimePoint when = detail::after(clock().now(), delay);
  const std::lock_guard lock(impl_->mutex);
  if (impl_->stopping) return timer;  // `run` was declared before the lock and releases the task after it
  if (impl_->timers.push(when, timer, std::move(run)) && !impl_->awake) impl_->arm_locked(when);
  return timer;
}

const Clock& LoopExecutor::clock() const {
  return Clock::system();
}

bool LoopExecutor::runs_only_here() const noexcept {
  return impl_->owner.load() == std::this_thread::get_id();
}

}  // namespace kubexx
