#include "kubexx/delta/delta_fifo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "unit/delta/queue_support.hpp"

namespace kubexx::delta {
namespace {

using test::drain;
using test::FedFifo;
using test::known;
using test::pod;
using test::pop_text;
using testing::ElementsAre;
using testing::IsEmpty;

// TestDeltaFIFO_addUpdate
TEST(DeltaFifoTest, ChangesOfOneKeyArePoppedTogetherOldestFirst) {
  FedFifo queue;
  ASSERT_TRUE(queue.add(pod("foo", 1)));
  ASSERT_TRUE(queue.update(pod("foo", 2)));
  ASSERT_TRUE(queue.add(pod("bar", 3)));

  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(pop_text(queue), "Added default/foo@1, Updated default/foo@2");
  EXPECT_EQ(pop_text(queue), "Added default/bar@3");
  EXPECT_EQ(pop_text(queue), "(empty)");
}

// TestDeltaFIFO_detectLineJumpers
TEST(DeltaFifoTest, AQueuedKeyKeepsItsPlaceAndAPoppedOneRejoinsAtTheEnd) {
  FedFifo queue;
  ASSERT_TRUE(queue.add(pod("foo", 10)));
  ASSERT_TRUE(queue.add(pod("bar", 1)));
  ASSERT_TRUE(queue.add(pod("foo", 11)));
  ASSERT_TRUE(queue.add(pod("foo", 13)));
  ASSERT_TRUE(queue.add(pod("zab", 30)));
  EXPECT_EQ(pop_text(queue), "Added default/foo@10, Added default/foo@11, Added default/foo@13");

  ASSERT_TRUE(queue.add(pod("foo", 14)));  // behind bar and zab now
  EXPECT_THAT(drain(queue), ElementsAre("Added default/bar@1", "Added default/zab@30", "Added default/foo@14"));
}

// TestDeltaFIFO_enqueueingNoLister
TEST(DeltaFifoTest, WithoutKnownObjectsADeletionOfAKeyThatIsNotQueuedIsDropped) {
  FedFifo queue;
  ASSERT_TRUE(queue.add(pod("foo", 10)));
  ASSERT_TRUE(queue.update(pod("bar", 15)));
  ASSERT_TRUE(queue.add(pod("qux", 17)));
  ASSERT_TRUE(queue.remove(pod("qux", 18)));
  ASSERT_TRUE(queue.remove(pod("baz", 20)));

  EXPECT_THAT(drain(queue), ElementsAre("Added default/foo@10", "Updated default/bar@15",
                                        "Added default/qux@17, Deleted default/qux@18"));
}

// TestDeltaFIFO_enqueueingWithLister
TEST(DeltaFifoTest, ADeletionOfAKnownKeyIsQueuedAndOneOfAnUnknownKeyIsNot) {
  FedFifo queue({.known_objects = known({pod("baz", 5)})});
  ASSERT_TRUE(queue.remove(pod("baz", 20)));
  ASSERT_TRUE(queue.remove(pod("stranger", 21)));

  EXPECT_THAT(drain(queue), ElementsAre("Deleted default/baz@20"));
}

// TestDeltaFIFO_DeleteExistingNonPropagated
TEST(DeltaFifoTest, ADeletionOfAQueuedButUnknownKeyIsAppended) {
  FedFifo queue({.known_objects = known({})});
  ASSERT_TRUE(queue.add(pod("foo", 1)));
  ASSERT_TRUE(queue.remove(pod("foo", 2)));

  EXPECT_EQ(pop_text(queue), "Added default/foo@1, Deleted default/foo@2");
}

TEST(DeltaFifoTest, OfTwoDeletionsInARowTheOneThatWasSeenIsKept) {
  FedFifo queue({.known_objects = known({pod("foo", 1)})});
  ASSERT_TRUE(queue.remove(pod("foo", 2)));
  ASSERT_TRUE(queue.remove(pod("foo", 3)));
  EXPECT_EQ(pop_text(queue), "Deleted default/foo@2");

  ASSERT_TRUE(queue.replace({}, "5"));  // a tombstone first
  ASSERT_TRUE(queue.remove(pod("foo", 6)));
  EXPECT_EQ(pop_text(queue), "Deleted default/foo@6");
}

// TestDeltaFIFO_replaceWithDeleteDeltaIn, TestDeltaFIFO_ReplaceMakesDeletionsReplaced
TEST(DeltaFifoTest, AListedObjectIsQueuedEvenBehindItsOwnDeletion) {
  FedFifo queue({.known_objects = known({pod("foo", 1)}), .emit_delta_type_replaced = true});
  ASSERT_TRUE(queue.remove(pod("foo", 1)));
  ASSERT_TRUE(queue.replace({pod("foo", 1)}, "1"));

  EXPECT_EQ(pop_text(queue), "Deleted default/foo@1, Replaced default/foo@1");
}

// TestDeltaFIFO_ReplaceDeltaType
TEST(DeltaFifoTest, ObjectsOfAReplaceAreSyncUnlessReplacedIsAskedFor) {
  FedFifo plain;
  FedFifo replaced({.emit_delta_type_replaced = true});
  ASSERT_TRUE(plain.replace({pod("foo", 1)}, "1"));
  ASSERT_TRUE(replaced.replace({pod("foo", 1)}, "1"));

  EXPECT_EQ(pop_text(plain), "Sync default/foo@1");
  EXPECT_EQ(pop_text(replaced), "Replaced default/foo@1");
}

// TestDeltaFIFO_addReplace
TEST(DeltaFifoTest, AReplaceAfterAnAddEndsInTheListedState) {
  FedFifo queue;
  ASSERT_TRUE(queue.add(pod("foo", 10)));
  ASSERT_TRUE(queue.replace({pod("foo", 15)}, "0"));
  EXPECT_EQ(pop_text(queue), "Added default/foo@10, Sync default/foo@15");
  EXPECT_EQ(queue.size(), 0U);
}

// TestDeltaFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue
TEST(DeltaFifoTest, AReplaceBuriesWhatIsOnlyQueuedExactlyOnce) {
  for (const bool with_known : {false, true}) {
    FedFifo queue(with_known ? DeltaFifo::Options{.known_objects = known({})} : DeltaFifo::Options{});
    ASSERT_TRUE(queue.add(pod("live", 1)));
    ASSERT_TRUE(queue.add(pod("gone", 1)));
    ASSERT_TRUE(queue.remove(pod("gone", 2)));
    ASSERT_TRUE(queue.replace({}, "3"));
    ASSERT_TRUE(queue.replace({}, "4"));

    EXPECT_THAT(drain(queue), ElementsAre("Added default/live@1, Deleted! default/live@1",
                                          "Added default/gone@1, Deleted default/gone@2"));
  }
}

// TestDeltaFIFO_ReplaceMakesDeletions
TEST(DeltaFifoTest, AReplaceBuriesKnownObjectsThatAreNoLongerListedWithTheirLastState) {
  const auto three = known({pod("foo", 5), pod("bar", 6), pod("baz", 7)});
  {
    FedFifo queue({.known_objects = three});
    ASSERT_TRUE(queue.remove(pod("baz", 10)));
    ASSERT_TRUE(queue.replace({pod("foo", 5)}, "0"));
    EXPECT_THAT(drain(queue), ElementsAre("Deleted default/baz@10", "Sync default/foo@5", "Deleted! default/bar@6"));
  }
  {  // the queue knows a newer state than the store
    FedFifo queue({.known_objects = three});
    ASSERT_TRUE(queue.update(pod("baz", 10)));
    ASSERT_TRUE(queue.replace({pod("foo", 5)}, "0"));
    EXPECT_THAT(drain(queue), ElementsAre("Updated default/baz@10, Deleted! default/baz@10", "Sync default/foo@5",
                                          "Deleted! default/bar@6"));
  }
  {  // deleted and made again
    FedFifo queue({.known_objects = three});
    ASSERT_TRUE(queue.remove(pod("bar", 8)));
    ASSERT_TRUE(queue.add(pod("bar", 100)));
    ASSERT_TRUE(queue.replace({pod("foo", 5)}, "0"));
    EXPECT_THAT(drain(queue), ElementsAre("Deleted default/bar@8, Added default/bar@100, Deleted! default/bar@100",
                                          "Sync default/foo@5", "Deleted! default/baz@7"));
  }
  {  // a resync is queued first
    FedFifo queue({.known_objects = known({pod("foo", 5)})});
    ASSERT_TRUE(queue.resync());
    ASSERT_TRUE(queue.replace({pod("bar", 6)}, "0"));
    EXPECT_THAT(drain(queue), ElementsAre("Sync default/foo@5, Deleted! default/foo@5", "Sync default/bar@6"));
  }
  {  // nothing known
    FedFifo queue;
    ASSERT_TRUE(queue.remove(pod("baz", 10)));
    ASSERT_TRUE(queue.replace({pod("foo", 5)}, "0"));
    EXPECT_THAT(drain(queue), ElementsAre("Sync default/foo@5"));
  }
}

meta::Object pod_in(std::string namespace_, std::string name, std::string version) {
  return test::make_pod({.namespace_ = std::move(namespace_), .name = std::move(name), .version = std::move(version)});
}

TEST(DeltaFifoTest, AListOfANamespaceBuriesNothingOfOthers) {
  DeltaFifo queue(
      {.known_objects = known({pod_in("red", "a", "1"), pod_in("red", "b", "2"), pod_in("blue", "c", "3")})});
  queue.add(meta::Key("red/queued"), pod_in("red", "queued", "4"));
  queue.add(meta::Key("blue/queued"), pod_in("blue", "queued", "5"));
  std::vector<meta::KeyedObject> listed{{meta::Key("red/a"), pod_in("red", "a", "6")}};
  queue.replace(std::move(listed), "7", false, {.namespaces = {"red"}});

  EXPECT_THAT(drain(queue), ElementsAre("Added red/queued@4, Deleted! red/queued@4", "Added blue/queued@5",
                                        "Sync red/a@6", "Deleted! red/b@2"));
  queue.replace({}, "", false, {.namespaces = {"red"}, .others = true});
  EXPECT_THAT(drain(queue), ElementsAre("Deleted! blue/c@3"));
}

TEST(DeltaFifoTest, WhatCameBeforeAMarkIsProcessedBeforeWhatComesAfterIt) {
  DeltaFifo queue;
  queue.add(meta::Key("default/a"), pod("a", 1));
  queue.add(meta::Key("default/b"), pod("b", 2));
  const auto mark = queue.mark();
  queue.add(meta::Key("default/c"), pod("c", 3));
  for (const bool processed : {false, false, true}) {
    EXPECT_EQ(queue.has_processed(mark), processed);
    pop_text(queue);
  }
}

TEST(DeltaFifoTest, AKnownObjectThatVanishesDuringAReplaceIsBuriedWithoutALastState) {
  const auto holder = known({});
  holder->lose("default/foo");
  FedFifo queue({.known_objects = holder});
  ASSERT_TRUE(queue.replace({}, "1"));

  EXPECT_EQ(pop_text(queue), "Deleted! default/foo");
}

TEST(DeltaFifoTest, AReplaceWithAnUnkeyableObjectChangesNothing) {
  FedFifo queue({.known_objects = known({pod("old")})});
  const auto refused = queue.replace({pod("foo"), test::bare_object("x")}, "1");

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), testing::HasSubstr("replace"));
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_FALSE(queue.has_synced());
  EXPECT_FALSE(queue.add(test::bare_object("y")));
  EXPECT_FALSE(queue.add({}));
}

