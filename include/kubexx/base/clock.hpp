#pragma once

#include <chrono>
#include <mutex>

#include "kubexx/base/export.hpp"

namespace kubexx {

/// Spans and points of time: of a clock that only goes forward, and of the calendar.
using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// The time. Timers go through Executor::post_after, so whoever replaces the clock replaces the timers with it.
///
/// Threads: safe from any thread, and so is an implementation of one's own.
/// Errors: none; FakeClock refuses to go back, with std::logic_error.
/// Example:
///
///     const TimePoint began = Clock::system().now();
///     work();
///     const Duration took = Clock::system().now() - began;
class KUBEXX_EXPORT Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;  ///< monotonic; for durations and deadlines
  virtual WallTime wall() const = 0;  ///< calendar time; for timestamps that leave the process

  /// The machine's clock. Lives as long as the process.
  static const Clock& system() noexcept;
};

/// A clock that stands still until told. Thread-safe. Moving it fires no timer: ManualExecutor::advance does both.
class KUBEXX_EXPORT FakeClock final : public Clock {
 public:
  explicit FakeClock(WallTime wall = WallTime(std::chrono::seconds(1'700'000'000)));
  TimePoint now() const override;
  WallTime wall() const override;
  void advance(Duration by);     ///< std::logic_error for a negative one
  void set_wall(WallTime wall);  ///< a jump of the calendar alone, as an administrator or NTP makes one

 private:
  mutable std::mutex mutex_;
  TimePoint now_{std::chrono::hours(1)};  // guarded by mutex_
  WallTime wall_;                         // guarded by mutex_
};

}  // namespace kubexx
