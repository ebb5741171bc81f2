#pragma once

#include <string>
#include <string_view>

#include "base/metrics_series.hpp"
#include "kubexx/base/metrics.hpp"

// The Prometheus text format, version 0.0.4.
namespace kubexx::detail {

bool valid_metric_name(std::string_view name) noexcept;
bool valid_label_name(std::string_view name) noexcept;  ///< names that start with __ are Prometheus' own

/// `a="x",b="y"`. Values are escaped; bytes that are not UTF-8 become '?', for one bad value spoils a whole scrape.
std::string label_text(const MetricLabels& labels);

void append_header(std::string& out, std::string_view name, std::string_view help, MetricKind kind);
void append_sample(std::string& out, std::string_view name, std::string_view labels, double value);
void append_histogram(std::string& out, const MetricSeries& series);

}  // namespace kubexx::detail
