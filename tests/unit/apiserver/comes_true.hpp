#pragma once

#include <poll.h>

#include <chrono>

#include "kubexx/base/clock.hpp"

namespace kubexx::apiserver {

/// Asks again until it is so; false when a minute passed before. A number of tries would be no measure: how long one
/// takes says nothing of a thread that waits for its turn.
template <class Condition>
bool comes_true(Condition condition) {
  const TimePoint end = Clock::system().now() + std::chrono::minutes(1);
  while (!condition()) {
    if (Clock::system().now() >= end) return false;
    ::poll(nullptr, 0, 1);
  }
  return true;
}

}  // namespace kubexx::apiserver
