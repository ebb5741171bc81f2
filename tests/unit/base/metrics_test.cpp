#include "kubexx/base/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <thread>

#include "kubexx/base/clock.hpp"

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

TEST(MetricsTest, EveryFamilyIsHandedOverWithLabelsAndValues) {
  MetricsRegistry registry;
  const Counter lists = registry.counter("lists_total", "Lists.", {{"resource", "pods\xff"}, {"group", ""}});
  const Histogram seconds = registry.histogram("wait_seconds", "Waits.", {}, {1, 10});
  lists.add(3);
  for (const double value : {0.5, 5.0, 50.0}) seconds.observe(value);

  std::vector<MetricFamily> families;
  registry.for_each([&](const MetricFamily& family) {
    static_cast<void>(registry.expose());  // nothing is locked
    families.push_back(family);
  });

  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].name, "lists_total");
  EXPECT_EQ(families[0].help, "Lists.");
  EXPECT_EQ(families[0].type, MetricType::Counter);
  ASSERT_EQ(families[0].points.size(), 1U);
  EXPECT_EQ(families[0].points[0].labels, (MetricLabels{{"group", ""}, {"resource", "pods?"}}));
  EXPECT_EQ(families[0].points[0].value, 3);
  EXPECT_EQ(families[1].type, MetricType::Histogram);
  const auto& waits = families[1].points.at(0);
  const auto beyond = std::numeric_limits<double>::infinity();
  EXPECT_EQ(waits.buckets, (std::vector<std::pair<double, std::uint64_t>>{{1, 1}, {10, 2}, {beyond, 3}}));
  EXPECT_EQ(waits.value, 55.5);
}

TEST(MetricsTest, ACountThatIsKeptElsewhereIsReadWhenAskedFor) {
  MetricsRegistry registry;
  double kept = 1;
  const Counter counter = registry.counter_function("kept_total", "K", {}, [&] { return kept; });

  kept = 7;

  EXPECT_THAT(registry.expose(), HasSubstr("# TYPE kept_total counter\nkept_total 7\n"));
}

TEST(MetricsTest, TheFiguresOfTheProcessAreAddedOnceAndAreThoseOfThisProcess) {
  MetricsRegistry registry;
  registry.add_process_figures();
  registry.add_process_figures();

  std::map<std::string, double> figures;
  registry.for_each([&](const MetricFamily& family) { figures[family.name] = family.points.at(0).value; });

  EXPECT_EQ(figures["kubexx_build_info"], 1);
  EXPECT_GT(figures["process_cpu_seconds_total"], 0);
  EXPECT_GT(figures["process_resident_memory_bytes"], 1 << 20);
  EXPECT_GE(figures["process_virtual_memory_bytes"], figures["process_resident_memory_bytes"]);
  EXPECT_GE(figures["process_threads"], 1);
  const int descriptor = dup(0);
  double open_now = 0;
  registry.for_each([&](const MetricFamily& family) {
    if (family.name == "process_open_fds") open_now = family.points.at(0).value;
  });
  close(descriptor);
  EXPECT_EQ(open_now, figures["process_open_fds"] + 1);
  EXPECT_GT(figures["process_max_fds"], open_now);
  const auto now = std::chrono::duration<double>(Clock::system().wall().time_since_epoch()).count();
  EXPECT_LE(figures["process_start_time_seconds"], now + 2);
  EXPECT_GT(figures["process_start_time_seconds"], now - 24 * 3600);
}

TEST(MetricsTest, TheRegistryOfTheProcessHasItsFigures) {
  EXPECT_THAT(MetricsRegistry::process()->expose(), HasSubstr("\nprocess_open_fds "));
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
