#pragma once

#include <chrono>
#include <functional>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/stop.hpp"

namespace kubexx {

/// Asks until it holds, for twenty seconds at most.
inline bool eventually(const std::function<bool()>& holds) {
  const std::stop_source never;
  const auto until = Clock::system().now() + std::chrono::seconds(20);
  while (Clock::system().now() < until) {
    if (holds()) return true;
    wait_for_stop(never.get_token(), std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace kubexx
