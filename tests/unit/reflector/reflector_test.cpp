#include "kubexx/reflector/reflector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/reflector/reflector_fixture.hpp"

namespace kubexx::reflector {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::Pair;

// TestReflectorListAndWatch, list mode
TEST_F(ReflectorTest, ListsAtZeroThenWatchesFromTheListsVersion) {
  script->answer({config_map("a", "3"), config_map("b", "5")}, "7");

  start();

  EXPECT_EQ(script->lists.at(0).resource_version, "0");
  EXPECT_EQ(script->lists.at(0).limit, 500);
  ASSERT_EQ(script->watches.size(), 1U);
  EXPECT_EQ(script->watches[0].resource_version, "7");
  EXPECT_TRUE(script->watches[0].allow_watch_bookmarks);
  EXPECT_FALSE(script->watches[0].send_initial_events);
  EXPECT_THAT(sink->history, ElementsAre("replace a@3 b@5 at 7"));
  EXPECT_EQ(state(), ReflectorState::Watching);
  EXPECT_EQ(reflector->last_sync_resource_version(), "7");
}

// TestReflectorListAndWatch, watch-list mode; TestWatchList "synced on bookmark"
TEST_F(ReflectorTest, WatchListDeliversTheStateAtItsBookmarkAndKeepsTheStream) {
  script->watch_list = true;
  start();
  ASSERT_EQ(script->watches.size(), 1U);
  EXPECT_EQ(script->watches[0].send_initial_events, true);
  EXPECT_EQ(script->watches[0].resource_version_match, "NotOlderThan");
  EXPECT_EQ(script->watches[0].resource_version, "");

  send(meta::WatchEventType::Added, config_map("a", "3"));
  send(meta::WatchEventType::Added, config_map("b", "9"));
  EXPECT_TRUE(sink->history.empty());
  EXPECT_EQ(reflector->last_sync_resource_version(), "");
  script->stream().send(bookmark("12", true));
  run();
  send(meta::WatchEventType::Modified, config_map("a", "13"));

  EXPECT_THAT(sink->history, ElementsAre("replace a@3 b@9 at 12", "update a@13"));
  EXPECT_EQ(script->streams.size(), 1U);
  EXPECT_TRUE(script->lists.empty());
  EXPECT_EQ(reflector->last_sync_resource_version(), "13");
  EXPECT_TRUE(reflector->status().used_watch_list);
}

TEST_F(ReflectorTest, ChangesBeforeTheBookmarkShapeTheInitialState) {
  script->watch_list = true;
  start();

  send(meta::WatchEventType::Added, config_map("a", "3"));
  send(meta::WatchEventType::Added, config_map("b", "4"));
  send(meta::WatchEventType::Modified, config_map("a", "5"));
  send(meta::WatchEventType::Deleted, config_map("b", "6"));
  script->stream().send(bookmark("7", true));
  run();

  EXPECT_THAT(sink->history, ElementsAre("replace a@5 at 7"));
}

TEST_F(ReflectorTest, OnlyTheExactAnnotationEndsTheInitialEvents) {
  script->watch_list = true;
  start();
  auto almost = bookmark("5", true);
  almost.object = meta::object_from_json(
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"True"}}})");

  script->stream().send(almost);
  run();

  EXPECT_TRUE(sink->history.empty());
  EXPECT_EQ(state(), ReflectorState::WatchListing);
}

TEST_F(ReflectorTest, ARefusedWatchListFallsBackToAListAndIsRemembered) {
  script->watch_list = true;
  script->refusals.push_back(Error::api(422, "Invalid", "sendInitialEvents is forbidden"));
  script->answer({config_map("a", "1")}, "2");
  start();
  EXPECT_EQ(script->lists.size(), 1U);
  EXPECT_EQ(state(), ReflectorState::Watching);

  script->answer({config_map("a", "1")}, "3");
  script->stream().send(status_event(410, "Expired", "too old"));
  run();
  executor->advance(seconds(2));

  EXPECT_EQ(script->lists.size(), 2U);  // no second WatchList was tried
  EXPECT_FALSE(script->watches.at(2).send_initial_events);
}

