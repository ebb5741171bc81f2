#pragma once

#include <string>
#include <string_view>

#include "kubexx/base/metrics.hpp"

// The Prometheus text format, version 0.0.4.
namespace kubexx::detail {

bool valid_metric_name(std::string_view name) noexcept;
bool valid_label_name(std::string_view name) noexcept;  ///< names that start with __ are Prometheus' own

/// The text with '?' for each byte that is not UTF-8: one bad value spoils a whole scrape.
std::string valid_utf8(std::string_view text);
/// `a="x",b="y"`, escaped.
std::string label_text(const MetricLabels& labels);

void append_family(std::string& out, const MetricFamily& family);

}  // namespace kubexx::detail
