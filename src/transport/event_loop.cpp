#include "transport/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/internal/alarm.hpp"

namespace kubexx::transport {

Result<std::unique_ptr<EventLoop>> EventLoop::create(bool threadless) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  const int wakeup = epoll < 0 ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const bool alarmed = threadless && wakeup >= 0;
  const int alarm = alarmed ? timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK) : -1;
  int failed = wakeup < 0 || (alarmed && alarm < 0) ? errno : 0;
  std::unique_ptr<EventLoop> loop(new EventLoop(epoll, wakeup, alarm));
  for (const int own : {wakeup, alarm}) {
    if (failed != 0 || own < 0) break;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = static_cast<std::uint32_t>(own);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, own, &event) != 0) failed = errno;
  }
  if (failed != 0) return Error::config("event loop: " + std::generic_category().message(failed));
  return loop;
}

void EventLoop::watch(int fd, std::uint32_t epoll_events, Ready ready) {
  // The serial tells an event of this descriptor from one of an earlier descriptor with the same number.
  std::uint64_t serial = ++serial_ & 0xffffffff;
  watched_[fd] = Watched{serial, std::make_shared<Ready>(std::move(ready))};
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
  timers_.emplace(id, std::move(task));
  return id;
}

void EventLoop::cancel(const TimerId& timer) {
  timers_.erase(timer);
}

void EventLoop::post(Task task) {
  bool first = false;
  {
    std::lock_guard lock(mutex_);
    first = posted_.empty();
    posted_.push_back(std::move(task));
  }
  if (first) wake();
}

void EventLoop::wake() const noexcept {
  std::uint64_t one = 1;
  [[maybe_unused]] auto written = write(wakeup_.get(), &one, sizeof one);
}

void EventLoop::run(const std::stop_token& stop) {
  std::stop_callback on_stop(stop, [this]() noexcept { wake(); });
  while (!stop.stop_requested()) {
    handle_events(timeout());
    run_due();
    run_posted();
  }
}

void EventLoop::turn() {
  handle_events(0);
  run_due();
  run_posted();
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
  for (auto& task : deferred) task();
  if (timers_.empty()) return;
  for (TimePoint limit = now(); !timers_.empty() && timers_.begin()->first.first <= limit;) {
    auto node = timers_.extract(timers_.begin());
    node.mapped()();
  }
}

bool EventLoop::run_posted() {
  std::vector<Task> posted;
  {
    std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  for (auto& task : posted) task();
  return !posted.empty();
}

}  // namespace kubexx::transport
