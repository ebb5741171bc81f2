#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <memory>
#include <utility>
#include <vector>

#include "kubexx/base/metrics.hpp"

namespace kubexx::adapters {

/// The metrics of a registry for a program that exposes its own with prometheus-cpp.
///
/// Threads: as MetricsRegistry::for_each.
/// Errors: none.
/// Example:
///
///     auto ours = std::make_shared<adapters::PrometheusCollectable>();
///     exposer.RegisterCollectable(ours);  // keeps a weak pointer
class PrometheusCollectable final : public prometheus::Collectable {
 public:
  explicit PrometheusCollectable(std::shared_ptr<const MetricsRegistry> registry = MetricsRegistry::process())
      : registry_(std::move(registry)) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> families;
    registry_->for_each([&](const MetricFamily& family) {
      prometheus::MetricFamily made;
      made.name = family.name;
      made.help = family.help;
      made.type = type_of(family.type);
      for (const MetricPoint& point : family.points) made.metric.push_back(metric_of(family.type, point));
      families.push_back(std::move(made));
    });
    return families;
  }

 private:
  static prometheus::MetricType type_of(MetricType type) noexcept {
    switch (type) {
      case MetricType::Counter:
        return prometheus::MetricType::Counter;
      case MetricType::Gauge:
        return prometheus::MetricType::Gauge;
      case MetricType::Histogram:
        return prometheus::MetricType::Histogram;
    }
    return prometheus::MetricType::Untyped;
  }

  static prometheus::ClientMetric metric_of(MetricType type, const MetricPoint& point) {
    prometheus::ClientMetric metric;
    for (const auto& [name, value] : point.labels) metric.label.push_back({name, value});
    if (type == MetricType::Counter) metric.counter.value = point.value;
    if (type == MetricType::Gauge) metric.gauge.value = point.value;
    if (type == MetricType::Histogram) {
      metric.histogram.sample_sum = point.value;
      for (const auto& [bound, count] : point.buckets) {
        metric.histogram.bucket.push_back({count, bound});
        metric.histogram.sample_count = count;
      }
    }
    return metric;
  }

  const std::shared_ptr<const MetricsRegistry> registry_;
};

}  // namespace kubexx::adapters
