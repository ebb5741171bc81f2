#include "kubexx/delta/ordered_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "unit/delta/queue_support.hpp"

namespace kubexx::delta {
namespace {

using test::drain;
using test::FakeKnownObjects;
using test::known;
using test::pod;
using test::pop_text;
using test::text_of;
using testing::ElementsAre;
using testing::IsEmpty;

OrderedQueue::Options piecewise(std::shared_ptr<FakeKnownObjects> objects) {
  return {.atomic_events = false, .known_objects = std::move(objects)};
}

// TestRealFIFO_addUpdate, TestRealFIFO_detectLineJumpers
TEST(OrderedQueueTest, EveryChangeIsPoppedOnItsOwnInArrivalOrder) {
  OrderedQueue queue;
  ASSERT_TRUE(queue.add(pod("foo", 1)));
  ASSERT_TRUE(queue.add(pod("bar", 2)));
  ASSERT_TRUE(queue.update(pod("foo", 3)));
  EXPECT_EQ(pop_text(queue), "Added default/foo@1");
  ASSERT_TRUE(queue.update(pod("foo", 3)));

  EXPECT_THAT(drain(queue), ElementsAre("Added default/bar@2", "Updated default/foo@3", "Updated default/foo@3"));
}

// TestRealFIFO_addReplace, TestRealFIFO_replaceWithDeleteDeltaIn
TEST(OrderedQueueTest, ObjectsOfAPiecewiseReplaceComeBehindWhatIsQueued) {
  OrderedQueue queue(piecewise(known({pod("foo", 1)})));
  ASSERT_TRUE(queue.add(pod("foo", 2)));
  ASSERT_TRUE(queue.remove(pod("foo", 3)));
  ASSERT_TRUE(queue.replace({pod("foo", 4)}, "4"));

  EXPECT_THAT(drain(queue), ElementsAre("Added default/foo@2", "Deleted default/foo@3", "Replaced default/foo@4"));
}

// TestRealFIFO_enqueueingNoLister, TestRealFIFO_enqueueingWithLister, TestRealFIFO_DeleteExistingNonPropagated
TEST(OrderedQueueTest, DeletionsAreQueuedWhetherTheKeyIsKnownOrNot) {
  OrderedQueue queue(piecewise(known({pod("known", 1)})));
  ASSERT_TRUE(queue.remove(pod("known", 2)));
  ASSERT_TRUE(queue.remove(pod("stranger", 3)));
  ASSERT_TRUE(queue.remove(pod("stranger", 4)));

  EXPECT_THAT(drain(queue),
              ElementsAre("Deleted default/known@2", "Deleted default/stranger@3", "Deleted default/stranger@4"));
}

// TestRealFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue
TEST(OrderedQueueTest, APiecewiseReplaceBuriesEachLiveQueuedKeyOnceOverRepeatedReplaces) {
  OrderedQueue queue(piecewise(known({})));
  ASSERT_TRUE(queue.add(pod("live", 1)));
  ASSERT_TRUE(queue.add(pod("gone", 1)));
  ASSERT_TRUE(queue.remove(pod("gone", 2)));
  ASSERT_TRUE(queue.add(pod("back", 1)));
  ASSERT_TRUE(queue.remove(pod("back", 2)));
  ASSERT_TRUE(queue.add(pod("back", 3)));
  ASSERT_TRUE(queue.replace({}, "4"));
  ASSERT_TRUE(queue.replace({}, "5"));
  queue.bookmark("6");  // ignored without atomic events

  EXPECT_THAT(drain(queue), ElementsAre("Added default/live@1", "Added default/gone@1", "Deleted default/gone@2",
                                        "Added default/back@1", "Deleted default/back@2", "Added default/back@3",
                                        "Deleted! default/live@1", "Deleted! default/back@3"));
}

// TestRealFIFO_ReplaceMakesDeletions, TestRealFIFO_ReplaceMakesDeletionsReplaced
TEST(OrderedQueueTest, DeletionsOfAPiecewiseReplaceComeBeforeItsObjectsAndCarryTheNewestState) {
  const auto three = [] { return known({pod("foo", 5), pod("bar", 6), pod("baz", 7)}); };
  {
    OrderedQueue queue(piecewise(three()));
    ASSERT_TRUE(queue.remove(pod("baz", 10)));
    ASSERT_TRUE(queue.replace({pod("foo", 5), pod("foo", 6)}, "0"));
    EXPECT_THAT(drain(queue), ElementsAre("Deleted default/baz@10", "Deleted! default/bar@6", "Replaced default/foo@5",
                                          "Replaced default/foo@6"));
  }
  {
    OrderedQueue queue(piecewise(three()));
    ASSERT_TRUE(queue.update(pod("baz", 10)));
    ASSERT_TRUE(queue.replace({pod("foo", 5)}, "0"));
    EXPECT_THAT(drain(queue), ElementsAre("Updated default/baz@10", "Deleted! default/baz@10", "Deleted! default/bar@6",
                                          "Replaced default/foo@5"));
  }
  {
    const auto objects = three();
    objects->lose("default/bar");
    objects->erase("default/baz");
    OrderedQueue queue(piecewise(objects));
    ASSERT_TRUE(queue.replace({pod("foo", 5)}, "0"));
    EXPECT_THAT(drain(queue), ElementsAre("Deleted! default/bar", "Replaced default/foo@5"));
  }
}

TEST(OrderedQueueTest, AReplaceWithAnUnkeyableObjectChangesNothing) {
  for (const bool atomic : {false, true}) {
    OrderedQueue queue(atomic ? OrderedQueue::Options{} : piecewise(known({pod("old")})));
    EXPECT_FALSE(queue.replace({pod("foo"), test::bare_object("x")}, "1"));
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_FALSE(queue.has_synced());
  }
}

// TestRealFIFO_ResyncNonExisting, TestRealFIFO_Resync, TestRealFIFO_UpdateResyncRace
TEST(OrderedQueueTest, APiecewiseResyncQueuesKnownObjectsWithNothingUnderWay) {
  OrderedQueue queue(piecewise(known({pod("bar", 5), pod("foo", 5), pod("qux", 5)})));
  ASSERT_TRUE(queue.remove(pod("foo", 10)));
  ASSERT_TRUE(queue.update(pod("bar", 11)));
  ASSERT_TRUE(queue.resync());

  EXPECT_THAT(drain(queue), ElementsAre("Deleted default/foo@10", "Updated default/bar@11", "Sync default/qux@5"));
}

TEST(OrderedQueueTest, APiecewiseReplaceDuringProcessingBuriesWhatIsBeingProcessed) {
  OrderedQueue queue(piecewise(known({pod("dying", 1)})));
  ASSERT_TRUE(queue.add(pod("foo", 1)));
  ASSERT_TRUE(queue.remove(pod("dying", 2)));
  const auto popped = queue.try_pop_batch([&](Deltas&, bool) { return queue.replace({}, "3"); },
                                          [](Deltas&, bool) -> Result<void> { return Error::config("not a batch"); });

  ASSERT_TRUE(popped) << popped.error();
  EXPECT_THAT(drain(queue), ElementsAre("Deleted! default/foo@1"));
}

TEST(OrderedQueueTest, APiecewiseResyncDuringProcessingDoesNotBringBackTheOldState) {
  OrderedQueue queue(piecewise(known({pod("foo", 1)})));
  ASSERT_TRUE(queue.update(pod("foo", 2)));
  ASSERT_TRUE(queue.try_pop([&](Deltas&, bool) { return queue.resync(); }));

  EXPECT_THAT(drain(queue), IsEmpty());
}

// TestRealFIFO_transformer
TEST(OrderedQueueTest, EachIncomingObjectIsTransformedOnceAndTombstonesAndResyncsNever) {
  int calls = 0;
  const TransformFunc mark = [&](meta::Object object) -> Result<meta::Object> {
    ++calls;
    return test::make_pod({.name = std::string(object.name()), .version = "t"});
  };
  auto options = piecewise(known({pod("known", 1)}));
  options.transform = mark;
  OrderedQueue queue(options);
  ASSERT_TRUE(queue.add(pod("a", 1)));
  ASSERT_TRUE(queue.update(pod("a", 2)));
  ASSERT_TRUE(queue.update(pod("a", 2)));
  ASSERT_TRUE(queue.remove(pod("a", 3)));
  ASSERT_TRUE(queue.resync());
  ASSERT_TRUE(queue.replace({pod("b", 4), pod("b", 4)}, "4"));
  EXPECT_EQ(calls, 6);
  EXPECT_THAT(drain(queue), ElementsAre("Added default/a@t", "Updated default/a@t", "Updated default/a@t",
                                        "Deleted default/a@t", "Sync default/known@1", "Deleted! default/known@1",
                                        "Replaced default/b@t", "Replaced default/b@t"));

  OrderedQueue atomic({.transform = mark});
  ASSERT_TRUE(atomic.replace({pod("a", 1), pod("b", 1)}, "9"));
  EXPECT_EQ(calls, 8);
  EXPECT_EQ(pop_text(atomic), "ReplacedAll@9[default/a@t default/b@t]");
}

TEST(OrderedQueueTest, ATransformThatFailsOrThrowsDropsTheEventOrTheWholeReplace) {
  OrderedQueue queue({.transform = [](meta::Object object) -> Result<meta::Object> {
    if (object.name() == "bad") return Error::decode("no");
    if (object.name() == "ugly") throw std::runtime_error("boom");
    return object;
  }});
  EXPECT_FALSE(queue.add(pod("bad")));
  EXPECT_FALSE(queue.update(pod("ugly")));
  EXPECT_FALSE(queue.replace({pod("good"), pod("bad")}, "1"));
  EXPECT_EQ(queue.size(), 0U);
}

// TestRealFIFO_ReplaceAtomic, TestRealFIFO_ReplaceAtomicPop, TestRealFIFO_ResyncAtomic
TEST(OrderedQueueTest, WithAtomicEventsAListAResyncAndABookmarkAreOneChangeEach) {
  OrderedQueue queue({.emit_bookmarks = true});
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
  OrderedQueue queue;
  queue.bookmark("7");
  EXPECT_EQ(queue.size(), 0U);
}

TEST(OrderedQueueTest, OptionsThatContradictEachOtherAreMisuse) {
  EXPECT_THROW(OrderedQueue({.known_objects = known({})}), std::logic_error);
  EXPECT_THROW(OrderedQueue({.atomic_events = false}), std::logic_error);
  EXPECT_THROW(OrderedQueue({.atomic_events = false, .emit_bookmarks = true, .known_objects = known({})}),
               std::logic_error);
  EXPECT_THROW(OrderedQueue({.batch_size = 0}), std::logic_error);
}

TEST(OrderedQueueTest, WhatTheSinkHoldsIsAskedForThroughTheOption) {
  const meta::Object held = pod("foo", 1);
  OrderedQueue queue({.prefer_known = [&](meta::Object) { return held; }});
  EXPECT_TRUE(queue.prefer_known(pod("foo", 1)).same_document(held));
  const meta::Object fresh = pod("bar", 1);
  EXPECT_TRUE(OrderedQueue().prefer_known(fresh).same_document(fresh));
}

TEST(OrderedQueueTest, AddIfNotPresentAppendsWhatHasNoNewerChange) {
  OrderedQueue queue;
  ASSERT_TRUE(queue.add(pod("other", 1)));
  ASSERT_TRUE(
      queue.add_if_not_present({Delta(DeltaType::Added, pod("foo", 1)), Delta(DeltaType::Updated, pod("foo", 2))}));
  ASSERT_TRUE(queue.add_if_not_present({Delta(DeltaType::Updated, pod("other", 0))}));
  EXPECT_THAT(drain(queue), ElementsAre("Added default/other@1", "Added default/foo@1", "Updated default/foo@2"));

  EXPECT_FALSE(queue.add_if_not_present({}));
  EXPECT_FALSE(queue.add_if_not_present({Delta(DeltaType::Added, test::bare_object("x"))}));
}

TEST(OrderedQueueTest, AChangeThatFailedDoesNotGoBehindAWholeListThatWaits) {
  OrderedQueue queue;
  ASSERT_TRUE(queue.replace({pod("bar", 5)}, "5"));
  ASSERT_TRUE(queue.add_if_not_present({Delta(DeltaType::Updated, pod("foo", 2))}));
  EXPECT_THAT(drain(queue), ElementsAre("ReplacedAll@5[default/bar@5]"));
}

TEST(OrderedQueueTest, AListThatFailedGoesBackBeforeWhatCameAfterItAndHoldsBackSync) {
  OrderedQueue queue({.emit_bookmarks = true});
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
    const auto note = [this](const char* mark) {
      return [this, mark](Deltas& deltas, bool initial) -> Result<void> {
        seen.push_back(mark + std::string(initial ? "initial " : "later ") + text_of(deltas));
        return {};
      };
    };
    while (queue.try_pop_batch(note("batch "), note("")).value()) {
    }
  }
  std::vector<std::string> seen;
};

// TestRealFIFO_PopMultipleDeltaInBatch
TEST(OrderedQueueBatchTest, ABatchEndsBeforeAKeyItAlreadyHas) {
  OrderedQueue queue;
  ASSERT_TRUE(queue.add(pod("a", 1)));
  ASSERT_TRUE(queue.add(pod("b", 1)));
  ASSERT_TRUE(queue.update(pod("a", 2)));
  ASSERT_TRUE(queue.add(pod("c", 1)));
  ASSERT_TRUE(queue.update(pod("c", 2)));

  EXPECT_THAT(Batches(queue).seen,
              ElementsAre("batch later Added default/a@1, Added default/b@1",
                          "batch later Updated default/a@2, Added default/c@1", "later Updated default/c@2"));
}

TEST(OrderedQueueBatchTest, ABatchNeverMixesInitialWithLaterChanges) {
  OrderedQueue queue(piecewise(known({})));
  ASSERT_TRUE(queue.replace({pod("a", 1), pod("b", 1), pod("c", 1)}, "1"));
  ASSERT_TRUE(queue.add(pod("d", 2)));
  ASSERT_TRUE(queue.add(pod("e", 2)));

  EXPECT_THAT(Batches(queue).seen,
              ElementsAre("batch initial Replaced default/a@1, Replaced default/b@1, Replaced default/c@1",
                          "batch later Added default/d@2, Added default/e@2"));
}

TEST(OrderedQueueBatchTest, ABatchHoldsAtMostItsSizeAndTheDefaultIsAThousand) {
  OrderedQueue small({.batch_size = 2});
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(small.add(pod(name)));
  EXPECT_EQ(Batches(small).seen.size(), 2U);

  OrderedQueue queue;
  for (int i = 0; i < 1001; ++i) ASSERT_TRUE(queue.add(pod("p" + std::to_string(i))));
  std::vector<std::size_t> sizes;
  const auto count = [&](Deltas& deltas, bool) -> Result<void> {
    sizes.push_back(deltas.size());
    return {};
  };
  while (queue.try_pop_batch(count, count).value()) {
  }
  EXPECT_THAT(sizes, ElementsAre(1000U, 1U));
}

TEST(OrderedQueueBatchTest, ListsResyncsAndBookmarksStandAlone) {
  OrderedQueue queue({.emit_bookmarks = true});
  ASSERT_TRUE(queue.replace({pod("a", 1)}, "1"));
  ASSERT_TRUE(queue.add(pod("b", 2)));
  ASSERT_TRUE(queue.add(pod("c", 2)));
  queue.bookmark("3");
  ASSERT_TRUE(queue.resync());

  EXPECT_THAT(Batches(queue).seen,
              ElementsAre("initial ReplacedAll@1[default/a@1]", "batch later Added default/b@2, Added default/c@2",
                          "later Bookmark@3", "later SyncAll"));
}

// TestRealFIFO_PopBrokenItemsInBatch: here what has no key is refused at the entrance.
TEST(OrderedQueueBatchTest, AnUnkeyableObjectIsRefusedAndDisturbsNoBatch) {
  OrderedQueue queue;
  EXPECT_FALSE(queue.add(test::bare_object("first")));
  ASSERT_TRUE(queue.add(pod("a")));
  EXPECT_FALSE(queue.add(test::bare_object("nth")));
  EXPECT_FALSE(queue.remove({}));
  ASSERT_TRUE(queue.add(pod("b")));

  EXPECT_THAT(Batches(queue).seen, ElementsAre("batch later Added default/a@1, Added default/b@1"));
}

TEST(OrderedQueueBatchTest, KeysOfTheUsersFunctionDecideWhatIsTheSame) {
  OrderedQueue queue({.key_func = [](const meta::Object& object) -> Result<std::string> {
    return std::string(object.name().substr(0, 1));
  }});
  ASSERT_TRUE(queue.add(pod("a1")));
  ASSERT_TRUE(queue.add(pod("b1")));
  ASSERT_TRUE(queue.add(pod("a2")));

  EXPECT_THAT(Batches(queue).seen,
              ElementsAre("batch later Added default/a1@1, Added default/b1@1", "later Added default/a2@1"));
}

}  // namespace
}  // namespace kubexx::delta