TEST_F(ReflectorTest, AWatchListWithoutProgressFallsBackToAList) {
  script->watch_list = true;
  script->answer({config_map("a", "1")}, "2");
  start();
  send(meta::WatchEventType::Added, config_map("a", "1"));

  executor->advance(seconds(31));

  EXPECT_THAT(sink->history, ElementsAre("replace a@1 at 2"));
  EXPECT_FALSE(reflector->status().used_watch_list);
}

TEST_F(ReflectorTest, AWatchListThatClosesEarlyStartsOverWithACleanState) {
  script->watch_list = true;
  start();
  send(meta::WatchEventType::Added, config_map("gone", "3"));
  script->stream().close();
  run();
  ASSERT_EQ(script->streams.size(), 2U);
  EXPECT_EQ(script->watches.at(1).resource_version, "");  // initial events come unordered: their versions say nothing

  send(meta::WatchEventType::Added, config_map("a", "4"));
  script->stream().send(bookmark("5", true));
  run();

  EXPECT_THAT(sink->history, ElementsAre("replace a@4 at 5"));
}

TEST_F(ReflectorTest, AWatchListThatKeepsClosingEarlyFallsBackToAList) {
  script->watch_list = true;
  script->answer({}, "2");
  start();

  for (int i = 0; i < 5; ++i) {
    script->stream().close();
    executor->advance(seconds(1));
  }

  EXPECT_EQ(script->lists.size(), 1U);
}

// TestReflectorWatchHandler
TEST_F(ReflectorTest, EventsReachTheSinkInOrderAndOtherKindsAreSkipped) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.expected_kind = meta::GroupVersionKind{"", "v1", "ConfigMap"};
  start(std::move(options));

  send(meta::WatchEventType::Added, config_map("a", "2"));
  send(meta::WatchEventType::Modified, config_map("a", "3"));
  send(meta::WatchEventType::Added,
       meta::object_from_json(R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","resourceVersion":"90"}})"));
  send(meta::WatchEventType::Added, meta::object_from_json(R"({"kind":"ConfigMap","apiVersion":"v1"})"));
  send(meta::WatchEventType::Deleted, config_map("a", "4"));
  script->stream().send(bookmark("9"));
  run();

  EXPECT_THAT(sink->history, ElementsAre("replace at 1", "add a@2", "update a@3", "remove a@4", "bookmark 9"));
  EXPECT_EQ(reflector->last_sync_resource_version(), "9");
  EXPECT_EQ(reflector->status().skipped, 2U);
}

// client-go: a clean close is answered by a new watch at once, without a list and without waiting.
TEST_F(ReflectorTest, ACleanCloseReopensAtTheLastVersionAtOnce) {
  script->answer({}, "1");
  start();
  send(meta::WatchEventType::Added, config_map("a", "8"));

  script->stream().close();
  run();

  ASSERT_EQ(script->watches.size(), 2U);
  EXPECT_EQ(script->watches[1].resource_version, "8");
  EXPECT_EQ(script->lists.size(), 1U);
  EXPECT_EQ(reflector->status().restarts.at("closed"), 1U);
}

// A server that closes every watch after one event, which is no reason for a backoff.
TEST_F(ReflectorTest, NoMoreThanFourWatchesAreOpenedInASecond) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.backoff = Backoff::none();
  start(std::move(options));
  int version = 1;
  const auto close_all_of_ten_seconds = [&] {
    for (int step = 0; step < 1000; ++step) {
      if (script->stream().alive) {
        send(meta::WatchEventType::Added, config_map("a", std::to_string(++version)));
        script->stream().close();
      }
      executor->advance(std::chrono::milliseconds(10));
    }
  };

  close_all_of_ten_seconds();

  EXPECT_GE(script->watches.size(), 36U);
  EXPECT_LE(script->watches.size(), 44U);
  EXPECT_EQ(script->lists.size(), 1U);
  EXPECT_EQ(sink->state.at("a"), std::to_string(version));
}

