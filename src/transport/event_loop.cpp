#include "transport/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace kubexx::transport {

Result<std::unique_ptr<EventLoop>> EventLoop::create() {
  auto failed = [](int code) { return Error::config("event loop: " + std::generic_category().message(code)); };
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return failed(errno);
  int wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<std::uint32_t>(wakeup);
  if (wakeup < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event) != 0) {
    int code = errno;
    if (wakeup >= 0) close(wakeup);
    close(epoll);
    return failed(code);
  }
  return std::unique_ptr<EventLoop>(new EventLoop(epoll, wakeup));
}

EventLoop::~EventLoop() {
  close(wakeup_);
  close(epoll_);
}

void EventLoop::watch(int fd, std::uint32_t epoll_events, Ready ready) {
  // The serial tells an event of this descriptor from one of an earlier descriptor with the same number.
  std::uint64_t serial = ++serial_ & 0xffffffff;
  watched_[fd] = Watched{serial, std::make_shared<Ready>(std::move(ready))};
  epoll_event event{};
  event.events = epoll_events;
  event.data.u64 = serial << 32 | static_cast<std::uint32_t>(fd);
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::change(int fd, std::uint32_t epoll_events) {
  auto found = watched_.find(fd);
  if (found == watched_.end()) return;
  epoll_event event{};
  event.events = epoll_events;
  event.data.u64 = found->second.serial << 32 | static_cast<std::uint32_t>(fd);
  epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::forget(int fd) {
  if (watched_.erase(fd) != 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
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
  [[maybe_unused]] auto written = write(wakeup_, &one, sizeof one);
}

void EventLoop::run(const std::stop_token& stop) {
  std::stop_callback on_stop(stop, [this]() noexcept { wake(); });
  while (!stop.stop_requested()) {
    wait();
    run_due();
    run_posted();
  }
}

void EventLoop::wait() {
  int timeout = -1;
  if (!deferred_.empty()) {
    timeout = 0;
  } else if (!timers_.empty()) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first.first - now()).count();
    timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }
  epoll_event events[64];
  int count = epoll_wait(epoll_, events, 64, timeout);
  for (int i = 0; i < count; ++i) {
    int fd = static_cast<int>(events[i].data.u64 & 0xffffffff);
    if (fd == wakeup_) {
      std::uint64_t drained = 0;
      [[maybe_unused]] auto bytes = read(wakeup_, &drained, sizeof drained);
      continue;
    }
    auto found = watched_.find(fd);
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
