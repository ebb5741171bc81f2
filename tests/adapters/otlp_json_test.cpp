#include "kubexx/adapters/otlp_json.hpp"

#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"

namespace kubexx::adapters {
namespace {

TEST(OtlpJsonTest, CountersGaugesAndHistogramsAreWhatACollectorExpects) {
  MetricsRegistry registry;
  const Counter lists = registry.counter("lists_total", "Lists \"made\"\n", {{"resource", "pods"}});
  const Gauge depth = registry.gauge("depth", "Depth");
  const Histogram seconds = registry.histogram("seconds", "Seconds", {}, {1, 10});
  lists.add(2);
  depth.set(-1.5);
  for (const double value : {0.5, 5.0, 6.0, 50.0}) seconds.observe(value);

  const auto parsed = meta::parse_json(otlp_json(registry, "my-controller", FakeClock()));

  ASSERT_TRUE(parsed) << parsed.error();
  const auto resource = (*parsed)["resourceMetrics"][0];
  EXPECT_EQ(resource["resource"]["attributes"][0]["value"]["stringValue"].string(), "my-controller");
  const auto metrics = resource["scopeMetrics"][0]["metrics"];
  ASSERT_EQ(metrics.size(), 3U);
  const auto gauge = metrics[0];
  EXPECT_EQ(gauge["name"].string(), "depth");
  EXPECT_EQ(gauge["gauge"]["dataPoints"][0]["asDouble"].double_or(0), -1.5);
  const auto counter = metrics[1];
  EXPECT_EQ(counter["description"].string(), "Lists \"made\"\n");
  EXPECT_TRUE(counter["sum"]["isMonotonic"].bool_or(false));
  const auto counted = counter["sum"]["dataPoints"][0];
  EXPECT_EQ(counted["asDouble"].double_or(0), 2);
  EXPECT_EQ(counted["timeUnixNano"].string(), "1700000000000000000");
  EXPECT_EQ(counted["attributes"][0]["key"].string(), "resource");
  EXPECT_EQ(counted["attributes"][0]["value"]["stringValue"].string(), "pods");
  const auto histogram = metrics[2]["histogram"]["dataPoints"][0];
  EXPECT_EQ(histogram["count"].string(), "4");
  EXPECT_EQ(histogram["sum"].double_or(0), 61.5);
  ASSERT_EQ(histogram["bucketCounts"].size(), 3U);
  EXPECT_EQ(histogram["bucketCounts"][1].string(), "2");
  ASSERT_EQ(histogram["explicitBounds"].size(), 2U);
  EXPECT_EQ(histogram["explicitBounds"][1].double_or(0), 10);
}

}  // namespace
}  // namespace kubexx::adapters