// The same with a watch that is refused: the backoff says now, the limit does not.
TEST_F(ReflectorTest, NoMoreThanFourWatchesASecondWhateverTheBackoffSays) {
  script->answer({}, "1");
  for (int i = 0; i < 1000; ++i) script->refusals.push_back(Error::api(429, "TooManyRequests", "later"));
  ReflectorOptions options;
  options.backoff = Backoff::none();
  start(std::move(options));

  executor->advance(seconds(10));

  EXPECT_GE(script->watches.size(), 36U);
  EXPECT_LE(script->watches.size(), 44U);
}

TEST_F(ReflectorTest, ALostConnectionIsAnsweredLikeACleanClose) {
  script->answer({}, "1");
  start();
  send(meta::WatchEventType::Added, config_map("a", "8"));

  script->stream().fail(Error::transport(TransportFailure::Reset, "reset by peer"));
  run();

  EXPECT_EQ(script->watches.size(), 2U);
  EXPECT_EQ(script->lists.size(), 1U);
}

TEST_F(ReflectorTest, AVeryShortWatchWaitsAndListsAgain) {
  script->answer({}, "1");
  start();

  script->stream().close();
  run();
  EXPECT_EQ(state(), ReflectorState::BackingOff);
  EXPECT_EQ(script->watches.size(), 1U);
  script->answer({}, "2");
  executor->advance(seconds(2));

  EXPECT_THAT(list_versions(), ElementsAre("0", "1"));
  EXPECT_EQ(state(), ReflectorState::Watching);
}

// TestCloseWatchChannelOnError, TestWatchList "expired established watch returns for relist"
TEST_F(ReflectorTest, AnExpiredEventRelistsAtTheLastVersionAfterABackoff) {
  script->answer({}, "1");
  start();
  send(meta::WatchEventType::Added, config_map("a", "8"));

  script->stream().send(status_event(410, "Expired", "too old resource version"));
  run();
  EXPECT_EQ(state(), ReflectorState::BackingOff);
  EXPECT_FALSE(script->stream().alive);
  script->answer({config_map("a", "8")}, "20");
  executor->advance(seconds(2));

  EXPECT_THAT(list_versions(), ElementsAre("0", "8"));
  EXPECT_THAT(errors, ElementsAre());  // not an error of the round
}

// TestNoRelistOnTooManyRequests, TestBackoffOnTooManyRequests
TEST_F(ReflectorTest, TooManyRequestsAreWaitedOutWithoutAList) {
  script->answer({}, "1");
  script->refusals = {Error::api(429, "TooManyRequests", "slow down"), Error::api(429, "TooManyRequests", "slow down"),
                      std::nullopt};
  start();
  EXPECT_EQ(state(), ReflectorState::BackingOff);
  executor->advance(seconds(10));
  ASSERT_EQ(script->watches.size(), 3U);
  EXPECT_EQ(state(), ReflectorState::Watching);

  script->stream().send(status_event(429, "TooManyRequests", "slow down"));
  run();
  EXPECT_EQ(state(), ReflectorState::BackingOff);
  executor->advance(seconds(20));

  EXPECT_EQ(script->watches.size(), 4U);
  EXPECT_EQ(script->lists.size(), 1U);
}

// TestReflectorListAndWatchInitConnBackoff
TEST_F(ReflectorTest, RefusedConnectionsGrowTheBackoff) {
  script->answer({}, "1");
  for (int i = 0; i < 4; ++i) script->refusals.push_back(Error::transport(TransportFailure::Refused, "refused"));
  script->refusals.push_back(std::nullopt);
  const auto begin = executor->clock().now();
  start();

  while (state() == ReflectorState::BackingOff) ASSERT_TRUE(executor->advance_to_next_timer());

  EXPECT_GE(executor->clock().now() - begin, milliseconds(800 + 1600 + 3200 + 6400));
  EXPECT_LE(executor->clock().now() - begin, milliseconds(2 * (800 + 1600 + 3200 + 6400)));
  EXPECT_EQ(script->lists.size(), 1U);
}

