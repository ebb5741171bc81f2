#include "kubexx/base/clock.hpp"

#include <stdexcept>

namespace kubexx {

namespace {

class SystemClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall() const override { return std::chrono::system_clock::now(); }
};

}  // namespace

const Clock& Clock::system() noexcept {
  static const SystemClock clock;
  return clock;
}

FakeClock::FakeClock(WallTime wall) : wall_(wall) {}

TimePoint FakeClock::now() const {
  std::lock_guard lock(mutex_);
  return now_;
}

WallTime FakeClock::wall() const {
  std::lock_guard lock(mutex_);
  return wall_;
}

void FakeClock::advance(Duration by) {
  if (by < Duration::zero()) throw std::logic_error("FakeClock: monotonic time does not go back");
  std::lock_guard lock(mutex_);
  now_ += by;
  wall_ += by;
}

void FakeClock::set_wall(WallTime wall) {
  std::lock_guard lock(mutex_);
  wall_ = wall;
}

}  // namespace kubexx