// TestDeltaFIFO_ResyncNonExisting, TestDeltaFIFO_Resync
TEST(DeltaFifoTest, AResyncQueuesKnownObjectsWhoseKeyHasNothingQueued) {
  FedFifo queue({.known_objects = known({pod("foo", 5), pod("bar", 6)})});
  ASSERT_TRUE(queue.remove(pod("foo", 10)));
  ASSERT_TRUE(queue.resync());

  EXPECT_THAT(drain(queue), ElementsAre("Deleted default/foo@10", "Sync default/bar@6"));
}

// TestDeltaFIFO_UpdateResyncRace
TEST(DeltaFifoTest, AResyncDoesNotPutTheOldStateBehindAQueuedUpdate) {
  FedFifo queue({.known_objects = known({pod("foo", 5)})});
  ASSERT_TRUE(queue.update(pod("foo", 6)));
  ASSERT_TRUE(queue.resync());

  EXPECT_THAT(drain(queue), ElementsAre("Updated default/foo@6"));
}

TEST(DeltaFifoTest, AResyncWithoutKnownObjectsDoesNothing) {
  FedFifo queue;
  ASSERT_TRUE(queue.resync());
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_FALSE(queue.has_synced());
}

// TestDeltaFIFO_transformer
TEST(DeltaFifoTest, EachIncomingObjectIsTransformedOnceAndTombstonesAndResyncsNever) {
  int calls = 0;
  const auto holder = known({pod("known", 1)});
  const TransformFunc mark = [&](meta::Object object) -> Result<meta::Object> {
    ++calls;
    return test::make_pod({.name = std::string(object.name()), .version = "t"});
  };
  FedFifo queue({.known_objects = holder}, Intake({}, mark));
  ASSERT_TRUE(queue.add(pod("a", 1)));
  ASSERT_TRUE(queue.update(pod("a", 2)));
  ASSERT_TRUE(queue.remove(pod("a", 3)));
  EXPECT_EQ(calls, 3);
  ASSERT_TRUE(queue.resync());
  EXPECT_EQ(calls, 3);
  ASSERT_TRUE(queue.replace({pod("b", 4)}, "4"));
  EXPECT_EQ(calls, 4);

  EXPECT_THAT(drain(queue), ElementsAre("Added default/a@t, Updated default/a@t, Deleted default/a@t",
                                        "Sync default/known@1, Deleted! default/known@1", "Sync default/b@t"));
}

