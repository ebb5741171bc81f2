#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "lacks/world.hpp"

namespace kubexx::lacks {

/// A stretch of a program's life in which something is refused. `run` does what comes before without being counted,
/// calls `armed`, and throws a Violation when something is not as it must be.
struct Scenario {
  std::string_view name;
  void (*run)(Wire wire, const std::function<void()>& armed);
};
std::span<const Scenario> scenarios();

}  // namespace kubexx::lacks
