#pragma once

#include <mutex>

#include "kubexx/base/clock.hpp"

namespace kubexx::rest {

/// A token bucket: `qps` requests a second on average, `burst` at once.
class RateLimiter {
 public:
  RateLimiter(double qps, int burst, const Clock& clock)
      : qps_(qps), burst_(burst), tokens_(burst), clock_(clock), last_(clock.now()) {}
  /// Takes a token, in advance if need be; how long its taker has to wait.
  Duration reserve() {
    const std::lock_guard lock(mutex_);
    const auto now = clock_.now();
    tokens_ = std::min<double>(burst_, tokens_ + std::chrono::duration<double>(now - last_).count() * qps_);
    last_ = now;
    tokens_ -= 1;
    if (tokens_ >= 0) return Duration::zero();
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(-tokens_ / qps_));
  }

 private:
  const double qps_;
  const double burst_;
  std::mutex mutex_;
  double tokens_;  // guarded by mutex_; negative: promised
  const Clock& clock_;
  TimePoint last_;  // guarded by mutex_
};

}  // namespace kubexx::rest