TEST_F(ReflectorTest, AFailedOpenIsReportedAndListsAgain) {
  script->answer({}, "1");
  script->refusals = {Error::api(403, "Forbidden", "no")};
  start();
  EXPECT_THAT(errors, ElementsAre("failed to watch configmaps: no"));
  EXPECT_EQ(reflector->status().last_error->code(), 403);

  script->answer({}, "2");
  executor->advance(seconds(2));

  EXPECT_EQ(script->lists.size(), 2U);
  EXPECT_EQ(reflector->status().last_error, std::nullopt);
}

// TestReflectorExpiredExactResourceVersion: "0", "10", ""
TEST_F(ReflectorTest, AListRefusedAsTooOldIsRepeatedAtOnceForTheMostRecent) {
  script->answer({}, "10");
  start();
  script->stream().send(status_event(410, "Expired", "too old"));
  run();
  script->answer(Error::api(410, "Expired", "too old"));
  script->answer({config_map("a", "11")}, "12");
  executor->advance(seconds(2));

  EXPECT_THAT(list_versions(), ElementsAre("0", "10", ""));
  EXPECT_EQ(reflector->last_sync_resource_version(), "12");
}

// TestReflectorFullListIfTooLarge: three spellings of the same answer
TEST_F(ReflectorTest, AListRefusedAsTooNewIsRepeatedForTheMostRecent) {
  std::vector<Error> spellings = {
      Error::api(504, "Timeout", "Timeout: x")
          .with_details({"", "", "", "", {{"ResourceVersionTooLarge", "Too large resource version", ""}}}),
      Error::api(504, "Timeout", "x").with_details({"", "", "", "", {{"", "Too large resource version", ""}}}),
      Error::api(504, "Timeout", "Too large resource version: 30, current: 20")};
  script->answer({}, "30");
  start();
  for (const auto& refusal : spellings) {
    script->stream().send(status_event(410, "Expired", "too old"));
    run();
    script->answer(refusal);
    script->answer({}, "20");
    executor->advance(minutes(1));
    EXPECT_EQ(script->lists.back().resource_version, "");
    EXPECT_EQ(reflector->last_sync_resource_version(), "20");
  }
}

// TestReflectorFullListIfExpired
TEST_F(ReflectorTest, AnExpiredPageLeadsToOneListWithoutPagesAtTheSameVersion) {
  script->answer({config_map("a", "1")}, "10", "next");
  script->answer(Error::api(410, "Expired", "token too old"));
  script->answer({config_map("a", "1"), config_map("b", "2")}, "11");

  start();

  ASSERT_EQ(script->lists.size(), 3U);
  EXPECT_EQ(script->lists[1].continue_token, "next");
  EXPECT_EQ(script->lists[1].resource_version, "");
  EXPECT_EQ(script->lists[2].resource_version, "0");
  EXPECT_EQ(script->lists[2].limit, 0);
  EXPECT_THAT(sink->history, ElementsAre("replace a@1 b@2 at 11"));
}

TEST_F(ReflectorTest, PagesAreCollectedUnderTheFirstPagesVersion) {
  script->answer({config_map("a", "1")}, "10", "next");
  script->answer({config_map("b", "2")}, "99");

  start();

  EXPECT_THAT(sink->history, ElementsAre("replace a@1 b@2 at 10"));
}

TEST_F(ReflectorTest, AContinueTokenThatComesAgainFailsTheList) {
  script->answer({config_map("a", "1")}, "10", "one");
  script->answer({config_map("b", "1")}, "10", "two");
  script->answer({config_map("a", "1")}, "10", "one");
  script->answer({config_map("b", "1")}, "10", "two");
  start();

  EXPECT_EQ(script->lists.size(), 3U);
  EXPECT_EQ(state(), ReflectorState::BackingOff);
  EXPECT_THAT(errors,
              ElementsAre("failed to list configmaps: the list does not end: the server repeated a continue token"));
  EXPECT_TRUE(sink->history.empty());

  script->answers.clear();
  script->answer({config_map("a", "1")}, "10", "one");
  script->answer({}, "10");
  executor->advance(seconds(2));
  EXPECT_THAT(sink->history, ElementsAre("replace a@1 at 10"));
}

