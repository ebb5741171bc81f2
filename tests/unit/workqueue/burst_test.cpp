/// What a burst of keys takes goes back when they are done, also where some key stays for ever: one that is delayed, or
/// failed and is remembered.
#include <gtest/gtest.h>

#include "kubexx/base/executor.hpp"
#include "kubexx/workqueue/rate_limiting_queue.hpp"
#include "support/burst_cost.hpp"

namespace kubexx::workqueue {
namespace {

using namespace std::chrono_literals;
using test::cost_of_burst;
using test::given_back;
using test::kBurst;

constexpr std::ptrdiff_t kWaiting = 20 << 20;  // so many bytes at least

std::string key(std::size_t number) {
  return "default/a-name-longer-than-what-a-string-holds-inside-" + std::to_string(number);
}

template <class Queue>
void work_off(Queue& queue) {
  while (const auto item = queue.try_get()) queue.done(*item);
}

TEST(WorkQueueBurstTest, KeysThatAreDoneAreGivenBack) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  Queue<std::string> queue;
  const auto spent = cost_of_burst(
      kBurst,
      [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) queue.add(key(i));
      },
      [&] { work_off(queue); });

  EXPECT_TRUE(given_back(spent, kWaiting));
}

TEST(WorkQueueBurstTest, SoAreThoseOfAPriorityQueue) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  Queue<std::string> queue({.storage = std::make_unique<PriorityStorage<std::string>>()});
  const auto spent = cost_of_burst(
      kBurst,
      [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) queue.add(key(i));
      },
      [&] { work_off(queue); });

  EXPECT_TRUE(given_back(spent, kWaiting));
}

TEST(WorkQueueBurstTest, SoAreTheyWhileOneKeyIsStillWithAWorker) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  Queue<std::string> queue;
  queue.add("slow");
  ASSERT_EQ(queue.try_get(), "slow");
  const auto spent = cost_of_burst(
      kBurst,
      [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) queue.add(key(i));
      },
      [&] { work_off(queue); });

  EXPECT_TRUE(given_back(spent, kWaiting));
  queue.done("slow");
}

TEST(WorkQueueBurstTest, SoAreDelayedKeysAndFailuresWhileOneKeyIsRememberedAndOneDelayed) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  const auto executor = std::make_shared<ManualExecutor>();
  RateLimitingQueue<std::string> queue(executor, RateLimiter::exponential(1ms, 10s));
  queue.add_after("later", 1000h);
  queue.add_rate_limited("failed");
  const auto spent = cost_of_burst(
      kBurst,
      [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) queue.add_rate_limited(key(i));
      },
      [&] {
        executor->advance(1min);
        while (const auto item = queue.try_get()) {
          if (*item != "failed") queue.forget(*item);
          queue.done(*item);
        }
      });

  EXPECT_EQ(queue.status().delayed, 1U);
  EXPECT_EQ(queue.status().remembered, 1U);
  EXPECT_TRUE(given_back(spent, kWaiting));
}

TEST(WorkQueueBurstTest, ASmallerBurstIsGivenBackWhenTheQueueDidWithoutItsRoomOnce) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  Queue<std::string> queue;
  const auto spent = cost_of_burst(
      kBurst / 4,
      [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) queue.add(key(i));
      },
      [&] {
        work_off(queue);
        queue.add("one more");
        work_off(queue);
      });

  EXPECT_TRUE(given_back(spent, kWaiting / 4));
}

}  // namespace
}  // namespace kubexx::workqueue
