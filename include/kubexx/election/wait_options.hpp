#pragma once

#include <optional>
#include <stop_token>

#include "kubexx/base/clock.hpp"

namespace kubexx::election {

/// How long to wait for something about an election: until the token fires (Canceled), at most so long (Timeout).
struct ElectionWaitOptions {
  std::stop_token stop = {};
  std::optional<Duration> timeout = {};
};

}  // namespace kubexx::election