TEST_F(ReflectorTest, EmptyPagesThatGoOnFailTheList) {
  for (int page = 0; page < 100; ++page) script->answer({}, "10", "token " + std::to_string(page));
  start();

  EXPECT_EQ(script->lists.size(), 5U);
  EXPECT_EQ(state(), ReflectorState::BackingOff);
  EXPECT_THAT(errors, ElementsAre(testing::HasSubstr("5 pages in a row are empty")));
}

TEST_F(ReflectorTest, MorePagesThanTheLimitFailTheList) {
  for (int page = 0; page < 100; ++page) {
    script->answer({config_map("a" + std::to_string(page), "1")}, "10", "token " + std::to_string(page));
  }
  ReflectorOptions options;
  options.list_limits.max_pages = 7;
  start(std::move(options));

  EXPECT_EQ(script->lists.size(), 7U);
  EXPECT_THAT(errors, ElementsAre("failed to list configmaps: the list has more than 7 pages"));
}

TEST_F(ReflectorTest, MoreObjectsInOnePageThanTheLimitFailTheList) {
  script->answer({config_map("a", "1"), config_map("b", "1"), config_map("c", "1")}, "10");
  ReflectorOptions options;
  options.list_limits.max_objects = 2;
  start(std::move(options));

  EXPECT_EQ(state(), ReflectorState::BackingOff);
  EXPECT_THAT(errors, ElementsAre("failed to list configmaps: the list has more than 2 objects"));
  EXPECT_TRUE(sink->history.empty());
}

// An object that comes and goes before the bookmark counts each time: what is kept of it grows too.
TEST_F(ReflectorTest, AWatchListOfMoreObjectsThanTheLimitFails) {
  script->watch_list = true;
  ReflectorOptions options;
  options.list_limits.max_objects = 2;
  start(std::move(options));

  for (int round = 0; round < 3; ++round) {
    send(meta::WatchEventType::Added, config_map("a", "1"));
    send(meta::WatchEventType::Deleted, config_map("a", "1"));
  }

  EXPECT_EQ(state(), ReflectorState::BackingOff);
  EXPECT_THAT(errors, ElementsAre("failed to list configmaps: the list has more than 2 objects"));
}

TEST_F(ReflectorTest, ABookmarkWithoutAVersionIsIgnored) {
  script->answer({}, "10");
  start();

  script->stream().send(bookmark(""));
  run();

  EXPECT_THAT(sink->history, ElementsAre("replace at 10"));
  EXPECT_EQ(reflector->last_sync_resource_version(), "10");
  EXPECT_EQ(reflector->status().skipped, 1U);
}

TEST_F(ReflectorTest, AWatchListIsNotWholeWithABookmarkWithoutAVersion) {
  script->watch_list = true;
  start();

  script->stream().send(bookmark("", true));
  run();

  EXPECT_TRUE(sink->history.empty());
  EXPECT_EQ(state(), ReflectorState::WatchListing);
}

TEST_F(ReflectorTest, ObjectsOfOtherKindsAreDroppedFromAListAndCounted) {
  script->answer(
      {config_map("a", "1"),
       meta::object_from_json(R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","resourceVersion":"2"}})"),
       meta::object_from_json(
           R"({"kind":"ConfigMap","apiVersion":"shop/v1","metadata":{"name":"o","resourceVersion":"3"}})"),
       meta::object_from_json(R"({"metadata":{"name":"nameless-kind","resourceVersion":"4"}})")},
      "10");
  ReflectorOptions options;
  options.expected_kind = meta::GroupVersionKind{"", "v1", "ConfigMap"};
  start(std::move(options));

  EXPECT_THAT(sink->history, ElementsAre("replace a@1 nameless-kind@4 at 10"));
  EXPECT_EQ(reflector->status().skipped, 2U);
}

