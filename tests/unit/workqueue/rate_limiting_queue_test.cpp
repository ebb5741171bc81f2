#include "kubexx/workqueue/rate_limiting_queue.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace kubexx::workqueue {
namespace {

using namespace std::chrono_literals;

class RateLimitingQueueTest : public testing::Test {
 protected:
  /// How long it takes until the item is there.
  Duration time_to_come(const std::string& item) {
    const TimePoint start = executor->clock().now();
    while (queue.len() == 0 && executor->advance_to_next_timer()) {
    }
    EXPECT_EQ(queue.try_get(), item);
    queue.done(item);
    return executor->clock().now() - start;
  }

  std::shared_ptr<ManualExecutor> executor = std::make_shared<ManualExecutor>();
  RateLimitingQueue<std::string> queue{executor, RateLimiter::exponential(1ms, 1s)};
};

// TestRateLimitingQueue
TEST_F(RateLimitingQueueTest, EachRequeueWaitsLongerUntilTheItemIsForgotten) {
  for (const Duration expected : {1ms, 2ms, 4ms}) {
    queue.add_rate_limited("one");
    EXPECT_EQ(time_to_come("one"), expected);
  }
  EXPECT_EQ(queue.num_requeues("one"), 3U);

  queue.forget("one");

  EXPECT_EQ(queue.num_requeues("one"), 0U);
  queue.add_rate_limited("one");
  EXPECT_EQ(time_to_come("one"), 1ms);
}

// TestItemExponentialFailureRateLimiter, TestItemFastSlowRateLimiter, TestMaxOfRateLimiter: the counting side
TEST_F(RateLimitingQueueTest, ItemsAreCountedApart) {
  queue.add_rate_limited("one");
  queue.add_rate_limited("one");
  queue.add_rate_limited("two");

  EXPECT_EQ(queue.num_requeues("one"), 2U);
  EXPECT_EQ(queue.num_requeues("two"), 1U);
  EXPECT_EQ(queue.num_requeues("three"), 0U);
  queue.forget("one");
  EXPECT_EQ(queue.num_requeues("two"), 1U);
}

TEST_F(RateLimitingQueueTest, CountsOutliveDoneAndAreKeptUntilForgotten) {
  queue.add_rate_limited("one");
  time_to_come("one");
  EXPECT_EQ(queue.status().remembered, 1U);

  queue.forget("one");
  queue.forget("one");
  queue.forget("never seen");

  EXPECT_EQ(queue.status().remembered, 0U);
}

TEST_F(RateLimitingQueueTest, ForgettingADelayedItemDoesNotTakeItAway) {
  queue.add_rate_limited("one");
  queue.forget("one");

  EXPECT_EQ(time_to_come("one"), 1ms);
}

TEST_F(RateLimitingQueueTest, AddedWithADelayAndTheLimiterTheLongerCounts) {
  queue.add("one", {.after = 10ms, .rate_limited = true});
  EXPECT_EQ(time_to_come("one"), 10ms);
  queue.forget("one");
  queue.add("one", {.after = 100us, .rate_limited = true});
  EXPECT_EQ(time_to_come("one"), 1ms);
  queue.add("one", {.after = 5ms});
  EXPECT_EQ(time_to_come("one"), 5ms);
  queue.add("one", {});
  EXPECT_EQ(time_to_come("one"), 0ms);
}

TEST_F(RateLimitingQueueTest, NothingIsCountedAfterAShutdown) {
  queue.shut_down();
  queue.add_rate_limited("one");

  EXPECT_EQ(queue.num_requeues("one"), 0U);
  EXPECT_EQ(queue.status().delayed, 0U);
}

TEST_F(RateLimitingQueueTest, ACustomLimiterMayUseTheQueue) {
  RateLimitingQueue<std::string>* reached = nullptr;
  RateLimitingQueue<std::string> custom(
      executor,
      RateLimiter::with_max_wait(RateLimiter::max_of({RateLimiter::custom([&](std::uint32_t requeues, TimePoint) {
                                   reached->add("side effect");
                                   return Duration(requeues);
                                 })}),
                                 1s));
  reached = &custom;

  custom.add_rate_limited("one");

  EXPECT_EQ(custom.try_get(), "side effect");
  EXPECT_EQ(custom.try_get(), "one");
}

TEST_F(RateLimitingQueueTest, AFailedItemPutBackBeforeDoneComesBackAfterItsDelay) {
  queue.add("key");
  ASSERT_EQ(queue.try_get(), "key");

  queue.add_rate_limited("key");
  queue.done("key");

  EXPECT_EQ(queue.len(), 0U);
  EXPECT_EQ(time_to_come("key"), 1ms);
}

}  // namespace
}  // namespace kubexx::workqueue
