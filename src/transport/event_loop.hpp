#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/function.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::transport {

/// Descriptors, timers and tasks of one thread.
///
/// Threads: post from any thread; everything else from the thread inside run, or before it.
class EventLoop {
 public:
  using TimerId = std::pair<TimePoint, std::uint64_t>;
  using Ready = std::function<void(std::uint32_t epoll_events)>;

  static Result<std::unique_ptr<EventLoop>> create();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void watch(int fd, std::uint32_t epoll_events, Ready ready);
  void change(int fd, std::uint32_t epoll_events);
  void forget(int fd);

  TimePoint now() const { return clock_->now(); }
  TimerId at(TimePoint when, Task task);
  void cancel(const TimerId& timer);
  void defer(Task task) { deferred_.push_back(std::move(task)); }  ///< runs in the next turn, without waiting

  void post(Task task);
  void run(const std::stop_token& stop);
  bool run_posted();  ///< false if there was nothing to run

 private:
  EventLoop(int epoll, int wakeup) : epoll_(epoll), wakeup_(wakeup) {}
  void wait();
  void run_due();
  void wake() const noexcept;

  struct Watched {
    std::uint64_t serial;
    std::shared_ptr<Ready> ready;
  };
  const Clock* clock_ = &Clock::system();
  const int epoll_;
  const int wakeup_;
  std::uint64_t serial_ = 0;
  std::unordered_map<int, Watched> watched_;
  std::map<TimerId, Task> timers_;
  std::vector<Task> deferred_;

  std::mutex mutex_;
  std::vector<Task> posted_;  // guarded by mutex_
};

}  // namespace kubexx::transport
