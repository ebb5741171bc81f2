#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tour_world.hpp"

namespace kubexx::app {

/// One thing that happens to a cluster, and what informers make of it.
struct TourStep {
  std::string_view title;
  std::string_view text;  ///< what will happen, in two or three lines
  Result<void> (*act)(TourWorld& world);
  /// Whether what the text promises is to be seen.
  bool (*reached)(const TourWorld& world, const Picture& now);
  /// What was seen, in a line.
  std::string (*seen)(const TourWorld& world, const Picture& now);
};

std::span<const TourStep> tour_steps();

}  // namespace kubexx::app