TEST(DeltaFifoTest, ATransformThatFailsOrThrowsDropsTheEventOrTheWholeReplace) {
  FedFifo queue(Intake({}, [](meta::Object object) -> Result<meta::Object> {
    if (object.name() == "bad") return Error::decode("no");
    if (object.name() == "ugly") throw std::runtime_error("boom");
    return object;
  }));
  EXPECT_FALSE(queue.add(pod("bad")));
  EXPECT_FALSE(queue.add(pod("ugly")));
  EXPECT_FALSE(queue.replace({pod("good"), pod("bad")}, "1"));
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_TRUE(queue.add(pod("good")));
  EXPECT_EQ(queue.size(), 1U);
}

TEST(DeltaFifoTest, AnyFunctionMayNameObjects) {
  const meta::KeyFunc one_key = [](const meta::Object& object) -> Result<std::string> {
    if (object.name() == "nameless") return Error::config("no key");
    return std::string("all the same");
  };
  FedFifo queue(Intake(one_key, {}));
  ASSERT_TRUE(queue.add(pod("a", 1)));
  ASSERT_TRUE(queue.add(pod("b", 2)));
  EXPECT_FALSE(queue.add(pod("nameless", 3)));

  EXPECT_THAT(drain(queue), ElementsAre("Added default/a@1, Added default/b@2"));
}

