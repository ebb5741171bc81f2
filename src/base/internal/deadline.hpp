#pragma once

#include "kubexx/base/clock.hpp"

namespace kubexx::detail {

/// `now + delay` without running over the end of time.
inline TimePoint after(TimePoint now, Duration delay) {
  return delay >= TimePoint::max() - now ? TimePoint::max() : now + delay;
}

}  // namespace kubexx::detail