// TestReflectorNotPaginatingNotConsistentReads, TestReflectorPaginatingNonConsistentReadsIfWatchCacheDisabled
TEST_F(ReflectorTest, ARelistIsPagedOnlyWhenTheServerPagedTheCachedList) {
  script->answer({}, "10");
  start();
  script->stream().send(status_event(410, "Expired", "x"));
  run();
  script->answer({}, "11");
  executor->advance(seconds(2));
  EXPECT_EQ(script->lists.at(1).limit, 0);

  script = std::make_shared<Script>();
  script->answer({}, "10", "more");
  script->answer({}, "10");
  start();
  script->stream().send(status_event(410, "Expired", "x"));
  run();
  script->answer({}, "11");
  executor->advance(seconds(2));
  EXPECT_EQ(script->lists.at(2).limit, 500);
}

// TestReflectorWatchListPageSize
TEST_F(ReflectorTest, AnExplicitPageSizeIsUsedForEveryList) {
  script->answer({}, "10");
  ReflectorOptions options;
  options.page_size = 4;
  start(std::move(options));
  script->stream().send(status_event(410, "Expired", "x"));
  run();
  script->answer({}, "11");
  executor->advance(seconds(2));

  EXPECT_EQ(script->lists.at(0).limit, 4);
  EXPECT_EQ(script->lists.at(1).limit, 4);
}

TEST_F(ReflectorTest, ATableIsRefused) {
  script->answers.push_back({{}, meta::ListMeta{"meta.k8s.io/v1", "Table", "3", "", {}}});
  start();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], testing::HasSubstr("Table"));
  EXPECT_TRUE(sink->history.empty());
}

// TestIsUnsupportedTableObject
TEST_F(ReflectorTest, OnlyTheTableOfTheMetaGroupIsNoObject) {
  script->answers.push_back({{}, meta::ListMeta{"shop.example.com/v1", "Table", "1", "", {}}});
  start();
  EXPECT_TRUE(errors.empty());
  const auto table = [](const std::string& api_version) {
    return meta::object_from_json(R"({"kind":"Table","apiVersion":")" + api_version +
                                  R"(","metadata":{"name":"t","namespace":"ns","resourceVersion":"7"}})");
  };

  send(meta::WatchEventType::Added, table("meta.k8s.io/v1"));
  send(meta::WatchEventType::Added, table("meta.k8s.io/v1beta1"));
  EXPECT_EQ(reflector->status().skipped, 2U);
  EXPECT_TRUE(sink->state.empty());

  send(meta::WatchEventType::Added, table("shop.example.com/v1"));
  EXPECT_EQ(reflector->status().skipped, 2U);
  EXPECT_THAT(sink->state, ElementsAre(Pair("t", "7")));
}

// TestWatchTimeout
TEST_F(ReflectorTest, WatchTimeoutsAreRandomBetweenOnceAndTwiceTheMinimum) {
  for (const auto& [asked, least] : {std::pair{minutes(0), 300}, {minutes(1), 300}, {minutes(30), 1800}}) {
    script = std::make_shared<Script>();
    script->answer({}, "1");
    ReflectorOptions options;
    options.min_watch_timeout = asked;
    start(std::move(options));
    std::set<std::int64_t> seen;
    for (int i = 0; i < 20; ++i) {
      send(meta::WatchEventType::Added, config_map("a", std::to_string(i + 2)));
      script->stream().close();
      executor->advance(seconds(1));
      const auto timeout = script->watches.back().timeout_seconds.value();
      EXPECT_GE(timeout, least);
      EXPECT_LE(timeout, 2 * least);
      seen.insert(timeout);
    }
    EXPECT_GT(seen.size(), 5U);
  }
}

// TestReflectorResync
TEST_F(ReflectorTest, AFailedResyncEndsTheWatch) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.resync_period = seconds(10);
  start(std::move(options));
  executor->advance(seconds(25));
  EXPECT_THAT(sink->history, ElementsAre("replace at 1", "resync", "resync"));

  sink->fail_resync = true;
  executor->advance(seconds(5));

  EXPECT_EQ(state(), ReflectorState::BackingOff);
  EXPECT_TRUE(errors.empty());
}