// The rest of the issue's contract: what is being processed is neither queued nor known, and must not be lost.
TEST(DeltaFifoTest, AReplaceDuringProcessingBuriesWhatIsBeingProcessedAndNoLongerListed) {
  FedFifo queue({.known_objects = known({})});
  ASSERT_TRUE(queue.add(pod("foo", 1)));
  const auto popped = queue.try_pop([&](Deltas&, bool) -> Result<void> { return queue.replace({}, "2"); });

  ASSERT_TRUE(popped);
  EXPECT_THAT(drain(queue), ElementsAre("Deleted! default/foo@1"));
}

TEST(DeltaFifoTest, AReplaceDuringTheProcessingOfADeletionDoesNotBuryItAgain) {
  FedFifo queue({.known_objects = known({pod("foo", 1)})});
  ASSERT_TRUE(queue.remove(pod("foo", 2)));
  const auto popped = queue.try_pop([&](Deltas&, bool) -> Result<void> { return queue.replace({}, "3"); });

  ASSERT_TRUE(popped);
  EXPECT_THAT(drain(queue), IsEmpty());
}

TEST(DeltaFifoTest, AResyncDuringProcessingDoesNotBringBackTheOldState) {
  FedFifo queue({.known_objects = known({pod("foo", 1)})});
  ASSERT_TRUE(queue.update(pod("foo", 2)));
  const auto popped = queue.try_pop([&](Deltas&, bool) { return queue.resync(); });

  ASSERT_TRUE(popped);
  EXPECT_THAT(drain(queue), IsEmpty());
}

