#include "kubexx/base/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

namespace kubexx {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(MetricsTest, ExposesCountersAndGaugesWithHelpTypeAndSortedLabels) {
  MetricsRegistry registry;
  Counter lists = registry.counter("kubexx_lists_total", "Lists made.", {{"resource", "pods"}, {"group", ""}});
  Gauge depth = registry.gauge("kubexx_depth", "Queue depth.");
  lists.add();
  lists.add(2);
  depth.set(7);
  depth.add(-2.5);

  EXPECT_EQ(registry.expose(),
            "# HELP kubexx_depth Queue depth.\n"
            "# TYPE kubexx_depth gauge\n"
            "kubexx_depth 4.5\n"
            "# HELP kubexx_lists_total Lists made.\n"
            "# TYPE kubexx_lists_total counter\n"
            "kubexx_lists_total{group=\"\",resource=\"pods\"} 3\n");
}

TEST(MetricsTest, ExposesHistogramsWithCumulativeBuckets) {
  MetricsRegistry registry;
  Histogram seconds = registry.histogram("wait_seconds", "Waits.", {{"queue", "q"}}, {0.1, 1, 10});
  for (double v : {0.05, 0.1, 0.5, 100.0}) seconds.observe(v);

  EXPECT_EQ(registry.expose(),
            "# HELP wait_seconds Waits.\n"
            "# TYPE wait_seconds histogram\n"
            "wait_seconds_bucket{queue=\"q\",le=\"0.1\"} 2\n"
            "wait_seconds_bucket{queue=\"q\",le=\"1\"} 3\n"
            "wait_seconds_bucket{queue=\"q\",le=\"10\"} 3\n"
            "wait_seconds_bucket{queue=\"q\",le=\"+Inf\"} 4\n"
            "wait_seconds_sum{queue=\"q\"} 100.65\n"
            "wait_seconds_count{queue=\"q\"} 4\n");
  EXPECT_EQ(seconds.count(), 4U);
  EXPECT_DOUBLE_EQ(seconds.sum(), 100.65);
}

TEST(MetricsTest, EmptyBoundsMeanLatencies) {
  MetricsRegistry registry;
  Histogram seconds = registry.histogram("wait_seconds", "Waits.");

  EXPECT_THAT(registry.expose(), HasSubstr("le=\"0.001\""));
  EXPECT_THAT(registry.expose(), HasSubstr("le=\"60\""));
}

TEST(MetricsTest, LabelValuesAndHelpAreEscaped) {
  MetricsRegistry registry;
  Counter c = registry.counter("c", "a \\ \"b\"\nc", {{"l", "x\"y\\z\nw"}, {"bad", "\xff\xc3\xa9\xed\xa0\x80"}});

  EXPECT_EQ(registry.expose(),
            "# HELP c a \\\\ \"b\"\\nc\n"
            "# TYPE c counter\n"
            "c{bad=\"?\xc3\xa9???\",l=\"x\\\"y\\\\z\\nw\"} 0\n");
}

TEST(MetricsTest, ExtremeNumbersKeepTheirMeaning) {
  MetricsRegistry registry;
  Gauge g = registry.gauge("g", "G");

  g.set(std::numeric_limits<double>::infinity());
  EXPECT_THAT(registry.expose(), HasSubstr("g +Inf\n"));
  g.set(-std::numeric_limits<double>::infinity());
  EXPECT_THAT(registry.expose(), HasSubstr("g -Inf\n"));
  g.set(std::nan(""));
  EXPECT_THAT(registry.expose(), HasSubstr("g NaN\n"));
  g.set(1e300);
  EXPECT_THAT(registry.expose(), HasSubstr("g 1e+300\n"));
  g.set(123456789012);
  EXPECT_THAT(registry.expose(), HasSubstr("g 123456789012\n"));
}

TEST(MetricsTest, HandlesOfOneLabelSetShareTheSeriesInAnyLabelOrder) {
  MetricsRegistry registry;
  Counter a = registry.counter("c", "C", {{"x", "1"}, {"y", "2"}});
  Counter b = registry.counter("c", "C", {{"y", "2"}, {"x", "1"}});

  a.add();
  b.add();

  EXPECT_EQ(a.value(), 2);
}

TEST(MetricsTest, ASeriesLeavesWithItsLastHandle) {
  MetricsRegistry registry;
  Counter kept = registry.counter("c", "C", {{"n", "kept"}});
  {
    Counter first = registry.counter("c", "C", {{"n", "gone"}});
    Counter copy = first;
    first = Counter();
    EXPECT_THAT(registry.expose(), HasSubstr("gone"));
  }

  EXPECT_THAT(registry.expose(), Not(HasSubstr("gone")));
  EXPECT_THAT(registry.expose(), HasSubstr("kept"));
  kept = Counter();
  EXPECT_EQ(registry.expose(), "");
}

TEST(MetricsTest, LabelSetsBeyondTheLimitShareOneSeries) {
  MetricsRegistry registry(2);
  std::vector<Counter> counters;

  for (int i = 0; i < 10; ++i) {
    counters.push_back(registry.counter("c", "C", {{"user", "u" + std::to_string(i)}}));
    counters.back().add();
  }

  EXPECT_EQ(registry.expose(),
            "# HELP c C\n# TYPE c counter\n"
            "c{user=\"other\"} 8\nc{user=\"u0\"} 1\nc{user=\"u1\"} 1\n");
}

TEST(MetricsTest, ALeavingSeriesMakesRoomForAnother) {
  MetricsRegistry registry(1);
  Counter a = registry.counter("c", "C", {{"user", "a"}});
  a = Counter();

  Counter b = registry.counter("c", "C", {{"user", "b"}});

  EXPECT_THAT(registry.expose(), HasSubstr("user=\"b\""));
}

TEST(MetricsTest, AGaugeFunctionIsAskedAtExposition) {
  MetricsRegistry registry;
  double depth = 1;
  Gauge gauge = registry.gauge_function("depth", "D", {}, [&] { return depth; });

  depth = 5;

  EXPECT_THAT(registry.expose(), HasSubstr("depth 5\n"));
  EXPECT_EQ(gauge.value(), 5);
}

TEST(MetricsTest, FunctionsOfOneLabelSetAddUpAndLeaveOneByOne) {
  MetricsRegistry registry;
  Gauge plain = registry.gauge("depth", "D");
  plain.set(100);
  Gauge a = registry.gauge_function("depth", "D", {}, [] { return 1.0; });
  Gauge b = registry.gauge_function("depth", "D", {}, [] { return 10.0; });
  registry.gauge("depth", "D").add(1);
  EXPECT_THAT(registry.expose(), HasSubstr("depth 112\n"));

  a = Gauge();

  EXPECT_THAT(registry.expose(), HasSubstr("depth 111\n"));
}

TEST(MetricsTest, AFunctionMayUseTheRegistryOrThrow) {
  MetricsRegistry registry;
  Gauge nested = registry.gauge_function("a", "A", {}, [&] { return registry.counter("n", "N").value(); });
  Gauge throwing = registry.gauge_function("b", "B", {}, []() -> double { throw std::runtime_error("x"); });

  EXPECT_THAT(registry.expose(), HasSubstr("b NaN\n"));
}

TEST(MetricsTest, MisuseIsALogicError) {
  MetricsRegistry registry;
  Counter counter = registry.counter("c", "C");
  Histogram histogram = registry.histogram("h", "H", {}, {1, 2});

  EXPECT_THROW(registry.counter("", "x"), std::logic_error);
  EXPECT_THROW(registry.counter("1c", "x"), std::logic_error);
  EXPECT_THROW(registry.counter("a-b", "x"), std::logic_error);
  EXPECT_THROW(registry.counter("d", "x", {{"a:b", "v"}}), std::logic_error);
  EXPECT_THROW(registry.counter("d", "x", {{"__name__", "v"}}), std::logic_error);
  EXPECT_THROW(registry.counter("d", "x", {{"a", "1"}, {"a", "2"}}), std::logic_error);
  EXPECT_THROW(registry.gauge("c", "x"), std::logic_error);
  EXPECT_THROW(registry.histogram("h", "H", {}, {1, 3}), std::logic_error);
  EXPECT_THROW(registry.histogram("h2", "H", {}, {2, 1}), std::logic_error);
  EXPECT_THROW(registry.histogram("h2", "H", {{"le", "1"}}), std::logic_error);
  EXPECT_THROW(registry.gauge_function("g", "G", {}, nullptr), std::logic_error);
  EXPECT_NO_THROW(registry.counter("ok:name_1", "x", {{"_a1", "v"}}));
}

TEST(MetricsTest, ACounterOnlyGrowsAndAHistogramIgnoresWhatIsNotANumber) {
  MetricsRegistry registry;
  Counter counter = registry.counter("c", "C");
  Histogram histogram = registry.histogram("h", "H");
  counter.add(2);

  counter.add(-1);
  counter.add(std::nan(""));
  histogram.observe(std::nan(""));

  EXPECT_EQ(counter.value(), 2);
  EXPECT_EQ(histogram.count(), 0U);
}

TEST(MetricsTest, DefaultHandlesDoNothing) {
  Counter().add();
  Gauge().set(1);
  Gauge().add(1);
  Histogram().observe(1);

  EXPECT_EQ(Counter().value(), 0);
  EXPECT_EQ(Gauge().value(), 0);
  EXPECT_EQ(Histogram().count(), 0U);
}

TEST(MetricsTest, HandlesOutliveTheRegistry) {
  Counter counter;
  {
    MetricsRegistry registry;
    counter = registry.counter("c", "C");
  }

  counter.add();

  EXPECT_EQ(counter.value(), 1);
}

TEST(MetricsTest, ManyThreadsCountExactlyWhileSeriesComeAndGo) {
  constexpr int kThreads = 4;
  constexpr int kEach = 5000;
  MetricsRegistry registry;
  Counter total = registry.counter("total", "T");
  Histogram histogram = registry.histogram("h", "H");

  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kEach; ++i) {
          total.add();
          histogram.observe(0.5);
          Gauge passing = registry.gauge("passing", "P", {{"n", std::to_string(i % 3)}});
          passing.set(i);
        }
      });
    }
    for (int i = 0; i < 50; ++i) EXPECT_THAT(registry.expose(), HasSubstr("total "));
  }

  EXPECT_EQ(total.value(), kThreads * kEach);
  EXPECT_EQ(histogram.count(), static_cast<std::uint64_t>(kThreads * kEach));
  EXPECT_THAT(registry.expose(), Not(HasSubstr("passing")));
}

}  // namespace
}  // namespace kubexx
