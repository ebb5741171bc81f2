#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/internal/alarm.hpp"
#include "base/internal/burst_queue.hpp"
#include "base/internal/descriptor.hpp"
#include "base/timer_heap.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/loop_executor.hpp"

namespace kubexx {

inline int usable_descriptor(int fd) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "LoopExecutor");
  return fd;
}

// Whether the descriptor is readable follows the queue and the timers, but not at once: while the loop's thread is
// awake it looks at them itself before it goes, so that a task which posts another costs no system call.
struct KUBEXX_HIDDEN LoopExecutor::Impl {
  static constexpr std::size_t kTurn = 64;
  static constexpr std::uint64_t kWakeup = 0;
  static constexpr std::uint64_t kAlarm = 1;

  struct Watched {
    int fd;
    std::shared_ptr<std::function<void()>> on_ready;
  };

  const Descriptor epoll{usable_descriptor(epoll_create1(EPOLL_CLOEXEC))};
  const Descriptor wakeup{usable_descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))};
  const Descriptor alarm{usable_descriptor(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))};
  std::atomic<std::thread::id> owner{std::this_thread::get_id()};
  std::atomic<int> depth{0};  // of the owner's run_ready and drive inside each other
  bool in_watch = false;      // the owner's

  mutable std::mutex mutex;
  BurstQueue<Task> ready;                    // guarded by mutex
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
    usable_descriptor(epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event));
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

  /// What is ready, first of all what is watched. Where nothing is, waits for something, but not beyond `until`.
  std::size_t turn(TimePoint until) {
    std::size_t ran = call_watched(until);
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

  /// How long turn() may wait: in milliseconds of epoll_wait(), 0 while a task is ready or due.
  int patience_locked(TimePoint until) const {
    const TimePoint now = Clock::system().now();
    if (until <= now || !ready.empty()) return 0;
    if (const auto next = timers.next(); next && *next <= now) return 0;
    if (until == TimePoint::max()) return -1;
    constexpr std::int64_t kLongest = 60'000;
    return static_cast<int>(
        std::min<std::int64_t>(std::chrono::ceil<std::chrono::milliseconds>(until - now).count(), kLongest));
  }

  std::size_t call_watched(TimePoint until) {
    int timeout = 0;
    {
      const std::lock_guard lock(mutex);
      if (until != TimePoint::min()) timeout = patience_locked(until);
      if (timeout == 0 && watched.empty()) return 0;
    }
    epoll_event events[16];
    if (timeout != 0) fall_asleep();
    const int count = epoll_wait(epoll.get(), events, 16, timeout);
    if (timeout != 0) wake_up();
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
    return std::min(ready.size(), kTurn);
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

}  // namespace kubexx