TEST(DeltaFifoTest, ADeletionOfWhatIsBeingProcessedIsQueued) {
  FedFifo queue({.known_objects = known({})});
  ASSERT_TRUE(queue.add(pod("foo", 1)));
  const auto popped = queue.try_pop([&](Deltas&, bool) { return queue.remove(pod("foo", 2)); });

  ASSERT_TRUE(popped);
  EXPECT_THAT(drain(queue), ElementsAre("Deleted default/foo@2"));
}

TEST(DeltaFifoTest, WhatWasTakenIsUnderWayUntilItIsFinished) {
  const auto holder = known({pod("a", 1), pod("b", 1), pod("c", 1)});
  FedFifo queue({.known_objects = holder});
  ASSERT_TRUE(queue.update(pod("a", 2)));
  ASSERT_TRUE(queue.remove(pod("b", 2)));
  Taken a;
  Taken b;
  ASSERT_TRUE(queue.take(a));
  ASSERT_TRUE(queue.take(b));
  ASSERT_TRUE(queue.resync());
  EXPECT_THAT(drain(queue), ElementsAre("Sync default/c@1"));

  queue.finish(a);
  ASSERT_TRUE(queue.resync());
  EXPECT_THAT(drain(queue), ElementsAre("Sync default/a@1", "Sync default/c@1"));
  holder->erase("default/b");
  queue.finish(b);
  ASSERT_TRUE(queue.remove(pod("b", 3)));
  EXPECT_THAT(drain(queue), IsEmpty());
}

TEST(DeltaFifoTest, AReplaceBuriesWhatWasTakenAndNotFinishedWithTheStateThatWasTaken) {
  FedFifo queue({.known_objects = known({pod("a", 1), pod("b", 1)})});
  ASSERT_TRUE(queue.update(pod("a", 2)));
  ASSERT_TRUE(queue.update(pod("b", 3)));
  Taken a;
  Taken b;
  ASSERT_TRUE(queue.take(a));
  ASSERT_TRUE(queue.take(b));
  ASSERT_TRUE(queue.replace({pod("b", 4)}, "5"));

  EXPECT_THAT(drain(queue), ElementsAre("Sync default/b@4", "Deleted! default/a@2"));
}

TEST(DeltaFifoTest, WhatIsUnderWayAtTheFirstListDoesNotCountAsPartOfIt) {
  FedFifo queue({.known_objects = known({pod("a", 1)})});
  ASSERT_TRUE(queue.resync());
  const auto popped = queue.try_pop([&](Deltas&, bool) { return queue.replace({pod("a", 2)}, "2"); });

  ASSERT_TRUE(popped);
  EXPECT_FALSE(queue.has_synced());
  EXPECT_EQ(pop_text(queue), "Sync default/a@2");
  EXPECT_TRUE(queue.has_synced());
}

TEST(DeltaFifoTest, ARepairMarksItsObjectsAndItsDeletionsAndNothingElse) {
  FedFifo queue({.known_objects = known({pod("gone", 1)})});
  ASSERT_TRUE(queue.update(pod("a", 2)));
  ASSERT_TRUE(queue.repair({pod("a", 3)}, "3"));
  std::vector<std::pair<std::string, bool>> seen;
  const Process note = [&](Deltas& deltas, bool) -> Result<void> {
    for (const Delta& delta : deltas) seen.emplace_back(test::text_of(delta), delta.repairs());
    return {};
  };
  while (queue.try_pop(note).value()) {
  }

  EXPECT_THAT(seen, ElementsAre(testing::Pair("Updated default/a@2", false), testing::Pair("Sync default/a@3", true),
                                testing::Pair("Deleted! default/gone@1", true)));
}