TEST_F(ReflectorTest, ResyncIsAskedForAtEachTickAndNeverTouchesTheServer) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.resync_period = seconds(10);
  options.version_check = Duration::zero();
  int asked = 0;
  options.should_resync = [&] { return ++asked % 2 == 0; };
  start(std::move(options));

  executor->advance(seconds(45));

  EXPECT_EQ(asked, 4);
  EXPECT_THAT(sink->history, ElementsAre("replace at 1", "resync", "resync"));
  EXPECT_EQ(script->lists.size() + script->watches.size(), 2U);
}

// TestRetryInternalError
TEST_F(ReflectorTest, InternalErrorsAreRetriedOnlyInsideTheirWindow) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.max_internal_error_retry = seconds(30);
  start(std::move(options));

  script->stream().send(status_event(500, "InternalError", "boom"));
  run();
  EXPECT_EQ(script->watches.size(), 2U);
  executor->advance(seconds(31));
  script->stream().send(status_event(500, "InternalError", "boom"));
  run();

  EXPECT_EQ(state(), ReflectorState::BackingOff);
}

TEST_F(ReflectorTest, AnUndecodableEventEndsTheWatchAndLists) {
  script->answer({}, "1");
  start();

  script->stream().fail(Error::decode("bad frame"));
  run();
  script->answer({}, "2");
  executor->advance(seconds(2));

  EXPECT_EQ(script->lists.size(), 2U);
  EXPECT_EQ(reflector->status().restarts.at("undecodable"), 1U);
}

TEST_F(ReflectorTest, ARestoredServerIsNoticedAtTheNextWatch) {
  script->answer({config_map("a", "90")}, "100");
  start();
  send(meta::WatchEventType::Modified, config_map("a", "110"));
  script->current_version = "50";
  script->answer({config_map("a", "40")}, "50");

  script->stream().close();
  run();

  EXPECT_EQ(script->lists.back().resource_version, "");
  EXPECT_EQ(sink->state.at("a"), "40");
  EXPECT_EQ(reflector->last_sync_resource_version(), "50");
}

TEST_F(ReflectorTest, ARestoredServerIsNoticedWhileWatching) {
  script->answer({config_map("a", "90")}, "100");
  start();
  script->current_version = "50";
  script->answer({}, "50");

  executor->advance(minutes(5) + seconds(1));

  EXPECT_TRUE(sink->state.empty());
}

TEST_F(ReflectorTest, AnEqualOrNewerServerVersionChangesNothing) {
  script->answer({}, "100");
  start();
  script->current_version = "100";

  executor->advance(minutes(11));

  EXPECT_EQ(script->version_checks, 2);
  EXPECT_EQ(script->lists.size(), 1U);
  EXPECT_EQ(state(), ReflectorState::Watching);
}

TEST_F(ReflectorTest, ARemovedResourceEmptiesTheSinkAndParksUntilServedAgain) {
  script->can_await = true;
  script->answer({config_map("a", "1")}, "5");
  start();
  script->stream().send(status_event(410, "Expired", "x"));
  run();
  script->answer(Error::api(404, "NotFound", "404 page not found"));
  executor->advance(seconds(2));
  EXPECT_EQ(state(), ReflectorState::Parked);
  EXPECT_TRUE(sink->state.empty());
  executor->advance(minutes(30));
  EXPECT_EQ(script->lists.size(), 2U);

  script->answer({config_map("b", "7")}, "8");
  script->served_again();
  run();

  EXPECT_EQ(script->lists.back().resource_version, "0");
  EXPECT_THAT(sink->state, ElementsAre(Pair("b", "7")));
}

TEST_F(ReflectorTest, AResourceWithoutWatchIsPolled) {
  script->watchable = false;
  script->answer({config_map("a", "1")}, "5");
  start();
  EXPECT_EQ(state(), ReflectorState::Polling);
  script->answer({config_map("a", "2")}, "6");

  executor->advance(minutes(5));

  EXPECT_EQ(sink->state.at("a"), "2");
  EXPECT_TRUE(script->watches.empty());
}

