#include "kubexx/delta/ordered_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <stdexcept>

#include "unit/delta/queue_support.hpp"

namespace kubexx::delta {
namespace {

using test::drain;
using test::FedOrdered;
using test::kSingly;
using test::pod;
using test::pop_text;
using test::text_of;
using testing::ElementsAre;

std::size_t allocated() {
  return mallinfo2().uordblks + mallinfo2().hblkhd;
}

// TestRealFIFO_addUpdate, TestRealFIFO_detectLineJumpers
TEST(OrderedQueueTest, EveryChangeIsPoppedOnItsOwnInArrivalOrder) {
  FedOrdered queue(kSingly);
  ASSERT_TRUE(queue.add(pod("foo", 1)));
  ASSERT_TRUE(queue.add(pod("bar", 2)));
  ASSERT_TRUE(queue.update(pod("foo", 3)));
  EXPECT_EQ(pop_text(queue), "Added default/foo@1");
  ASSERT_TRUE(queue.update(pod("foo", 3)));

  EXPECT_THAT(drain(queue), ElementsAre("Added default/bar@2", "Updated default/foo@3", "Updated default/foo@3"));
}

// TestRealFIFO_addReplace, TestRealFIFO_replaceWithDeleteDeltaIn
TEST(OrderedQueueTest, AListComesBehindWhatIsQueued) {
  FedOrdered queue(kSingly);
  ASSERT_TRUE(queue.add(pod("foo", 2)));
  ASSERT_TRUE(queue.remove(pod("foo", 3)));
  ASSERT_TRUE(queue.replace({pod("foo", 4)}, "4"));

  EXPECT_THAT(drain(queue),
              ElementsAre("Added default/foo@2", "Deleted default/foo@3", "ReplacedAll@4[default/foo@4]"));
}

// TestRealFIFO_enqueueingNoLister, TestRealFIFO_enqueueingWithLister, TestRealFIFO_DeleteExistingNonPropagated
TEST(OrderedQueueTest, DeletionsAreQueuedWhetherTheKeyIsKnownOrNot) {
  FedOrdered queue(kSingly);
  ASSERT_TRUE(queue.add(pod("known", 1)));
  ASSERT_EQ(pop_text(queue), "Added default/known@1");
  ASSERT_TRUE(queue.remove(pod("known", 2)));
  ASSERT_TRUE(queue.remove(pod("stranger", 3)));
  ASSERT_TRUE(queue.remove(pod("stranger", 4)));

  EXPECT_THAT(drain(queue),
              ElementsAre("Deleted default/known@2", "Deleted default/stranger@3", "Deleted default/stranger@4"));
}

TEST(OrderedQueueTest, AReplaceWithAnUnkeyableObjectChangesNothing) {
  FedOrdered queue;
  EXPECT_FALSE(queue.replace({pod("foo"), test::bare_object("x")}, "1"));
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_FALSE(queue.has_synced());
}

// TestRealFIFO_transformer
TEST(OrderedQueueTest, EachIncomingObjectIsTransformedOnceAndResyncsNever) {
  int calls = 0;
  const TransformFunc mark = [&](meta::Object object) -> Result<meta::Object> {
    ++calls;
    return test::make_pod({.name = std::string(object.name()), .version = "t"});
  };
  FedOrdered queue(kSingly, Intake({}, mark));
  ASSERT_TRUE(queue.add(pod("a", 1)));
  ASSERT_TRUE(queue.update(pod("a", 2)));
  ASSERT_TRUE(queue.update(pod("a", 2)));
  ASSERT_TRUE(queue.remove(pod("a", 3)));
  ASSERT_TRUE(queue.resync());
  ASSERT_TRUE(queue.replace({pod("b", 4), pod("b", 4)}, "4"));
  EXPECT_EQ(calls, 6);
  EXPECT_THAT(drain(queue), ElementsAre("Added default/a@t", "Updated default/a@t", "Updated default/a@t",
                                        "Deleted default/a@t", "SyncAll", "ReplacedAll@4[default/b@t default/b@t]"));
}

TEST(OrderedQueueTest, ATransformThatFailsOrThrowsDropsTheEventOrTheWholeReplace) {
  FedOrdered queue(Intake({}, [](meta::Object object) -> Result<meta::Object> {
    if (object.name() == "bad") return Error::decode("no");
    if (object.name() == "ugly") throw std::runtime_error("boom");
    return object;
  }));
  EXPECT_FALSE(queue.add(pod("bad")));
  EXPECT_FALSE(queue.update(pod("ugly")));
  EXPECT_FALSE(queue.replace({pod("good"), pod("bad")}, "1"));
  EXPECT_EQ(queue.size(), 0U);
}

// TestRealFIFO_ReplaceAtomic, TestRealFIFO_ReplaceAtomicPop, TestRealFIFO_ResyncAtomic
TEST(OrderedQueueTest, AListAResyncAndABookmarkAreOneChangeEach) {
  FedOrdered queue({.emit_bookmarks = true, .batch_size = 1});
  ASSERT_TRUE(queue.add(pod("foo", 1)));
  ASSERT_TRUE(queue.replace({pod("foo", 2), pod("bar", 2)}, "5"));
  ASSERT_TRUE(queue.remove(pod("foo", 6)));
  queue.bookmark("7");
  ASSERT_TRUE(queue.replace({}, "8"));
  ASSERT_TRUE(queue.resync());

  EXPECT_THAT(drain(queue), ElementsAre("Added default/foo@1", "ReplacedAll@5[default/foo@2 default/bar@2]",
                                        "Deleted default/foo@6", "Bookmark@7", "ReplacedAll@8[]", "SyncAll"));
}

TEST(OrderedQueueTest, BookmarksAreIgnoredUnlessAskedFor) {
  FedOrdered queue(kSingly);
  queue.bookmark("7");
  EXPECT_EQ(queue.size(), 0U);
}

TEST(OrderedQueueTest, ABatchSizeOfNothingIsMisuse) {
  EXPECT_THROW(OrderedQueue({.batch_size = 0}), std::logic_error);
}

TEST(OrderedQueueTest, ARepairMarksItsList) {
  FedOrdered queue(kSingly);
  ASSERT_TRUE(queue.replace({pod("a", 1)}, "1"));
  ASSERT_TRUE(queue.repair({pod("a", 2)}, "1"));
  std::vector<bool> repairs;
  const Process note = [&](Deltas& deltas, bool) -> Result<void> {
    repairs.push_back(deltas[0].repairs());
    return {};
  };
  while (queue.try_pop(note).value()) {
  }
  EXPECT_THAT(repairs, ElementsAre(false, true));
}

TEST(OrderedQueueTest, AQueueThatIsNeverEmptyGivesBackTheRoomOfWhatWasTaken) {
  constexpr std::size_t kQueued = 100;
  constexpr int kRounds = 200'000;
  FedOrdered queue(kSingly);
  for (std::size_t i = 0; i < kQueued; ++i) ASSERT_TRUE(queue.add(pod("p" + std::to_string(i))));
  const meta::KeyedObject next = Intake().take(pod("next")).value();
  const Process drop = [](Deltas&, bool) -> Result<void> { return {}; };
  const std::size_t before = allocated();
  for (int i = 0; i < kRounds; ++i) {
    queue.OrderedQueue::add(next.key, next.object);
    ASSERT_TRUE(queue.try_pop(drop).value());
  }

  EXPECT_EQ(queue.size(), kQueued);
  EXPECT_LT(allocated(), before + kRounds / 10 * sizeof(Delta));
}

TEST(OrderedQueueTest, WhatWaitsStaysInOrderWhileRoomIsGivenBack) {
  constexpr int kChanges = 30'000;
  FedOrdered queue({.batch_size = 7});
  int next = 0;
  int expected = 0;
  const Process check = [&](Deltas& deltas, bool) -> Result<void> {
    for (const Delta& delta : deltas) EXPECT_EQ(delta.object().name(), "p" + std::to_string(expected++));
    return {};
  };
  while (next < kChanges) {
    for (int i = 0; i < 9; ++i) ASSERT_TRUE(queue.add(pod("p" + std::to_string(next++))));
    ASSERT_TRUE(queue.try_pop(check).value());
  }
  while (queue.try_pop(check).value()) {
  }
  EXPECT_EQ(expected, next);
}

TEST(OrderedQueueTest, TheProcessFunctionMayKeepTheDeltas) {
  FedOrdered queue({.batch_size = 2});
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(queue.add(pod(name)));
  std::vector<Deltas> kept;
  const Process keep = [&](Deltas& deltas, bool) -> Result<void> {
    kept.push_back(std::move(deltas));
    return {};
  };
  while (queue.try_pop(keep).value()) {
  }

  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(text_of(kept[0]), "Added default/a@1, Added default/b@1");
  EXPECT_EQ(text_of(kept[1]), "Added default/c@1");
}

TEST(OrderedQueueTest, AddIfNotPresentAppendsWhatHasNoNewerChange) {
  FedOrdered queue(kSingly);
  ASSERT_TRUE(queue.add(pod("other", 1)));
  ASSERT_TRUE(
      queue.add_if_not_present({Delta(DeltaType::Added, pod("foo", 1)), Delta(DeltaType::Updated, pod("foo", 2))}));
  ASSERT_TRUE(queue.add_if_not_present({Delta(DeltaType::Updated, pod("other", 0))}));
  EXPECT_THAT(drain(queue), ElementsAre("Added default/other@1", "Added default/foo@1", "Updated default/foo@2"));

  EXPECT_FALSE(queue.add_if_not_present({}));
  EXPECT_FALSE(queue.add_if_not_present({Delta(DeltaType::Added, test::bare_object("x"))}));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(OrderedQueueTest, AChangeThatFailedDoesNotGoBehindAWholeListThatWaits) {
  FedOrdered queue(kSingly);
  ASSERT_TRUE(queue.replace({pod("bar", 5)}, "5"));
  ASSERT_TRUE(queue.add_if_not_present({Delta(DeltaType::Updated, pod("foo", 2))}));
  EXPECT_THAT(drain(queue), ElementsAre("ReplacedAll@5[default/bar@5]"));
}

TEST(OrderedQueueTest, AListThatFailedGoesBackBeforeWhatCameAfterItAndHoldsBackSync) {
  FedOrdered queue({.emit_bookmarks = true, .batch_size = 1});
  ASSERT_TRUE(queue.replace({pod("foo", 1)}, "1"));
  ASSERT_TRUE(queue.update(pod("foo", 2)));
  const auto failed = queue.try_pop([&](Deltas& deltas, bool) -> Result<void> {
    EXPECT_TRUE(queue.add_if_not_present(deltas));
    return Error::timeout("later");
  });
  EXPECT_FALSE(failed);
  EXPECT_FALSE(queue.has_synced());
  EXPECT_EQ(queue.size(), 2U);

  EXPECT_EQ(pop_text(queue), "ReplacedAll@1[default/foo@1]");
  EXPECT_TRUE(queue.has_synced());
  EXPECT_EQ(pop_text(queue), "Updated default/foo@2");
  ASSERT_TRUE(queue.add_if_not_present({Delta::bookmark("3")}));
  EXPECT_EQ(queue.size(), 0U);
}

class Batches {
 public:
  explicit Batches(OrderedQueue& queue) {
    const Process note = [this](Deltas& deltas, bool initial) -> Result<void> {
      seen.push_back((initial ? "initial " : "later ") + text_of(deltas));
      return {};
    };
    while (queue.try_pop(note).value()) {
    }
  }
  std::vector<std::string> seen;
};

// TestRealFIFO_PopMultipleDeltaInBatch
TEST(OrderedQueueBatchTest, ABatchEndsBeforeAKeyItAlreadyHas) {
  FedOrdered queue;
  ASSERT_TRUE(queue.add(pod("a", 1)));
  ASSERT_TRUE(queue.add(pod("b", 1)));
  ASSERT_TRUE(queue.update(pod("a", 2)));
  ASSERT_TRUE(queue.add(pod("c", 1)));
  ASSERT_TRUE(queue.update(pod("c", 2)));

  EXPECT_THAT(Batches(queue).seen,
              ElementsAre("later Added default/a@1, Added default/b@1", "later Updated default/a@2, Added default/c@1",
                          "later Updated default/c@2"));
}

TEST(OrderedQueueBatchTest, ABatchNeverMixesInitialWithLaterChanges) {
  FedOrdered queue({.emit_bookmarks = true});
  ASSERT_TRUE(queue.resync());
  queue.bookmark("1");
  ASSERT_TRUE(queue.replace({pod("a", 1)}, "1"));
  ASSERT_TRUE(queue.add(pod("d", 2)));
  ASSERT_TRUE(queue.add(pod("e", 2)));

  EXPECT_THAT(Batches(queue).seen,
              ElementsAre("initial SyncAll", "initial Bookmark@1", "initial ReplacedAll@1[default/a@1]",
                          "later Added default/d@2, Added default/e@2"));
}

TEST(OrderedQueueBatchTest, ABatchHoldsAtMostItsSizeAndTheDefaultIsAThousand) {
  FedOrdered small({.batch_size = 2});
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(small.add(pod(name)));
  EXPECT_EQ(Batches(small).seen.size(), 2U);

  FedOrdered queue;
  for (int i = 0; i < 1001; ++i) ASSERT_TRUE(queue.add(pod("p" + std::to_string(i))));
  std::vector<std::size_t> sizes;
  const Process count = [&](Deltas& deltas, bool) -> Result<void> {
    sizes.push_back(deltas.size());
    return {};
  };
  while (queue.try_pop(count).value()) {
  }
  EXPECT_THAT(sizes, ElementsAre(1000U, 1U));
}

TEST(OrderedQueueBatchTest, ListsResyncsAndBookmarksStandAlone) {
  FedOrdered queue({.emit_bookmarks = true});
  ASSERT_TRUE(queue.replace({pod("a", 1)}, "1"));
  ASSERT_TRUE(queue.add(pod("b", 2)));
  ASSERT_TRUE(queue.add(pod("c", 2)));
  queue.bookmark("3");
  ASSERT_TRUE(queue.resync());

  EXPECT_THAT(Batches(queue).seen,
              ElementsAre("initial ReplacedAll@1[default/a@1]", "later Added default/b@2, Added default/c@2",
                          "later Bookmark@3", "later SyncAll"));
}

// TestRealFIFO_PopBrokenItemsInBatch: here what has no key is refused at the entrance.
TEST(OrderedQueueBatchTest, AnUnkeyableObjectIsRefusedAndDisturbsNoBatch) {
  FedOrdered queue;
  EXPECT_FALSE(queue.add(test::bare_object("first")));
  ASSERT_TRUE(queue.add(pod("a")));
  EXPECT_FALSE(queue.add(test::bare_object("nth")));
  EXPECT_FALSE(queue.remove({}));
  ASSERT_TRUE(queue.add(pod("b")));

  EXPECT_THAT(Batches(queue).seen, ElementsAre("later Added default/a@1, Added default/b@1"));
}

TEST(OrderedQueueBatchTest, KeysOfTheUsersFunctionDecideWhatIsTheSame) {
  const meta::KeyFunc first_letter = [](const meta::Object& object) -> Result<std::string> {
    return std::string(object.name().substr(0, 1));
  };
  FedOrdered queue(Intake(first_letter, {}));
  ASSERT_TRUE(queue.add(pod("a1")));
  ASSERT_TRUE(queue.add(pod("b1")));
  ASSERT_TRUE(queue.add(pod("a2")));

  EXPECT_THAT(Batches(queue).seen,
              ElementsAre("later Added default/a1@1, Added default/b1@1", "later Added default/a2@1"));
}

}  // namespace
}  // namespace kubexx::delta