TEST(DeltaFifoTest, AddIfNotPresentPutsBackWhatHasNoNewerChange) {
  FedFifo queue;
  ASSERT_TRUE(queue.add(pod("foo", 1)));
  Deltas failed;
  const auto popped = queue.try_pop([&](Deltas& deltas, bool) -> Result<void> {
    failed = deltas;
    return Error::timeout("later");
  });
  ASSERT_FALSE(popped);
  EXPECT_TRUE(popped.error().is_timeout());

  ASSERT_TRUE(queue.add_if_not_present(failed));
  EXPECT_THAT(drain(queue), ElementsAre("Added default/foo@1"));
  ASSERT_TRUE(queue.update(pod("foo", 2)));
  ASSERT_TRUE(queue.add_if_not_present(failed));
  EXPECT_THAT(drain(queue), ElementsAre("Updated default/foo@2"));
  EXPECT_FALSE(queue.add_if_not_present({}));
  EXPECT_FALSE(queue.add_if_not_present({Delta::sync_all()}));
  EXPECT_FALSE(queue.add_if_not_present({Delta(DeltaType::Added, test::bare_object("x"))}));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(DeltaFifoTest, AddIfNotPresentMarksTheQueuePopulated) {
  FedFifo queue;
  ASSERT_TRUE(queue.add_if_not_present({Delta(DeltaType::Added, pod("foo"))}));
  EXPECT_TRUE(queue.has_synced());
}

TEST(DeltaFifoTest, ManyKeysComeOutInOrderAndCompleteWhileTheTableGrowsAndShrinks) {
  FedFifo queue;
  std::vector<std::string> expected;
  int next = 0;
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 3000; ++i, ++next) ASSERT_TRUE(queue.add(pod("p" + std::to_string(next), 1)));
    for (int i = next - 3000; i < next; i += 2) ASSERT_TRUE(queue.update(pod("p" + std::to_string(i), 2)));
    for (int i = 0; i < (round == 2 ? 3000 * 3 : 0); ++i) {
      const std::string key = "default/p" + std::to_string(i);
      EXPECT_EQ(pop_text(queue), "Added " + key + "@1" + (i % 2 == 0 ? ", Updated " + key + "@2" : ""));
    }
  }
  EXPECT_EQ(queue.size(), 9000U);
  EXPECT_EQ(drain(queue).size(), 9000U);
}

TEST(DeltaFifoTest, UpdatesFindTheirKeyHoweverManyOthersCameBetweenAndHoweverLongItIs) {
  for (const std::string& prefix : {std::string("p"), std::string(60, 'p'), std::string(200, 'p')}) {
    FedFifo queue;
    const auto name = [&](int i) { return prefix + std::to_string(i); };
    for (int version = 1; version <= 9; ++version) {
      for (int i = 0; i < 2500; ++i) ASSERT_TRUE(queue.update(pod(name(i), version)));
    }
    EXPECT_EQ(queue.size(), 2500U);
    for (int i = 0; i < 2500; ++i) {
      std::string expected;
      for (int version = 1; version <= 9; ++version) {
        expected += (version == 1 ? "" : ", ") + ("Updated default/" + name(i) + "@" + std::to_string(version));
      }
      ASSERT_EQ(pop_text(queue), expected);
    }
    EXPECT_EQ(pop_text(queue), "(empty)");
  }
}

TEST(DeltaFifoTest, WhatWasJustAddedIsDeletedReplacedAndSyncedAsIfItHadLongBeenQueued) {
  FedFifo queue({.known_objects = known({pod("known", 1)})});
  ASSERT_TRUE(queue.add(pod("first", 1)));
  ASSERT_TRUE(queue.add(pod("foo", 2)));
  ASSERT_TRUE(queue.remove(pod("foo", 3)));
  ASSERT_TRUE(queue.add(pod("known", 4)));
  ASSERT_TRUE(queue.resync());
  ASSERT_TRUE(queue.add(pod("bar", 5)));
  ASSERT_TRUE(queue.replace({pod("known", 4)}, "6"));

  EXPECT_THAT(
      drain(queue),
      ElementsAre("Added default/first@1, Deleted! default/first@1", "Added default/foo@2, Deleted default/foo@3",
                  "Added default/known@4, Sync default/known@4", "Added default/bar@5, Deleted! default/bar@5"));
}

TEST(DeltaFifoTest, TheProcessFunctionMayKeepTheDeltas) {
  FedFifo queue;
  for (const char* name : {"a", "b", "b", "c"}) ASSERT_TRUE(queue.add(pod(name, 1)));
  std::vector<Deltas> kept;
  while (queue.size() > 0) {
    ASSERT_TRUE(queue.try_pop([&](Deltas& deltas, bool) -> Result<void> {
      kept.push_back(std::move(deltas));
      return {};
    }));
  }

  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(test::text_of(kept[0]), "Added default/a@1");
  EXPECT_EQ(test::text_of(kept[1]), "Added default/b@1, Added default/b@1");
  EXPECT_EQ(test::text_of(kept[2]), "Added default/c@1");
}

}  // namespace
}  // namespace kubexx::delta
