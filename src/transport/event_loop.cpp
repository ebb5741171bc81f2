#include "transport/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <system_error>

#include "base/internal/alarm.hpp"
#include "base/internal/insist.hpp"

namespace kubexx::transport {
namespace {

/// Of several steps that all have to be made: the first exception, once all were.
class FirstFailure {
 public:
  template <class Step>
  void of(Step&& step) {
    try {
      step();
    } catch (...) {
      if (!first_) first_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

}  // namespace

Result<std::unique_ptr<EventLoop>> EventLoop::create(bool threadless) {
  Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  Descriptor wakeup(epoll.get() < 0 ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const bool alarmed = threadless && wakeup.get() >= 0;
  Descriptor alarm(alarmed ? timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK) : -1);
  int failed = wakeup.get() < 0 || (alarmed && alarm.get() < 0) ? errno : 0;
  std::unique_ptr<EventLoop> loop(new EventLoop(std::move(epoll), std::move(wakeup), std::move(alarm)));
  for (const int own : {loop->wakeup_.get(), loop->alarm_.get()}) {
    if (failed != 0 || own < 0) break;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = static_cast<std::uint32_t>(own);
    if (epoll_ctl(loop->epoll_.get(), EPOLL_CTL_ADD, own, &event) != 0) failed = errno;
  }
  if (failed != 0) return Error::config("event loop: " + std::generic_category().message(failed));
  return loop;
}

void EventLoop::watch(int fd, std::uint32_t epoll_events, Ready ready) {
  // The serial tells an event of this descriptor from one of an earlier descriptor with the same number.
  std::uint64_t serial = ++serial_ & 0xffffffff;
  insist([&] {
    auto kept = std::make_shared<Ready>();
    watched_[fd] = Watched{serial, kept};
    kept->swap(ready);
  });
  epoll_event event{};
  event.events = epoll_events;
  event.data.u64 = serial << 32 | static_cast<std::uint32_t>(fd);
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::change(int fd, std::uint32_t epoll_events) {
  auto found = watched_.find(fd);
  if (found == watched_.end()) return;
  epoll_event event{};
  event.events = epoll_events;
  event.data.u64 = found->second.serial << 32 | static_cast<std::uint32_t>(fd);
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::forget(int fd) {
  if (watched_.erase(fd) != 0) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

EventLoop::TimerId EventLoop::at(TimePoint when, Task task) {
  TimerId id{when, ++serial_};
  insist([&] { timers_.emplace(id, std::move(task)); });  // moves it when it has the room
  return id;
}

void EventLoop::cancel(const TimerId& timer) {
  timers_.erase(timer);
}

void EventLoop::defer(Task task) {
  insist([&] { deferred_.push_back(std::move(task)); });
}

void EventLoop::post(Task task) {
  bool first = false;
  insist([&] {
    std::lock_guard lock(mutex_);
    first = posted_.empty();
    posted_.push_back(std::move(task));
  });
  if (first) wake();
}

void EventLoop::wake() const noexcept {
  std::uint64_t one = 1;
  [[maybe_unused]] auto written = write(wakeup_.get(), &one, sizeof one);
}

void EventLoop::run(const std::stop_token& stop) {
  std::stop_callback on_stop(stop, [this]() noexcept { wake(); });
  while (!stop.stop_requested()) {
    turn(timeout());
  }
}

void EventLoop::turn() {
  turn(0);
}

/// Whoever throws, for want of memory, is not to cost others their turn: they were told of it, and would wait for ever.
void EventLoop::turn(int timeout) {
  FirstFailure failure;
  failure.of([&] { handle_events(timeout); });
  failure.of([&] { run_due(); });
  failure.of([&] { run_posted(); });
  failure.rethrow();
}

std::optional<TimePoint> EventLoop::deadline() const {
  if (!deferred_.empty()) return TimePoint::min();
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first.first;
}

void EventLoop::arm() noexcept {
  const TimePoint when = deadline().value_or(TimePoint::max());
  if (when != std::exchange(armed_, when)) set_alarm(alarm_.get(), when);
}

int EventLoop::timeout() const {
  const auto when = deadline();
  if (!when) return -1;
  if (*when == TimePoint::min()) return 0;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*when - now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

void EventLoop::handle_events(int timeout) {
  epoll_event events[64];
  int count = epoll_wait(fd(), events, 64, timeout);
  for (int i = 0; i < count; ++i) {
    int from = static_cast<int>(events[i].data.u64 & 0xffffffff);
    if (from == wakeup_.get() || from == alarm_.get()) {
      std::uint64_t drained = 0;
      [[maybe_unused]] auto bytes = read(from, &drained, sizeof drained);
      if (from == alarm_.get()) armed_ = TimePoint::max();
      continue;
    }
    auto found = watched_.find(from);
    if (found == watched_.end() || found->second.serial != events[i].data.u64 >> 32) continue;
    auto ready = found->second.ready;  // it may forget itself
    (*ready)(events[i].events);
  }
}

void EventLoop::run_due() {
  std::vector<Task> deferred;
  deferred.swap(deferred_);
  FirstFailure failure;
  for (auto& task : deferred) failure.of(task);
  const TimePoint limit = timers_.empty() ? TimePoint::min() : now();
  while (!timers_.empty() && timers_.begin()->first.first <= limit) {
    auto node = timers_.extract(timers_.begin());
    failure.of(node.mapped());
  }
  failure.rethrow();
}

bool EventLoop::run_posted() {
  std::vector<Task> posted;
  {
    std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  FirstFailure failure;
  for (auto& task : posted) failure.of(task);
  failure.rethrow();
  return !posted.empty();
}

}  // namespace kubexx::transport
