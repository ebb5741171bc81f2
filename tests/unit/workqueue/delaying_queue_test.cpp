#include "kubexx/workqueue/delaying_queue.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace kubexx::workqueue {
namespace {

using namespace std::chrono_literals;

class DelayingQueueTest : public testing::Test {
 protected:
  std::vector<std::string> drain() {
    std::vector<std::string> taken;
    while (auto item = queue.try_get()) {
      queue.done(*item);
      taken.push_back(*item);
    }
    return taken;
  }

  std::shared_ptr<ManualExecutor> executor = std::make_shared<ManualExecutor>();
  DelayingQueue<std::string> queue{executor};
};

// TestSimpleQueue
TEST_F(DelayingQueueTest, AnItemAppearsOnceAfterItsDelay) {
  queue.add_after("one", 50ms);
  EXPECT_EQ(queue.len(), 0U);
  executor->advance(49ms);
  EXPECT_EQ(queue.len(), 0U);

  executor->advance(1ms);
  EXPECT_EQ(drain(), std::vector<std::string>{"one"});

  executor->advance(10s);
  EXPECT_EQ(queue.len(), 0U);
  EXPECT_EQ(executor->pending_timers(), 0U);
}

// TestDeduping
TEST_F(DelayingQueueTest, OfTwoDelaysOfOneItemTheEarlierCountsWhenItCameFirst) {
  queue.add_after("foo", 50ms);
  queue.add_after("foo", 70ms);

  executor->advance(60ms);
  EXPECT_EQ(drain(), std::vector<std::string>{"foo"});
  executor->advance(20ms);
  EXPECT_EQ(queue.len(), 0U);
}

// TestDeduping
TEST_F(DelayingQueueTest, OfTwoDelaysOfOneItemTheEarlierCountsWhenItCameLast) {
  queue.add_after("foo", 50ms);
  queue.add_after("foo", 30ms);

  executor->advance(40ms);
  EXPECT_EQ(drain(), std::vector<std::string>{"foo"});
  executor->advance(20ms);
  EXPECT_EQ(queue.len(), 0U);
  EXPECT_EQ(queue.status().delayed, 0U);
}

// TestAddTwoFireEarly
TEST_F(DelayingQueueTest, AnItemAddedLaterWithAShorterDelayComesFirst) {
  queue.add_after("foo", 1s);
  queue.add_after("bar", 50ms);

  executor->advance(60ms);
  EXPECT_EQ(drain(), std::vector<std::string>{"bar"});

  executor->advance(1s);
  EXPECT_EQ(drain(), std::vector<std::string>{"foo"});
}

// TestCopyShifting
TEST_F(DelayingQueueTest, ItemsDueTogetherComeInTheOrderOfTheirDeadlines) {
  queue.add_after("first", 1s);
  queue.add_after("second", 500ms);
  queue.add_after("third", 250ms);

  executor->fake_clock().advance(2s);  // all due at once
  executor->advance(0s);

  EXPECT_EQ(drain(), (std::vector<std::string>{"third", "second", "first"}));
}

TEST_F(DelayingQueueTest, ManyItemsComeInTheOrderOfTheirDeadlines) {
  for (int i = 0; i < 1000; ++i) queue.add_after(std::to_string(i), std::chrono::milliseconds(1 + (i * 7919) % 1000));

  executor->advance(2s);

  const auto taken = drain();
  ASSERT_EQ(taken.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ((std::stoi(taken[static_cast<std::size_t>(i)]) * 7919) % 1000, i);
}

TEST_F(DelayingQueueTest, AThousandItemsThatAreDueAtOnceAllCome) {
  for (int i = 0; i < 1000; ++i) queue.add_after(std::to_string(i), 1s);

  executor->advance(1s);

  EXPECT_EQ(drain().size(), 1000U);
  EXPECT_EQ(queue.status().delayed, 0U);
}

TEST_F(DelayingQueueTest, ADelayOfZeroOrLessAddsAtOnceAndCountsARetry) {
  queue.add_after("zero", 0ns);
  queue.add_after("past", -1s);

  EXPECT_EQ(drain(), (std::vector<std::string>{"zero", "past"}));
  EXPECT_EQ(queue.status().retries, 2U);
  EXPECT_EQ(executor->pending_timers(), 0U);
}

TEST_F(DelayingQueueTest, AHugeDelayIsNotAnOverflow) {
  queue.add_after("never", Duration::max());
  queue.add_after("soon", 1ms);

  executor->advance(1h);

  EXPECT_EQ(drain(), std::vector<std::string>{"soon"});
  EXPECT_EQ(queue.status().delayed, 1U);
}

TEST_F(DelayingQueueTest, AnItemDelayedWhileProcessedWaitsForDone) {
  queue.add("a");
  queue.try_get();
  queue.add_after("a", 1ms);

  executor->advance(1ms);
  EXPECT_EQ(queue.len(), 0U);
  queue.done("a");

  EXPECT_EQ(drain(), std::vector<std::string>{"a"});
}

TEST_F(DelayingQueueTest, ADelayedItemCanBeAddedAtOnceAndStillComesAtItsTime) {
  queue.add_after("a", 1s);
  queue.add("a");
  EXPECT_EQ(drain(), std::vector<std::string>{"a"});

  executor->advance(1s);

  EXPECT_EQ(drain(), std::vector<std::string>{"a"});
}

TEST_F(DelayingQueueTest, ShutDownDropsDelayedItemsAndTheirTimer) {
  queue.add_after("a", 1s);

  queue.shut_down();
  queue.add_after("b", 1s);

  EXPECT_EQ(executor->pending_timers(), 0U);
  EXPECT_EQ(queue.status().delayed, 0U);
  executor->advance(2s);
  EXPECT_EQ(queue.get(), std::nullopt);
}

TEST_F(DelayingQueueTest, ADrainDoesNotWaitForDelayedItems) {
  queue.add_after("a", 1s);
  EXPECT_TRUE(queue.shut_down_with_drain());
}

TEST_F(DelayingQueueTest, OneTimerServesAllItems) {
  for (int i = 100; i > 0; --i) queue.add_after(std::to_string(i), std::chrono::seconds(i));
  EXPECT_EQ(executor->pending_timers(), 1U);
}

TEST(DelayingQueueLifetimeTest, ATimerThatOutlivesItsQueueDoesNothing) {
  auto executor = std::make_shared<ManualExecutor>();
  auto item = std::make_shared<int>(1);
  {
    DelayingQueue<std::shared_ptr<int>> queue(executor);
    queue.add_after(item, 1s);
  }

  EXPECT_EQ(item.use_count(), 1);
  executor->advance(2s);
}

TEST(DelayingQueueLifetimeTest, NeedsAnExecutor) {
  EXPECT_THROW(DelayingQueue<int>(nullptr), std::invalid_argument);
}

TEST(DelayingQueueLifetimeTest, TheHookHearsOfAllThatBecameDueAtOnce) {
  auto executor = std::make_shared<ManualExecutor>();
  std::vector<std::size_t> told;
  DelayingQueue<int> queue(executor, {.on_ready = [&](std::size_t ready) { told.push_back(ready); }});
  for (int i = 0; i < 3; ++i) queue.add_after(i, 1s);

  executor->advance(1s);

  EXPECT_EQ(told, std::vector<std::size_t>{3});
}

TEST(DelayingQueueLifetimeTest, RealTimeWakesABlockedWorkerInTheOrderOfDeadlines) {
  const auto executor = std::make_shared<ThreadExecutor>();
  while (true) {
    DelayingQueue<int> queue(executor);
    const auto start = Clock::system().now();
    queue.add_after(1, 300ms);
    queue.add_after(2, 1ms);
    if (Clock::system().now() - start > 250ms) continue;  // this thread had to wait: the first may be due before

    EXPECT_EQ(queue.get(), 2);
    EXPECT_EQ(queue.get(), 1);
    return;
  }
}

}  // namespace
}  // namespace kubexx::workqueue
