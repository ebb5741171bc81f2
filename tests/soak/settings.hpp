#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::soak {

struct Settings {
  Duration length = std::chrono::minutes(1);
  std::uint64_t seed = 0;
  bool verbose = false;  ///< the library's log lines on standard error
};

/// Of "--minutes 5 --seed 7" (also --seconds N, --verbose). Without a seed: a fresh one. An Error says what is wrong
/// and how it is meant.
Result<Settings> parse_settings(const std::vector<std::string>& words);

/// Everything takes this many times as long under a sanitizer.
constexpr int kSlowness =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    4;
#else
    1;
#endif

}  // namespace kubexx::soak
