/// What both queues promise alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "kubexx/delta/delta_fifo.hpp"
#include "kubexx/delta/ordered_queue.hpp"
#include "unit/delta/queue_support.hpp"

namespace kubexx::delta {
namespace {

using test::FakeKnownObjects;
using test::pod;
using test::pop_text;

enum class Kind { Compressing, Ordered, OrderedPiecewise };

std::unique_ptr<Queue> make_queue(Kind kind, std::shared_ptr<FakeKnownObjects> known = nullptr) {
  if (kind == Kind::Compressing) {
    return std::make_unique<DeltaFifo>(DeltaFifo::Options{.known_objects = std::move(known)});
  }
  if (kind == Kind::Ordered) return std::make_unique<OrderedQueue>();
  if (!known) known = std::make_shared<FakeKnownObjects>();
  return std::make_unique<OrderedQueue>(
      OrderedQueue::Options{.atomic_events = false, .known_objects = std::move(known)});
}

class QueueContractTest : public testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<Queue> queue_ = make_queue(GetParam());
  bool pop() {
    return queue_->try_pop([](Deltas&, bool) -> Result<void> { return {}; }).value();
  }
};

INSTANTIATE_TEST_SUITE_P(Queues, QueueContractTest,
                         testing::Values(Kind::Compressing, Kind::Ordered, Kind::OrderedPiecewise),
                         [](const auto& each) {
                           return each.param == Kind::Compressing ? "Compressing"
                                  : each.param == Kind::Ordered   ? "Ordered"
                                                                  : "OrderedPiecewise";
                         });

// TestDeltaFIFO_HasSynced, TestRealFIFO_HasSynced
TEST_P(QueueContractTest, IsNotSyncedBeforeAnythingCame) {
  EXPECT_FALSE(queue_->has_synced());
}

TEST_P(QueueContractTest, IsSyncedAtOnceWhenAnEventComesFirst) {
  ASSERT_TRUE(queue_->add(pod("foo")));
  EXPECT_TRUE(queue_->has_synced());
}

TEST_P(QueueContractTest, AnEmptyFirstListIsSyncedWhenNothingOfItIsLeftToProcess) {
  ASSERT_TRUE(queue_->replace({}, "0"));
  if (GetParam() == Kind::Ordered) {
    EXPECT_FALSE(queue_->has_synced());  // the list itself is the item
    ASSERT_TRUE(pop());
  }
  EXPECT_TRUE(queue_->has_synced());
}

TEST_P(QueueContractTest, IsSyncedOnlyWhenTheLastObjectOfTheFirstListWasProcessed) {
  ASSERT_TRUE(queue_->replace({pod("a"), pod("b")}, "0"));
  ASSERT_TRUE(queue_->add(pod("later", 2)));
  const int items = GetParam() == Kind::Ordered ? 1 : 2;
  for (int i = 0; i < items; ++i) {
    EXPECT_FALSE(queue_->has_synced());
    const auto popped = queue_->try_pop([&](Deltas&, bool initial) -> Result<void> {
      EXPECT_TRUE(initial);
      EXPECT_FALSE(queue_->has_synced());  // taken is not processed
      return {};
    });
    ASSERT_TRUE(popped.value());
  }
  EXPECT_TRUE(queue_->has_synced());
  ASSERT_TRUE(queue_->try_pop([&](Deltas&, bool initial) -> Result<void> {
    EXPECT_FALSE(initial);
    return {};
  }));
}

TEST_P(QueueContractTest, AKeyThatIsListedTwiceCountsAsOftenAsItIsPopped) {
  ASSERT_TRUE(queue_->replace({pod("a", 1), pod("a", 2)}, "0"));
  const int items = GetParam() == Kind::OrderedPiecewise ? 2 : 1;
  for (int i = 0; i < items; ++i) {
    EXPECT_FALSE(queue_->has_synced());
    ASSERT_TRUE(pop());
  }
  EXPECT_TRUE(queue_->has_synced());
  EXPECT_FALSE(pop());
}

TEST_P(QueueContractTest, ASecondListDoesNotUndoSync) {
  ASSERT_TRUE(queue_->add(pod("a")));
  ASSERT_TRUE(queue_->replace({pod("a"), pod("b")}, "1"));
  EXPECT_TRUE(queue_->has_synced());
}

// TestDeltaFIFO_HasSyncedCorrectOnDeletion, TestRealFIFO_HasSyncedCorrectOnDeletion
TEST(QueueDeletionSyncTest, DeletionsOfTheFirstListCountTowardSync) {
  for (const Kind kind : {Kind::Compressing, Kind::OrderedPiecewise}) {
    const auto queue = make_queue(kind, std::make_shared<FakeKnownObjects>(std::vector{pod("foo"), pod("bar")}));
    ASSERT_TRUE(queue->replace({pod("foo")}, "0"));
    EXPECT_EQ(queue->size(), 2U);
    for (int i = 0; i < 2; ++i) {
      EXPECT_FALSE(queue->has_synced());
      ASSERT_TRUE(queue->try_pop([](Deltas&, bool initial) -> Result<void> {
        EXPECT_TRUE(initial);
        return {};
      }));
    }
    EXPECT_TRUE(queue->has_synced());
  }
}

TEST_P(QueueContractTest, TheSyncHookRunsOnceAndAlsoWhenItComesLate) {
  int early = 0;
  int late = 0;
  queue_->on_synced([&] { ++early; });
  ASSERT_TRUE(queue_->replace({pod("a")}, "0"));
  EXPECT_EQ(early, 0);
  ASSERT_TRUE(pop());
  EXPECT_EQ(early, 1);
  ASSERT_TRUE(queue_->add(pod("b")));
  ASSERT_TRUE(pop());
  EXPECT_EQ(early, 1);
  queue_->on_synced([&] { ++late; });
  EXPECT_EQ(late, 1);
}

TEST_P(QueueContractTest, TheReadyHookRunsWhenTheQueueStopsBeingEmptyAndWhenItCloses) {
  int calls = 0;
  queue_->on_ready([&] { ++calls; });
  ASSERT_TRUE(queue_->add(pod("a")));
  ASSERT_TRUE(queue_->add(pod("b")));
  EXPECT_EQ(calls, 1);
  while (pop()) {
  }
  ASSERT_TRUE(queue_->replace({pod("c")}, "3"));
  EXPECT_EQ(calls, 2);
  queue_->close();
  EXPECT_EQ(calls, 3);
}

TEST_P(QueueContractTest, TheProcessFunctionsErrorIsReturnedAndTheItemIsGone) {
  ASSERT_TRUE(queue_->add(pod("a")));
  const auto failed = queue_->try_pop([](Deltas&, bool) -> Result<void> { return Error::timeout("slow"); });
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().is_timeout());
  EXPECT_EQ(pop_text(*queue_), "(empty)");
}

