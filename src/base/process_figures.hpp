#pragma once

#include <array>

#include "kubexx/base/metrics.hpp"

namespace kubexx::detail {

/// A figure of this process under the name that Prometheus' own libraries give it. One that the system does not tell is
/// NaN.
struct ProcessFigure {
  const char* name;
  const char* help;
  MetricType type;
  double (*read)();
};

extern const std::array<ProcessFigure, 7> kProcessFigures;

}  // namespace kubexx::detail
