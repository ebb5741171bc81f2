/// What both queues promise alike, used directly and behind a SynchronizedQueue; and what the latter adds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <tuple>

#include "kubexx/delta/synchronized_queue.hpp"
#include "unit/delta/queue_support.hpp"

namespace kubexx::delta {
namespace {

using test::Fed;
using test::known;
using test::kSingly;
using test::pod;
using test::pop_text;
using testing::ElementsAre;

enum class Kind { Compressing, Ordered };
enum class Use { Plain, Synchronized };

const char* name_of(Kind kind) {
  return kind == Kind::Compressing ? "Compressing" : "Ordered";
}

/// One item at a time, so that both are popped alike.
PlainQueue plain_queue(Kind kind, std::shared_ptr<KnownObjects> objects = nullptr) {
  if (kind == Kind::Ordered) return OrderedQueue(kSingly);
  return DeltaFifo({.known_objects = std::move(objects)});
}

/// Any queue in any use.
class AnyQueue {
 public:
  virtual ~AnyQueue() = default;
  virtual Result<void> add(meta::Object object) = 0;
  virtual Result<void> update(meta::Object object) = 0;
  virtual Result<void> remove(meta::Object object) = 0;
  virtual Result<void> replace(std::vector<meta::Object> objects, std::string resource_version) = 0;
  virtual Result<bool> try_pop(const Process& process) = 0;
  virtual Result<void> add_if_not_present(Deltas deltas) = 0;
  virtual bool has_synced() const = 0;
  virtual std::size_t size() const = 0;
};

template <class Queue>
class Wrapped final : public AnyQueue {
 public:
  template <class... Args>
  explicit Wrapped(Args&&... args) : queue_(std::forward<Args>(args)...) {}
  Result<void> add(meta::Object object) override { return queue_.add(std::move(object)); }
  Result<void> update(meta::Object object) override { return queue_.update(std::move(object)); }
  Result<void> remove(meta::Object object) override { return queue_.remove(std::move(object)); }
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version) override {
    return queue_.replace(std::move(objects), std::move(resource_version));
  }
  Result<bool> try_pop(const Process& process) override { return queue_.try_pop(process); }
  Result<void> add_if_not_present(Deltas deltas) override { return queue_.add_if_not_present(std::move(deltas)); }
  bool has_synced() const override { return queue_.has_synced(); }
  std::size_t size() const override { return queue_.size(); }

