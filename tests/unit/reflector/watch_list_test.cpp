#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/reflector/reflector_fixture.hpp"

/// When a WatchList is given up for a list, and for how long.
namespace kubexx::reflector {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;

class WatchListTest : public ReflectorTest {
 protected:
  WatchListTest() { script->watch_list = true; }
  /// The next round; true if it begins with a WatchList.
  bool tries_a_watch_list() {
    script->answer({}, "9");
    const auto before = script->watches.size();
    reflector->relist();
    run();
    const bool tried = script->watches.at(before).send_initial_events.value_or(false);
    if (tried) script->stream().send(bookmark("9", true));
    run();
    script->answers.clear();
    return tried;
  }
  void stall() {
    script->answer({}, "2");
    executor->advance(seconds(30));
  }
};

TEST_F(WatchListTest, NewObjectsAreProgress) {
  start();

  for (int i = 0; i < 4; ++i) {
    executor->advance(seconds(29));
    send(meta::WatchEventType::Added, config_map(std::to_string(i), "3"));
  }
  script->stream().send(bookmark("12", true));
  run();

  EXPECT_TRUE(reflector->status().used_watch_list);
  EXPECT_EQ(sink->state.size(), 4U);
}

// A server that ignores sendInitialEvents sends what happens, and no bookmark that ends anything.
TEST_F(WatchListTest, WhatHappensToKnownObjectsIsNoProgress) {
  script->answer({config_map("a", "9")}, "9");
  start();
  send(meta::WatchEventType::Added, config_map("a", "1"));

  for (int i = 0; i < 3; ++i) {
    executor->advance(seconds(9));
    send(meta::WatchEventType::Modified, config_map("a", std::to_string(i + 2)));
    send(meta::WatchEventType::Modified, config_map("other" + std::to_string(i), "5"));
    send(meta::WatchEventType::Deleted, config_map("gone" + std::to_string(i), "6"));
    script->stream().send(bookmark("7"));
    run();
  }
  EXPECT_EQ(state(), ReflectorState::WatchListing);
  executor->advance(seconds(3));

  EXPECT_THAT(sink->history, ElementsAre("replace a@9 at 9"));
  EXPECT_EQ(reflector->status().restarts.at("watch_list_stalled"), 1U);
}

TEST_F(WatchListTest, NewObjectsWithoutEndAreGivenUpAfterTenTimesTheDeadline) {
  script->answer({}, "9");
  start();

  for (int i = 0; i < 14; ++i) {
    executor->advance(seconds(20));
    send(meta::WatchEventType::Added, config_map(std::to_string(i), "3"));
  }
  EXPECT_EQ(state(), ReflectorState::WatchListing);
  executor->advance(seconds(20));

  EXPECT_EQ(script->lists.size(), 1U);
  EXPECT_FALSE(tries_a_watch_list());
}

TEST_F(WatchListTest, AfterTheBookmarkSilenceIsNoStall) {
  start();
  script->stream().send(bookmark("3", true));
  run();

  executor->advance(minutes(20));

  EXPECT_TRUE(script->lists.empty());
  EXPECT_EQ(script->watches.size(), 1U);
}

TEST_F(WatchListTest, TheDeadlineRunsFromTheOpeningOfTheStream) {
  script->holds_watches = true;
  start();
  executor->advance(minutes(4));
  EXPECT_EQ(state(), ReflectorState::WatchListing);

  script->stream().open();
  run();
  executor->advance(seconds(29));
  EXPECT_EQ(state(), ReflectorState::WatchListing);
  stall();

  EXPECT_EQ(script->lists.size(), 1U);
}

TEST_F(WatchListTest, AStreamThatNeverOpensIsGivenUpLateAndNotHeldAgainstTheServer) {
  script->holds_watches = true;
  script->answer({}, "2");
  start();
  executor->advance(minutes(5) - seconds(1));
  EXPECT_TRUE(script->lists.empty());
  executor->advance(seconds(1));
  EXPECT_EQ(script->lists.size(), 1U);

  script->holds_watches = false;
  EXPECT_TRUE(tries_a_watch_list());
}

TEST_F(WatchListTest, AStallIsRememberedForTenMinutesAndThenTriedAgain) {
  start();
  stall();
  EXPECT_EQ(state(), ReflectorState::Watching);
  EXPECT_FALSE(tries_a_watch_list());
  executor->advance(minutes(10) - seconds(1));
  EXPECT_FALSE(tries_a_watch_list());

  executor->advance(seconds(1));

  EXPECT_TRUE(tries_a_watch_list());
}

TEST_F(WatchListTest, AStallIsRememberedForOtherReflectorsOfThatClient) {
  script->client = std::make_shared<Script::Client>();
  start();
  stall();
  const auto other = std::make_shared<Script>();
  other->watch_list = true;
  other->client = script->client;
  const auto second = Reflector::create(other, sink, Strand(executor), {});
  second->start();
  run();
  EXPECT_EQ(other->lists.size(), 1U);
  second->stop();

  const auto elsewhere = std::make_shared<Script>();
  elsewhere->watch_list = true;
  elsewhere->client = std::make_shared<Script::Client>();
  const auto third = Reflector::create(elsewhere, sink, Strand(executor), {});
  third->start();
  run();
  EXPECT_TRUE(elsewhere->lists.empty());
  third->stop();
}

TEST_F(WatchListTest, ARefusalIsRememberedInsideAReflectorWhoseSourceHasNoClient) {
  script->refusals.push_back(Error::api(400, "BadRequest", "unknown parameter"));
  script->answer({}, "2");
  start();
  EXPECT_FALSE(tries_a_watch_list());

  const auto other = std::make_shared<Script>();
  other->watch_list = true;
  const auto second = Reflector::create(other, sink, Strand(executor), {});
  second->start();
  run();
  EXPECT_TRUE(other->lists.empty());
  second->stop();
}

TEST_F(WatchListTest, FiveStreamsThatEndEarlyAreRemembered) {
  script->answer({}, "2");
  start();
  for (int i = 0; i < 5; ++i) {
    script->stream().close();
    executor->advance(seconds(1));
  }
  EXPECT_EQ(reflector->status().restarts.at("watch_list_closed"), 5U);
  EXPECT_EQ(state(), ReflectorState::Watching);

  EXPECT_FALSE(tries_a_watch_list());
  executor->advance(minutes(10));
  EXPECT_TRUE(tries_a_watch_list());
}

TEST_F(WatchListTest, AnErrorThatSaysNothingAboutWatchListsIsNotRemembered) {
  script->refusals.push_back(Error::api(500, "InternalError", "boom"));
  script->answer({}, "2");
  start();
  EXPECT_EQ(script->lists.size(), 1U);

  EXPECT_TRUE(tries_a_watch_list());
}

TEST_F(WatchListTest, ARefusalMayBeRememberedForEver) {
  script->refusals.push_back(Error::api(422, "Invalid", "forbidden"));
  script->answer({}, "2");
  ReflectorOptions options;
  options.watch_list_reprobe = Duration::max();
  start(std::move(options));

  executor->advance(std::chrono::hours(1000));

  EXPECT_FALSE(tries_a_watch_list());
}

}  // namespace
}  // namespace kubexx::reflector
