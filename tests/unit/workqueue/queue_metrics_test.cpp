#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "kubexx/base/metrics.hpp"
#include "kubexx/workqueue/rate_limiting_queue.hpp"

namespace kubexx::workqueue {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class QueueMetricsTest : public testing::Test {
 protected:
  std::unique_ptr<DelayingQueue<std::string>> make(const std::string& name) {
    QueueOptions<std::string> options;
    options.name = name;
    options.metrics = registry;
    return std::make_unique<DelayingQueue<std::string>>(executor, std::move(options));
  }

  std::shared_ptr<ManualExecutor> executor = std::make_shared<ManualExecutor>();
  std::shared_ptr<MetricsRegistry> registry = std::make_shared<MetricsRegistry>();
};

// TestMetrics
TEST_F(QueueMetricsTest, FollowAnItemThroughTheQueue) {
  const auto queue = make("test");
  queue->add("foo");
  queue->add("foo");
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_adds_total{name=\"test\"} 1\n"));
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_depth{name=\"test\"} 1\n"));

  executor->advance(250ms);
  queue->try_get();
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_depth{name=\"test\"} 0\n"));
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_queue_duration_seconds_sum{name=\"test\"} 0.25\n"));
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_queue_duration_seconds_count{name=\"test\"} 1\n"));

  queue->add("foo");  // waits for done
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_adds_total{name=\"test\"} 2\n"));
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_depth{name=\"test\"} 0\n"));

  executor->advance(500ms);
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_unfinished_work_seconds{name=\"test\"} 0.5\n"));
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_longest_running_processor_seconds{name=\"test\"} 0.5\n"));

  queue->done("foo");
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_depth{name=\"test\"} 1\n"));
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_work_duration_seconds_sum{name=\"test\"} 0.5\n"));
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_unfinished_work_seconds{name=\"test\"} 0\n"));

  queue->try_get();
  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_queue_duration_seconds_sum{name=\"test\"} 0.75\n"));
}

TEST_F(QueueMetricsTest, UnfinishedIsTheSumAndLongestTheOldest) {
  const auto queue = make("test");
  for (const char* item : {"a", "b", "c"}) {
    queue->add(item);
    queue->try_get();
    executor->advance(1s);
  }
  EXPECT_EQ(queue->status().unfinished, 6s);
  EXPECT_EQ(queue->status().longest_running, 3s);

  queue->done("a");
  EXPECT_EQ(queue->status().unfinished, 3s);
  EXPECT_EQ(queue->status().longest_running, 2s);
  queue->done("c");
  queue->done("b");
  EXPECT_EQ(queue->status().unfinished, 0s);
  EXPECT_EQ(queue->status().longest_running, 0s);
}

TEST_F(QueueMetricsTest, EveryDelayedAddIsARetry) {
  const auto queue = make("test");
  queue->add_after("foo", 5ms);
  queue->add_after("foo", 0ms);

  EXPECT_THAT(registry->expose(), HasSubstr("workqueue_retries_total{name=\"test\"} 2\n"));
}

// TestMetricShutdown
TEST_F(QueueMetricsTest, NothingIsUpdatedByItselfAfterAShutdown) {
  const auto queue = make("test");
  queue->add("foo");
  queue->shut_down();
  const std::string before = registry->expose();

  queue->add("bar");
  queue->add_after("bar", 1s);
  EXPECT_EQ(executor->pending_timers(), 0U);
  executor->advance(10s);

  EXPECT_EQ(registry->expose(), before);
}

TEST_F(QueueMetricsTest, GoWithTheQueue) {
  auto queue = make("test");
  ASSERT_THAT(registry->expose(), HasSubstr("name=\"test\""));

  queue.reset();

  EXPECT_THAT(registry->expose(), Not(HasSubstr("name=\"test\"")));
}

TEST_F(QueueMetricsTest, AQueueWithoutANameHasNone) {
  const auto queue = make("");
  queue->add("foo");

  EXPECT_EQ(registry->expose(), "");
  EXPECT_TRUE(live_queues().empty());
}

TEST_F(QueueMetricsTest, LiveQueuesListsTheNamedOnesWithTheirState) {
  const auto pods = make("pods");
  {
    const auto gone = make("gone");
    EXPECT_EQ(live_queues().size(), 2U);
  }
  pods->add("a");
  pods->add("b");
  pods->try_get();
  pods->add_after("c", 1min);
  executor->advance(2s);

  const auto live = live_queues();

  ASSERT_EQ(live.size(), 1U);
  EXPECT_EQ(live[0].name, "pods");
  EXPECT_EQ(live[0].depth, 1U);
  EXPECT_EQ(live[0].processing, 1U);
  EXPECT_EQ(live[0].delayed, 1U);
  EXPECT_EQ(live[0].adds, 2U);
  EXPECT_EQ(live[0].retries, 1U);
  EXPECT_EQ(live[0].longest_running, 2s);
  EXPECT_FALSE(live[0].shutting_down);
}

}  // namespace
}  // namespace kubexx::workqueue
