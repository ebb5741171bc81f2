#pragma once

#include <chrono>
#include <string>

#include "kubexx/base/clock.hpp"

namespace kubexx {

/// For people: "10 s", "250 ms".
inline std::string duration_text(Duration duration) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  if (milliseconds % 1000 != 0) return std::to_string(milliseconds) + " ms";
  return std::to_string(milliseconds / 1000) + " s";
}

}  // namespace kubexx
