#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kubexx/workqueue/rate_limiting_queue.hpp"

namespace kubexx::workqueue {
namespace {

using namespace std::chrono_literals;

class PriorityStorageTest : public testing::Test {
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
  RateLimitingQueue<std::string> queue{
      executor, RateLimiter::exponential(1ms, 1s), {.storage = std::make_unique<PriorityStorage<std::string>>(100ms)}};
};

TEST_F(PriorityStorageTest, HigherPriorityLeavesFirstAndEqualsInOrder) {
  queue.add("low", {.priority = -1});
  queue.add("first");
  queue.add("second");
  queue.add("high", {.priority = 1});

  EXPECT_EQ(drain(), (std::vector<std::string>{"high", "first", "second", "low"}));
}

TEST_F(PriorityStorageTest, WaitingMakesUpForPriority) {
  queue.add("patient", {.priority = 0});
  executor->advance(999ms);
  queue.add("overtakes", {.priority = 10});
  executor->advance(2ms);
  queue.add("too late", {.priority = 10});

  EXPECT_EQ(drain(), (std::vector<std::string>{"overtakes", "patient", "too late"}));
}

TEST_F(PriorityStorageTest, NothingStarvesUnderASteadyStreamOfHigherPriority) {
  queue.add("low", {.priority = -100});
  int overtaken = 0;
  for (std::string taken; taken != "low" && overtaken < 10'000; ++overtaken) {
    queue.add("high-" + std::to_string(overtaken), {.priority = 100});
    taken = *queue.try_get();
    queue.done(taken);
    executor->advance(10ms);
  }

  EXPECT_NEAR(overtaken, 2000, 5);  // 200 priorities of 100 ms, one item every 10 ms
}

TEST_F(PriorityStorageTest, AddingAWaitingItemAgainMovesItForwardOnly) {
  queue.add("a");
  queue.add("b");
  queue.add("c");

  queue.add("c", {.priority = 5});
  queue.add("a", {.priority = -5});

  EXPECT_EQ(drain(), (std::vector<std::string>{"c", "a", "b"}));
}

TEST_F(PriorityStorageTest, ThePriorityOfAReAddDuringProcessingIsKept) {
  queue.add("a");
  queue.try_get();
  queue.add("a", {.priority = 3});
  queue.add("a", {.priority = 1});
  queue.add("b", {.priority = 2});

  queue.done("a");

  EXPECT_EQ(drain(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(PriorityStorageTest, ADelayedItemKeepsItsPriority) {
  queue.add("late", {.priority = 5, .after = 10ms});
  executor->advance(10ms);
  queue.add("plain", {.priority = 0});

  EXPECT_EQ(drain(), (std::vector<std::string>{"late", "plain"}));
  queue.add("late");
  queue.add("plain", {.priority = 1});
  EXPECT_EQ(drain(), (std::vector<std::string>{"plain", "late"}));  // the old priority went with the old run
}

TEST_F(PriorityStorageTest, ExtremePrioritiesDoNotOverflow) {
  queue.add("lowest", {.priority = std::numeric_limits<int>::min()});
  queue.add("middle");
  queue.add("highest", {.priority = std::numeric_limits<int>::max()});
  EXPECT_EQ(drain(), (std::vector<std::string>{"highest", "middle", "lowest"}));

  EXPECT_EQ(detail::aged_rank(1, 2, std::numeric_limits<std::int64_t>::max()),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(detail::aged_rank(1, -2, std::numeric_limits<std::int64_t>::max()),
            std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace kubexx::workqueue
