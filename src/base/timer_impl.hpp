#pragma once

#include <atomic>

#include "kubexx/base/executor.hpp"

namespace kubexx {

// Whoever moves the phase away from Pending owns the task from then on.
struct KUBEXX_HIDDEN Timer::Impl {
  enum class Phase : std::uint8_t { Pending, Started, Canceled };

  bool leave_pending(Phase next) noexcept {
    Phase expected = Phase::Pending;
    return phase.compare_exchange_strong(expected, next, std::memory_order_acq_rel);
  }

  std::atomic<Phase> phase{Phase::Pending};
  Task task;
  Timer outer;  // the executor's own timer that will start this one; set before the handle is given away
};

}  // namespace kubexx
