#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "kubexx/workqueue/queue.hpp"

namespace kubexx::workqueue {
namespace {

/// Waits for the moment another thread has entered its shutdown.
void await_shutting_down(const Queue<std::string>& queue) {
  while (!queue.shutting_down()) std::this_thread::yield();
}

TEST(QueueShutdownTest, RefusesItemsAndHandsOutTheRest) {
  Queue<std::string> queue;
  queue.add("before");

  queue.shut_down();
  queue.add("after");

  EXPECT_EQ(queue.get(), "before");
  EXPECT_EQ(queue.get(), std::nullopt);
}

TEST(QueueShutdownTest, WakesEveryBlockedWorker) {
  Queue<std::string> queue;
  std::atomic<int> ended{0};
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) {
      workers.emplace_back([&] {
        if (!queue.get()) ++ended;
      });
    }
    queue.shut_down();
  }
  EXPECT_EQ(ended, 4);
}

// TestQueueDrainageUsingShutDownWithDrain
TEST(QueueShutdownTest, WithDrainReturnsOnlyAfterEverythingIsDone) {
  Queue<std::string> queue;
  queue.add("foo");
  queue.add("bar");
  const auto first = queue.get();
  const auto second = queue.get();
  std::atomic<bool> returned{false};
  std::jthread closer([&] {
    EXPECT_TRUE(queue.shut_down_with_drain());
    returned = true;
  });
  await_shutting_down(queue);

  queue.done(*first);
  EXPECT_FALSE(returned);
  queue.done(*second);
  closer.join();

  EXPECT_TRUE(returned);
}

TEST(QueueShutdownTest, WithDrainAlsoWaitsForWhatNobodyTookYet) {
  Queue<std::string> queue;
  queue.add("waiting");
  std::atomic<bool> returned{false};
  std::jthread closer([&] {
    EXPECT_TRUE(queue.shut_down_with_drain());
    returned = true;
  });
  await_shutting_down(queue);
  EXPECT_FALSE(returned);

  const auto item = queue.get();
  EXPECT_FALSE(returned);
  queue.done(*item);
  closer.join();

  EXPECT_TRUE(returned);
}

TEST(QueueShutdownTest, WithDrainOfAnIdleQueueReturnsAtOnce) {
  Queue<std::string> queue;
  EXPECT_TRUE(queue.shut_down_with_drain());
  EXPECT_TRUE(queue.shut_down_with_drain());
}

// TestNoQueueDrainageUsingShutDown
TEST(QueueShutdownTest, WithoutDrainDoesNotWaitForProcessing) {
  Queue<std::string> queue;
  queue.add("foo");
  queue.get();

  queue.shut_down();

  EXPECT_TRUE(queue.shutting_down());
  EXPECT_EQ(queue.status().processing, 1U);
}

// TestForceQueueShutdownUsingShutDown
TEST(QueueShutdownTest, APlainShutDownReleasesADrain) {
  Queue<std::string> queue;
  queue.add("foo");
  queue.get();
  std::jthread closer([&] { EXPECT_FALSE(queue.shut_down_with_drain()); });
  await_shutting_down(queue);

  queue.shut_down();
  closer.join();

  EXPECT_EQ(queue.status().processing, 1U);
}

TEST(QueueShutdownTest, AStopReleasesADrain) {
  Queue<std::string> queue;
  queue.add("foo");
  queue.get();
  std::stop_source stop;
  std::jthread closer([&] { EXPECT_FALSE(queue.shut_down_with_drain(stop.get_token())); });

  stop.request_stop();
}

// TestQueueDrainageUsingShutDownWithDrainWithDirtyItem
TEST(QueueShutdownTest, ADirtyItemIsHandedOutOnceMoreBeforeTheDrainEnds) {
  Queue<std::string> queue;
  queue.add("foo");
  auto item = queue.get();
  queue.add("foo");
  std::atomic<bool> returned{false};
  std::jthread closer([&] {
    EXPECT_TRUE(queue.shut_down_with_drain());
    returned = true;
  });
  await_shutting_down(queue);

  queue.done(*item);
  EXPECT_FALSE(returned);
  item = queue.get();
  ASSERT_EQ(item, "foo");
  EXPECT_FALSE(returned);
  queue.done(*item);
  closer.join();

  EXPECT_EQ(queue.get(), std::nullopt);
}

}  // namespace
}  // namespace kubexx::workqueue
