#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lacks/scenarios.hpp"

namespace kubexx::lacks {

/// One run of a scenario: which request is refused first, and how many are.
struct Case {
  const Scenario* scenario = nullptr;
  Wire wire = Wire::LoopHttp1;
  Kind kind = Kind::New;
  std::uint64_t first = 0;  ///< 0: none, to count them
  std::uint64_t length = 1;
  std::string text() const;  ///< as KUBEXX_LACKS takes it
};

struct Ended {
  Case what;
  std::uint64_t counted = 0;
  std::string failure;  ///< empty: all is well
};

/// Each in a process of its own, a few at the same time. One that takes too long is killed.
std::vector<Ended> run(const std::vector<Case>& cases);

/// What a variable of the environment says; nothing when it is not set.
std::vector<Case> cases_of(const std::string& text);

}  // namespace kubexx::lacks
