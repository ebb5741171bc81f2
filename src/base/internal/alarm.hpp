#pragma once

#include <sys/timerfd.h>

#include "kubexx/base/clock.hpp"

namespace kubexx {

/// Makes a timerfd readable from then on; TimePoint::max(): never.
inline void set_alarm(int timer, TimePoint when) noexcept {
  itimerspec spec{};
  if (when != TimePoint::max()) {
    const TimePoint now = Clock::system().now();
    const Duration left = when > now ? when - now : Duration(1);  // 0 would be never
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    spec.it_value.tv_sec = static_cast<time_t>(seconds.count());
    spec.it_value.tv_nsec = static_cast<long>((left - seconds).count());
  }
  timerfd_settime(timer, 0, &spec, nullptr);
}

}  // namespace kubexx