TEST_P(QueueContractTest, AProcessFunctionThatThrowsIsAnErrorAndStillCountsTowardSync) {
  ASSERT_TRUE(queue_->replace({pod("a")}, "0"));
  const auto failed = queue_->try_pop([](Deltas&, bool) -> Result<void> { throw std::runtime_error("boom"); });
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), testing::HasSubstr("boom"));
  EXPECT_TRUE(queue_->has_synced());
}

TEST_P(QueueContractTest, TheProcessFunctionMayCallTheQueue) {
  ASSERT_TRUE(queue_->add(pod("a")));
  const auto popped = queue_->try_pop([&](Deltas&, bool) -> Result<void> {
    EXPECT_EQ(queue_->size(), 0U);
    return queue_->update(pod("a", 2));
  });
  ASSERT_TRUE(popped);
  EXPECT_EQ(pop_text(*queue_), "Updated default/a@2");
}

TEST_P(QueueContractTest, ClosingRefusesNoWritesAndWhatIsQueuedCanStillBePopped) {
  ASSERT_TRUE(queue_->add(pod("a")));
  queue_->close();
  EXPECT_TRUE(queue_->is_closed());
  ASSERT_TRUE(queue_->add(pod("b")));

  const auto nothing = [](Deltas&, bool) -> Result<void> { return {}; };
  EXPECT_TRUE(queue_->pop(nothing));
  EXPECT_TRUE(queue_->pop(nothing));
  const auto ended = queue_->pop(nothing);
  ASSERT_FALSE(ended);
  EXPECT_TRUE(ended.error().is_canceled());
}

// TestDeltaFIFO_PopShouldUnblockWhenClosed, TestRealFIFO_PopShouldUnblockWhenClosed
TEST_P(QueueContractTest, ClosingWakesEveryBlockedPop) {
  std::atomic<int> canceled{0};
  {
    std::vector<std::jthread> consumers;
    for (int i = 0; i < 8; ++i) {
      consumers.emplace_back([&] {
        const auto ended = queue_->pop([](Deltas&, bool) -> Result<void> { return {}; });
        if (!ended && ended.error().is_canceled()) ++canceled;
      });
    }
    queue_->close();
  }
  EXPECT_EQ(canceled, 8);
}

TEST_P(QueueContractTest, StoppingEndsABlockedPop) {
  std::stop_source stop;
  std::atomic<bool> canceled{false};
  {
    const std::jthread consumer([&] {
      const auto ended = queue_->pop([](Deltas&, bool) -> Result<void> { return {}; }, stop.get_token());
      canceled = !ended && ended.error().is_canceled();
    });
    stop.request_stop();
  }
  EXPECT_TRUE(canceled);
  EXPECT_FALSE(queue_->is_closed());
}

// TestDeltaFIFO_basic, TestRealFIFO_basic
TEST_P(QueueContractTest, ConcurrentProducersKeepTheOrderOfEachOne) {
  constexpr int kAmount = 500;
  std::map<std::string, int> last;
  {
    const auto produce = [&](const char* prefix) {
      for (int i = 1; i <= kAmount; ++i) {
        EXPECT_TRUE(queue_->add(test::make_pod({.namespace_ = prefix, .name = "p" + std::to_string(i)})));
      }
    };
    const std::jthread one(produce, "one");
    const std::jthread two(produce, "two");
    for (int taken = 0; taken < 2 * kAmount; ++taken) {
      const auto popped = queue_->pop([&](Deltas& deltas, bool) -> Result<void> {
        EXPECT_EQ(deltas.size(), 1U);
        const int number = std::stoi(std::string(deltas[0].object().name().substr(1)));
        int& before = last[std::string(deltas[0].object().namespace_())];
        EXPECT_EQ(number, before + 1);
        before = number;
        return {};
      });
      ASSERT_TRUE(popped);
    }
  }
  EXPECT_EQ(last["one"], kAmount);
  EXPECT_EQ(last["two"], kAmount);
  EXPECT_EQ(queue_->size(), 0U);
}

}  // namespace
}  // namespace kubexx::delta
