#include "kubexx/adapters/prometheus_cpp.hpp"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <set>
#include <sstream>
#include <string>

namespace kubexx::adapters {
namespace {

/// The order inside a histogram is free.
std::multiset<std::string> sorted_lines(const std::string& text) {
  std::multiset<std::string> lines;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);) lines.insert(line);
  return lines;
}

TEST(PrometheusCollectableTest, WhatPrometheusCppWritesIsWhatTheRegistryExposes) {
  const auto registry = std::make_shared<MetricsRegistry>();
  const Counter lists = registry->counter("lists_total", "Lists.", {{"resource", "pods"}, {"group", ""}});
  const Gauge depth = registry->gauge("depth", "Depth.");
  const Histogram seconds = registry->histogram("seconds", "Seconds.", {{"queue", "q"}}, {1, 10});
  lists.add(2);
  depth.set(7);
  for (const double value : {0.5, 5.0, 50.0}) seconds.observe(value);

  const auto text = prometheus::TextSerializer().Serialize(PrometheusCollectable(registry).Collect());

  EXPECT_EQ(sorted_lines(text), sorted_lines(registry->expose()));
}

}  // namespace
}  // namespace kubexx::adapters
