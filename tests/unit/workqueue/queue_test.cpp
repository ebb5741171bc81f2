#include "kubexx/workqueue/queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace kubexx::workqueue {
namespace {

/// First in, first out, and remembers what was touched.
class RecordingStorage final : public Storage<std::string> {
 public:
  explicit RecordingStorage(std::vector<std::string>& touched) : touched_(touched) {}
  void push(Ticket ticket, const std::string&, int, TimePoint) override { waiting_.push_back(ticket); }
  Ticket pop() override {
    const Ticket first = waiting_.front();
    waiting_.erase(waiting_.begin());
    return first;
  }
  void touch(Ticket, const std::string& item, int, TimePoint) override { touched_.push_back(item); }
  std::size_t len() const override { return waiting_.size(); }

 private:
  std::vector<std::string>& touched_;
  std::vector<Ticket> waiting_;
};

std::vector<std::string> drain(Queue<std::string>& queue) {
  std::vector<std::string> taken;
  while (auto item = queue.try_get()) {
    queue.done(*item);
    taken.push_back(*item);
  }
  return taken;
}

TEST(QueueTest, HandsItemsOutInTheOrderTheyWereAdded) {
  Queue<std::string> queue;

  for (const char* item : {"c", "a", "b"}) queue.add(item);

  EXPECT_EQ(drain(queue), (std::vector<std::string>{"c", "a", "b"}));
}

// TestLen
TEST(QueueTest, LenCountsWhatWaits) {
  Queue<std::string> queue;
  EXPECT_EQ(queue.len(), 0U);

  queue.add("foo");
  queue.add("bar");
  queue.add("foo");
  EXPECT_EQ(queue.len(), 2U);

  queue.try_get();
  EXPECT_EQ(queue.len(), 1U);
}

// TestReinsert
TEST(QueueTest, AnItemAddedWhileProcessedComesBackAfterDone) {
  Queue<std::string> queue;
  queue.add("foo");
  ASSERT_EQ(queue.try_get(), "foo");

  queue.add("foo");
  queue.add("foo");
  EXPECT_EQ(queue.len(), 0U);
  queue.done("foo");

  EXPECT_EQ(drain(queue), std::vector<std::string>{"foo"});
}

// TestCollapse
TEST(QueueTest, AnItemAddedTwiceIsHandedOutOnceAndTouchesTheStorage) {
  std::vector<std::string> touched;
  Queue<std::string> queue({.storage = std::make_unique<RecordingStorage>(touched)});

  queue.add("bar");
  queue.add("bar");

  EXPECT_EQ(touched, std::vector<std::string>{"bar"});
  EXPECT_EQ(drain(queue), std::vector<std::string>{"bar"});
}

// TestCollapseWhileProcessing
TEST(QueueTest, ASecondWorkerWaitsUntilTheFirstIsDoneWithTheItem) {
  std::vector<std::string> touched;
  Queue<std::string> queue({.storage = std::make_unique<RecordingStorage>(touched)});
  queue.add("bar");
  ASSERT_EQ(queue.try_get(), "bar");
  queue.add("bar");
  queue.add("bar");
  std::atomic<bool> first_done{false};
  std::atomic<bool> second_saw_it_done{false};

  std::jthread second([&] {
    const auto item = queue.get();
    second_saw_it_done = item == "bar" && first_done;
    queue.done("bar");
  });
  EXPECT_EQ(queue.try_get(), std::nullopt);
  first_done = true;
  queue.done("bar");
  second.join();

  EXPECT_TRUE(second_saw_it_done);
  EXPECT_TRUE(touched.empty());
  EXPECT_EQ(queue.len(), 0U);
}

// TestGarbageCollection
TEST(QueueTest, AnItemThatIsDoneIsNotKept) {
  Queue<std::shared_ptr<int>> queue;
  auto item = std::make_shared<int>(7);
  queue.add(item);
  EXPECT_EQ(item.use_count(), 2);

  queue.done(*queue.try_get());

  EXPECT_EQ(item.use_count(), 1);
}

TEST(QueueTest, ItemsThatStillWaitGoWithTheQueue) {
  auto item = std::make_shared<int>(7);
  {
    Queue<std::shared_ptr<int>> queue;
    queue.add(item);
  }

  EXPECT_EQ(item.use_count(), 1);
}

TEST(QueueTest, DoneOfAnItemNobodyTookChangesNothing) {
  Queue<std::string> queue;
  queue.add("waiting");

  queue.done("waiting");
  queue.done("unknown");

  EXPECT_EQ(drain(queue), std::vector<std::string>{"waiting"});
}

TEST(QueueTest, DoneTwiceDoesNotHandTheItemToTwoWorkers) {
  Queue<std::string> queue;
  queue.add("a");
  queue.try_get();
  queue.add("a");

  queue.done("a");
  queue.done("a");

  EXPECT_EQ(queue.try_get(), "a");
  EXPECT_EQ(queue.try_get(), std::nullopt);
}

TEST(QueueTest, AStopEndsAWaitingGet) {
  Queue<std::string> queue;
  std::stop_source stop;
  std::jthread worker([&] { EXPECT_EQ(queue.get(stop.get_token()), std::nullopt); });

  stop.request_stop();
  worker.join();

  queue.add("later");
  EXPECT_EQ(queue.get(stop.get_token()), std::nullopt);
  EXPECT_EQ(queue.len(), 1U);
}

TEST(QueueTest, AStoppedWorkerDoesNotSwallowTheWakeUpOfAnother) {
  for (int round = 0; round < 200; ++round) {
    Queue<int> queue;
    std::stop_source stop;
    std::jthread stopped([&] {
      if (const auto item = queue.get(stop.get_token())) {
        queue.done(*item);
        queue.add(*item);  // took it before it saw the stop: leaves it to the other one
      }
    });
    std::jthread other([&] { EXPECT_EQ(queue.get(), 1); });

    std::jthread stopper([&] { stop.request_stop(); });
    queue.add(1);
  }  // hangs here if the wake-up was lost
}

TEST(QueueTest, TellsTheHookHowManyItemsBecameReady) {
  std::vector<std::size_t> told;
  Queue<std::string> queue({.on_ready = [&](std::size_t ready) { told.push_back(ready); }});

  queue.add("a");
  queue.add("a");  // waits already
  queue.try_get();
  queue.add("a");  // is processed
  EXPECT_EQ(told, std::vector<std::size_t>{1});
  queue.done("a");  // waits again
  EXPECT_EQ(told, (std::vector<std::size_t>{1, 1}));
  queue.shut_down();
  EXPECT_EQ(told, (std::vector<std::size_t>{1, 1, 0}));
  queue.done(*queue.try_get());  // drained

  EXPECT_EQ(told, (std::vector<std::size_t>{1, 1, 0, 0}));
}

TEST(QueueTest, TheHookMayUseTheQueue) {
  Queue<std::string>* reached = nullptr;
  std::vector<std::string> taken;
  Queue<std::string> queue({.on_ready = [&](std::size_t) {
    while (auto item = reached->try_get()) {
      taken.push_back(*item);
      reached->done(*item);
    }
  }});
  reached = &queue;

  queue.add("a");
  queue.add("b");

  EXPECT_EQ(taken, (std::vector<std::string>{"a", "b"}));
}

// TestBasic, TestAddWhileProcessing
class QueueShutdownKinds : public testing::TestWithParam<bool> {};

TEST_P(QueueShutdownKinds, ManyProducersAndWorkersLoseNothingAndShareNoItem) {
  constexpr int kProducers = 50;
  constexpr int kWorkers = 10;
  constexpr int kRounds = 50;
  Queue<int> queue;
  std::mutex mutex;
  std::set<int> in_work;
  std::map<int, int> handled;
  std::atomic<int> shared{0};
  std::vector<std::jthread> workers;
  for (int i = 0; i < kWorkers; ++i) {
    workers.emplace_back([&] {
      while (const auto item = queue.get()) {
        bool first = false;
        {
          const std::lock_guard lock(mutex);
          if (!in_work.insert(*item).second) ++shared;
          first = ++handled[*item] == 1;
        }
        if (first) queue.add(*item);  // once more while it is processed
        {
          const std::lock_guard lock(mutex);
          in_work.erase(*item);
        }
        queue.done(*item);
      }
    });
  }

  {
    std::vector<std::jthread> producers;
    for (int i = 0; i < kProducers; ++i) {
      producers.emplace_back([&queue, i] {
        for (int round = 0; round < kRounds; ++round) queue.add(i);
      });
    }
  }
  if (GetParam()) {
    EXPECT_TRUE(queue.shut_down_with_drain());
  } else {
    queue.shut_down();
  }
  queue.add(-1);
  workers.clear();

  EXPECT_EQ(shared, 0);
  EXPECT_EQ(queue.len(), 0U);
  EXPECT_FALSE(handled.contains(-1));
  ASSERT_EQ(handled.size(), static_cast<std::size_t>(kProducers));
  for (const auto& [item, times] : handled) EXPECT_GE(times, 1) << item;
}

INSTANTIATE_TEST_SUITE_P(, QueueShutdownKinds, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "WithDrain" : "WithoutDrain"; });

}  // namespace
}  // namespace kubexx::workqueue