 private:
  Queue queue_;
};

std::unique_ptr<AnyQueue> make_queue(Kind kind, Use use, const std::shared_ptr<KnownObjects>& objects = nullptr) {
  if (use == Use::Synchronized) return std::make_unique<Wrapped<SynchronizedQueue>>(plain_queue(kind, objects));
  if (kind == Kind::Ordered) return std::make_unique<Wrapped<Fed<OrderedQueue>>>(kSingly);
  return std::make_unique<Wrapped<Fed<DeltaFifo>>>(DeltaFifo::Options{.known_objects = objects});
}

class QueueContractTest : public testing::TestWithParam<std::tuple<Kind, Use>> {
 protected:
  Kind kind() const { return std::get<Kind>(GetParam()); }
  bool pop() {
    return queue_->try_pop([](Deltas&, bool) -> Result<void> { return {}; }).value();
  }
  std::unique_ptr<AnyQueue> queue_ = make_queue(kind(), std::get<Use>(GetParam()));
};

INSTANTIATE_TEST_SUITE_P(Queues, QueueContractTest,
                         testing::Combine(testing::Values(Kind::Compressing, Kind::Ordered),
                                          testing::Values(Use::Plain, Use::Synchronized)),
                         [](const auto& each) {
                           return std::string(name_of(std::get<Kind>(each.param))) +
                                  (std::get<Use>(each.param) == Use::Plain ? "Plain" : "Synchronized");
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
  if (kind() == Kind::Ordered) {
    EXPECT_FALSE(queue_->has_synced());  // the list itself is the item
    ASSERT_TRUE(pop());
  }
  EXPECT_TRUE(queue_->has_synced());
}

TEST_P(QueueContractTest, IsSyncedOnlyWhenTheLastObjectOfTheFirstListWasProcessed) {
  ASSERT_TRUE(queue_->replace({pod("a"), pod("b")}, "0"));
  ASSERT_TRUE(queue_->add(pod("later", 2)));
  const int items = kind() == Kind::Ordered ? 1 : 2;
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

TEST_P(QueueContractTest, AKeyThatIsListedTwiceIsPoppedOnce) {
  ASSERT_TRUE(queue_->replace({pod("a", 1), pod("a", 2)}, "0"));
  EXPECT_FALSE(queue_->has_synced());
  ASSERT_TRUE(pop());
  EXPECT_TRUE(queue_->has_synced());
  EXPECT_FALSE(pop());
}

TEST_P(QueueContractTest, ASecondListDoesNotUndoSync) {
  ASSERT_TRUE(queue_->add(pod("a")));
  ASSERT_TRUE(queue_->replace({pod("a"), pod("b")}, "1"));
  EXPECT_TRUE(queue_->has_synced());
}

// TestDeltaFIFO_HasSyncedCorrectOnDeletion
TEST(QueueDeletionSyncTest, DeletionsOfTheFirstListCountTowardSync) {
  for (const Use use : {Use::Plain, Use::Synchronized}) {
    const auto queue = make_queue(Kind::Compressing, use, known({pod("foo"), pod("bar")}));
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

TEST_P(QueueContractTest, WhatIsPutBackWhileItIsProcessedIsPoppedAgain) {
  ASSERT_TRUE(queue_->replace({pod("a")}, "0"));
  const auto failed = queue_->try_pop([&](Deltas& deltas, bool) -> Result<void> {
    EXPECT_TRUE(queue_->add_if_not_present(std::move(deltas)));
    return Error::timeout("later");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(queue_->size(), 1U);
  ASSERT_TRUE(pop());
  EXPECT_TRUE(queue_->has_synced());
  EXPECT_FALSE(pop());
}

TEST_P(QueueContractTest, AProcessFunctionMayPopToo) {
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(queue_->add(pod(name)));
  std::vector<std::string> seen;
  const auto popped = queue_->try_pop([&](Deltas& deltas, bool) -> Result<void> {
    seen.push_back(pop_text(*queue_));
    seen.push_back(test::text_of(deltas));  // which nothing has touched meanwhile
    return {};
  });
  ASSERT_TRUE(popped);
  seen.push_back(pop_text(*queue_));
  EXPECT_THAT(seen, ElementsAre("Added default/b@1", "Added default/a@1", "Added default/c@1"));
}

TEST_P(QueueContractTest, KeysOfAnyLengthAreTheObjectsOwn) {
  std::vector<std::string> expected;
  for (const std::size_t length : {1U, 39U, 40U, 41U, 253U, 4000U}) {
    const std::string name(length, 'n');
    ASSERT_TRUE(queue_->add(pod(name)));
    expected.push_back("default/" + name);
  }
  std::vector<std::string> keys;
  const Process note = [&](Deltas& deltas, bool) -> Result<void> {
    keys.push_back(deltas.at(0).key().text());
    return {};
  };
  while (queue_->try_pop(note).value()) {
  }
  EXPECT_EQ(keys, expected);
}

class SynchronizedQueueTest : public testing::TestWithParam<Kind> {
 protected:
  SynchronizedQueue queue_{plain_queue(GetParam())};
  bool pop() {
    return queue_.try_pop([](Deltas&, bool) -> Result<void> { return {}; }).value();
  }
};

INSTANTIATE_TEST_SUITE_P(Queues, SynchronizedQueueTest, testing::Values(Kind::Compressing, Kind::Ordered),
                         [](const auto& each) { return std::string(name_of(each.param)); });

TEST_P(SynchronizedQueueTest, TheSyncHookRunsOnceAndAlsoWhenItComesLate) {
  int early = 0;
  int late = 0;
  queue_.on_synced([&] { ++early; });
  ASSERT_TRUE(queue_.replace({pod("a")}, "0"));
  EXPECT_EQ(early, 0);
  ASSERT_TRUE(pop());
  EXPECT_EQ(early, 1);
  ASSERT_TRUE(queue_.add(pod("b")));
  ASSERT_TRUE(pop());
  EXPECT_EQ(early, 1);
  queue_.on_synced([&] { ++late; });
  EXPECT_EQ(late, 1);
}

TEST_P(SynchronizedQueueTest, TheReadyHookRunsWhenTheQueueStopsBeingEmptyAndWhenItCloses) {
  int calls = 0;
  queue_.on_ready([&] { ++calls; });
  ASSERT_TRUE(queue_.add(pod("a")));
  ASSERT_TRUE(queue_.add(pod("b")));
  EXPECT_EQ(calls, 1);
  while (pop()) {
  }
  ASSERT_TRUE(queue_.replace({pod("c")}, "3"));
  EXPECT_EQ(calls, 2);
  queue_.close();
  EXPECT_EQ(calls, 3);
}

TEST_P(SynchronizedQueueTest, ClosingRefusesNoWritesAndWhatIsQueuedCanStillBePopped) {
  ASSERT_TRUE(queue_.add(pod("a")));
  queue_.close();
  EXPECT_TRUE(queue_.is_closed());
  ASSERT_TRUE(queue_.add(pod("b")));

  const auto nothing = [](Deltas&, bool) -> Result<void> { return {}; };
  EXPECT_TRUE(queue_.pop(nothing));
  EXPECT_TRUE(queue_.pop(nothing));
  const auto ended = queue_.pop(nothing);
  ASSERT_FALSE(ended);
  EXPECT_TRUE(ended.error().is_canceled());
}

// TestDeltaFIFO_PopShouldUnblockWhenClosed, TestRealFIFO_PopShouldUnblockWhenClosed

TEST_P(SynchronizedQueueTest, ClosingWakesEveryBlockedPop) {
  std::atomic<int> canceled{0};
  {
    std::vector<std::jthread> consumers;
    for (int i = 0; i < 8; ++i) {
      consumers.emplace_back([&] {
        const auto ended = queue_.pop([](Deltas&, bool) -> Result<void> { return {}; });
        if (!ended && ended.error().is_canceled()) ++canceled;
      });
    }
    queue_.close();
  }
  EXPECT_EQ(canceled, 8);
}

TEST_P(SynchronizedQueueTest, StoppingEndsABlockedPop) {
  std::stop_source stop;
  std::atomic<bool> canceled{false};
  {
    const std::jthread consumer([&] {
      const auto ended = queue_.pop([](Deltas&, bool) -> Result<void> { return {}; }, stop.get_token());
      canceled = !ended && ended.error().is_canceled();
    });
    stop.request_stop();
  }
  EXPECT_TRUE(canceled);
  EXPECT_FALSE(queue_.is_closed());
}

// TestDeltaFIFO_basic, TestRealFIFO_basic

TEST_P(SynchronizedQueueTest, ConcurrentProducersKeepTheOrderOfEachOne) {
  constexpr int kAmount = 500;
  std::map<std::string, int> last;
  {
    const auto produce = [&](const char* prefix) {
      for (int i = 1; i <= kAmount; ++i) {
        EXPECT_TRUE(queue_.add(test::make_pod({.namespace_ = prefix, .name = "p" + std::to_string(i)})));
      }
    };
    const std::jthread one(produce, "one");
    const std::jthread two(produce, "two");
    for (int taken = 0; taken < 2 * kAmount; ++taken) {
      const auto popped = queue_.pop([&](Deltas& deltas, bool) -> Result<void> {
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
  EXPECT_EQ(queue_.size(), 0U);
}

TEST_P(SynchronizedQueueTest, TheReadyHookRunsAgainAfterEachTimeItWasEmptied) {
  int calls = 0;
  queue_.on_ready([&] { ++calls; });
  for (int round = 1; round <= 3; ++round) {
    ASSERT_TRUE(queue_.update(pod("a", round)));
    ASSERT_TRUE(queue_.update(pod("b", round)));
    EXPECT_EQ(calls, round);
    while (pop()) {
    }
  }
}

TEST_P(SynchronizedQueueTest, TheReadyHookRunsForAVersionThatBringsNothingToTake) {
  ASSERT_TRUE(queue_.replace({pod("a")}, "1"));
  while (pop()) {
  }
  int calls = 0;
  queue_.on_ready([&] { ++calls; });
  queue_.bookmark("2");  // which neither queue keeps
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(pop());
  ASSERT_TRUE(queue_.add(pod("b")));
  EXPECT_EQ(calls, 2);
  queue_.bookmark("3");  // there is something to take
  EXPECT_EQ(calls, 2);
}

TEST_P(SynchronizedQueueTest, HooksAndTheProcessFunctionMayCallTheQueue) {
  std::vector<std::string> seen;
  const auto note = [&] { seen.push_back(std::to_string(queue_.size()) + (queue_.has_synced() ? " synced" : "")); };
  queue_.on_ready(note);
  queue_.on_synced(note);
  ASSERT_TRUE(queue_.replace({pod("a")}, "1"));
  const auto popped = queue_.try_pop([&](Deltas&, bool) { return queue_.update(pod("a", 2)); });
  ASSERT_TRUE(popped);
  EXPECT_THAT(seen, ElementsAre("1", "1", "1 synced"));
}

TEST_P(SynchronizedQueueTest, WhatHasNoKeyOrIsRefusedByTheTransformIsNotQueued) {
  SynchronizedQueue queue(plain_queue(GetParam()), Intake({}, [](meta::Object object) -> Result<meta::Object> {
                            if (object.name() == "bad") return Error::decode("no");
                            return test::make_pod({.name = std::string(object.name()), .version = "t"});
                          }));
  EXPECT_FALSE(queue.add(pod("bad")));
  EXPECT_FALSE(queue.update(test::bare_object("x")));
  EXPECT_FALSE(queue.remove({}));
  EXPECT_FALSE(queue.replace({pod("good"), pod("bad")}, "1"));
  EXPECT_FALSE(queue.repair({pod("bad")}, "1"));
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_FALSE(queue.has_synced());
  ASSERT_TRUE(queue.add(pod("good")));
  EXPECT_EQ(pop_text(queue), "Added default/good@t");
}

TEST_P(SynchronizedQueueTest, ARepairIsMarked) {
  ASSERT_TRUE(queue_.repair({pod("a")}, "1"));
  bool repairs = false;
  ASSERT_TRUE(queue_.try_pop([&](Deltas& deltas, bool) -> Result<void> {
    repairs = deltas[0].repairs();
    return {};
  }));
  EXPECT_TRUE(repairs);
}

/// Producers of single changes do not wait for the consumer, and a list comes after what they brought before it.
TEST_P(SynchronizedQueueTest, AListComesAfterTheChangesBeforeItAndBeforeThoseAfterIt) {
  ASSERT_TRUE(queue_.add(pod("a", 1)));
  ASSERT_TRUE(queue_.update(pod("a", 2)));
  ASSERT_TRUE(queue_.replace({pod("a", 3), pod("b", 3)}, "3"));
  ASSERT_TRUE(queue_.update(pod("b", 4)));
  EXPECT_EQ(queue_.size(), GetParam() == Kind::Ordered ? 4U : 2U);

  if (GetParam() == Kind::Ordered) {
    EXPECT_THAT(test::drain(queue_), ElementsAre("Added default/a@1", "Updated default/a@2",
                                                 "ReplacedAll@3[default/a@3 default/b@3]", "Updated default/b@4"));
  } else {
    EXPECT_THAT(test::drain(queue_), ElementsAre("Added default/a@1, Updated default/a@2, Sync default/a@3",
                                                 "Sync default/b@3, Updated default/b@4"));
  }
}

TEST_P(SynchronizedQueueTest, AStopThatWasRequestedBeforeStillTakesWhatIsThere) {
  std::stop_source stop;
  stop.request_stop();
  ASSERT_TRUE(queue_.add(pod("a")));
  const Process nothing = [](Deltas&, bool) -> Result<void> { return {}; };
  EXPECT_TRUE(queue_.pop(nothing, stop.get_token()));
  const auto ended = queue_.pop(nothing, stop.get_token());
  ASSERT_FALSE(ended);
  EXPECT_TRUE(ended.error().is_canceled());
}

TEST_P(SynchronizedQueueTest, ABlockedPopTakesWhatComes) {
  for (int round = 1; round <= 200; ++round) {
    std::string seen;
    {
      const std::jthread consumer([&] {
        EXPECT_TRUE(queue_.pop([&](Deltas& deltas, bool) -> Result<void> {
          seen = test::text_of(deltas);
          return {};
        }));
      });
      ASSERT_TRUE(queue_.update(pod("a", round)));
    }
    ASSERT_EQ(seen, "Updated default/a@" + std::to_string(round));
  }
}

}  // namespace
}  // namespace kubexx::delta
