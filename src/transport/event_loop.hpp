#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/internal/descriptor.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/base/function.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::transport {

/// Descriptors, timers and tasks of one thread: one inside run(), or one that calls turn() whenever fd() is readable.
///
/// Threads: post from any thread; everything else from that thread, or before it begins.
class EventLoop {
 public:
  using TimerId = std::pair<TimePoint, std::uint64_t>;
  using Ready = std::function<void(std::uint32_t epoll_events)>;

  static Result<std::unique_ptr<EventLoop>> create(bool threadless = false);
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void watch(int fd, std::uint32_t epoll_events, Ready ready);
  void change(int fd, std::uint32_t epoll_events);
  void forget(int fd);

  TimePoint now() const { return clock_->now(); }
  TimerId at(TimePoint when, Task task);
  void cancel(const TimerId& timer);
  void defer(Task task);  ///< runs in the next turn, without waiting

  void post(Task task);
  void run(const std::stop_token& stop);
  bool run_posted();  ///< false if there was nothing to run

  int fd() const noexcept { return epoll_.get(); }
  void turn();                                ///< what is ready, without waiting
  std::optional<TimePoint> deadline() const;  ///< when to call turn() at the latest
  void arm() noexcept;                        ///< makes fd() readable then; after each turn

 private:
  EventLoop(Descriptor epoll, Descriptor wakeup, Descriptor alarm)
      : epoll_(std::move(epoll)), wakeup_(std::move(wakeup)), alarm_(std::move(alarm)) {}
  int timeout() const;
  void turn(int timeout);
  void handle_events(int timeout);
  void run_due();
  void wake() const noexcept;

  struct Watched {
    std::uint64_t serial;
    std::shared_ptr<Ready> ready;
  };
  const Clock* clock_ = &Clock::system();
  const Descriptor epoll_;
  const Descriptor wakeup_;
  const Descriptor alarm_;  // of a threadless one
  TimePoint armed_ = TimePoint::max();
  std::uint64_t serial_ = 0;
  std::unordered_map<int, Watched> watched_;
  std::map<TimerId, Task> timers_;
  std::vector<Task> deferred_;

  std::mutex mutex_;
  std::vector<Task> posted_;  // guarded by mutex_
};

}  // namespace kubexx::transport