TEST_F(ReflectorTest, VerifyListsExactlyTheVersionItHasAndGoesOnWatching) {
  script->answer({config_map("a", "1")}, "5");
  ReflectorOptions options;
  options.verify_every = minutes(2);
  start(std::move(options));
  script->answer({config_map("a", "2")}, "5");

  executor->advance(minutes(2));

  EXPECT_EQ(script->lists.back().resource_version, "5");
  EXPECT_EQ(script->lists.back().resource_version_match, "Exact");
  EXPECT_EQ(sink->state.at("a"), "2");
  EXPECT_EQ(script->watches.back().resource_version, "5");
}

TEST_F(ReflectorTest, VerifyTakesTheMostRecentStateWhereTheServerForgotTheVersion) {
  script->answer({config_map("a", "1")}, "5");
  ReflectorOptions options;
  options.verify_every = minutes(2);
  start(std::move(options));
  script->answer(Error::api(410, "Expired", "too old"));
  script->answer({config_map("a", "9")}, "10");

  executor->advance(minutes(2));

  EXPECT_EQ(script->lists.back().resource_version, "");
  EXPECT_EQ(script->lists.back().resource_version_match, "");
  EXPECT_EQ(sink->state.at("a"), "9");
  EXPECT_EQ(script->watches.back().resource_version, "10");
}

TEST_F(ReflectorTest, CountsTheBytesOfListsAndWatches) {
  script->answer({config_map("a", "1")}, "5");
  start();
  script->stream().receive(70);
  run();

  EXPECT_EQ(reflector->status().received_bytes, Script::kListBytes + 70U);
}

// TestReflectorWatchStoppedAfter, TestRunUntil
TEST_F(ReflectorTest, StopClosesTheWatchAndSilencesTheSink) {
  script->answer({}, "1");
  start();

  bool stopped = false;
  reflector->stop([&] { stopped = true; });
  run();
  send(meta::WatchEventType::Added, config_map("late", "2"));
  executor->advance(minutes(20));

  EXPECT_TRUE(stopped);
  EXPECT_FALSE(script->streams[0]->alive);
  EXPECT_THAT(sink->history, ElementsAre("replace at 1"));
  EXPECT_EQ(state(), ReflectorState::Stopped);
}

TEST_F(ReflectorTest, AStoppedReflectorNeverAsksTheServer) {
  reflector = Reflector::create(script, sink, Strand(executor), {});
  reflector->stop();
  reflector->start();
  run();

  EXPECT_TRUE(script->lists.empty());
  EXPECT_TRUE(script->watches.empty());
}

// TestReflectorListAndWatchWithErrors
TEST_F(ReflectorTest, AFailingReplaceFailsTheRoundAndIsTriedAgain) {
  sink->fail_replace = true;
  script->answer({config_map("a", "1")}, "5");
  start();
  EXPECT_THAT(errors, ElementsAre("unable to sync configmaps: no room"));

  sink->fail_replace = false;
  script->answer({config_map("a", "1")}, "5");
  executor->advance(seconds(2));

  EXPECT_EQ(sink->state.at("a"), "1");
}

// TestWatchListResourceVersion: versions of unordered initial ADDED events are not published
TEST_F(ReflectorTest, AWatchWithoutAVersionPublishesNoneUntilAnotherEventCame) {
  script->answer({}, "");
  start();
  send(meta::WatchEventType::Added, config_map("b", "9"));
  EXPECT_EQ(reflector->last_sync_resource_version(), "");

  send(meta::WatchEventType::Modified, config_map("b", "10"));

  EXPECT_EQ(reflector->last_sync_resource_version(), "10");
}

TEST_F(ReflectorTest, TheNameIsTheCallSiteUnlessGiven) {
  const auto unnamed = Reflector::create(script, sink, Strand(executor), {});
  ReflectorOptions options;
  options.name = "mine";
  const auto named = Reflector::create(script, sink, Strand(executor), options);

  EXPECT_THAT(unnamed->name(), testing::StartsWith("reflector_test.cpp:"));
  EXPECT_EQ(named->name(), "mine");
  EXPECT_EQ(unnamed->type_description(), "<unspecified>");
}

}  // namespace
}  // namespace kubexx::reflector
