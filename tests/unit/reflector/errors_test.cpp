#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "unit/reflector/reflector_fixture.hpp"

/// How rounds of list and watch fail and how the next one goes on.
namespace kubexx::reflector {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;

class ReflectorErrorsTest : public ReflectorTest {
 protected:
  void wait_out_the_backoff() {
    while (state() == ReflectorState::BackingOff) ASSERT_TRUE(executor->advance_to_next_timer());
  }
  void internal_error() {
    script->stream().send(status_event(500, "InternalError", "boom"));
    run();
  }
};

// TestReflectorListAndWatchWithErrors
TEST_F(ReflectorErrorsTest, ThroughFailingListsAndWatchesTheStateStaysThatOfTheServer) {
  using State = std::map<std::string, std::string>;
  constexpr auto kAdded = meta::WatchEventType::Added;
  constexpr auto kModified = meta::WatchEventType::Modified;
  constexpr auto kDeleted = meta::WatchEventType::Deleted;
  struct Round {
    std::optional<Error> list_error;
    std::vector<meta::Object> items;
    std::string version;
    std::optional<Error> watch_error;
    std::vector<meta::WatchEvent> events;
    std::string asked;  // version of the list
    State after;
  };
  const auto refused = Error::api(403, "Forbidden", "no");
  const std::vector<Round> rounds = {
      {refused, {}, "", {}, {}, "0", {}},
      {{}, {config_map("a", "1")}, "1", {}, {{kAdded, config_map("b", "2")}}, "0", {{"a", "1"}, {"b", "2"}}},
      {{}, {config_map("a", "1"), config_map("b", "3")}, "4", refused, {}, "2", {{"a", "1"}, {"b", "3"}}},
      {refused, {}, "", {}, {}, "4", {{"a", "1"}, {"b", "3"}}},
      {{},
       {config_map("b", "3")},
       "5",
       {},
       {{kModified, config_map("b", "6")}, {kAdded, config_map("c", "7")}},
       "4",
       {{"b", "6"}, {"c", "7"}}},
      {{}, {config_map("c", "8")}, "9", {}, {{kDeleted, config_map("c", "10")}}, "7", {}},
      {{}, {config_map("d", "11")}, "11", refused, {}, "10", {{"d", "11"}}},
  };
  for (const auto& round : rounds) {
    if (round.list_error) {
      script->answer(*round.list_error);
    } else {
      script->answer(round.items, round.version);
    }
    if (!round.list_error) script->refusals.push_back(round.watch_error);
    if (!reflector) {
      start();
    } else {
      ASSERT_TRUE(executor->advance_to_next_timer());
    }
    for (const auto& event : round.events) script->stream().send(event);
    run();

    EXPECT_EQ(script->lists.back().resource_version, round.asked);
    EXPECT_EQ(sink->state, round.after);

    if (!round.list_error && !round.watch_error) {
      script->stream().send(status_event(410, "Expired", "too old"));
      run();
    }
    EXPECT_EQ(state(), ReflectorState::BackingOff);
  }
  EXPECT_EQ(script->lists.size(), rounds.size());
}

// TestNewReflectorWithCustomBackoff
TEST_F(ReflectorErrorsTest, TheWaitsAreThoseOfTheGivenBackoff) {
  ReflectorOptions options;
  options.backoff.initial = milliseconds(10);
  options.backoff.factor = 3;
  options.backoff.cap = milliseconds(100);
  options.backoff.jitter = 0;
  script->answer(Error::api(500, "InternalError", "boom"));
  start(std::move(options));

  std::vector<Duration> waits;
  for (int i = 0; i < 5; ++i) {
    script->answer(Error::api(500, "InternalError", "boom"));
    const auto before = executor->clock().now();
    ASSERT_TRUE(executor->advance_to_next_timer());
    waits.push_back(executor->clock().now() - before);
  }

  EXPECT_THAT(waits,
              ElementsAre(milliseconds(10), milliseconds(30), milliseconds(90), milliseconds(100), milliseconds(100)));
  EXPECT_EQ(script->lists.size(), 6U);
}

// TestRetryInternalError: off
TEST_F(ReflectorErrorsTest, WithoutAWindowAnInternalErrorEndsTheRoundAtOnce) {
  script->answer({}, "1");
  start();

  internal_error();

  EXPECT_EQ(script->watches.size(), 1U);
  EXPECT_EQ(state(), ReflectorState::BackingOff);
}

// TestRetryInternalError: always failing until the window ends
TEST_F(ReflectorErrorsTest, InternalErrorsWithoutEndEndTheRoundWhenTheirWindowIsOver) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.max_internal_error_retry = seconds(30);
  start(std::move(options));

  for (int i = 0; i <= 3; ++i) {
    internal_error();
    EXPECT_EQ(state(), ReflectorState::Watching);
    executor->advance(seconds(10));
  }
  executor->advance(seconds(1));
  internal_error();

  EXPECT_EQ(script->watches.size(), 5U);
  EXPECT_EQ(script->lists.size(), 1U);
  EXPECT_EQ(state(), ReflectorState::BackingOff);
}

// TestRetryInternalError: recovery resets the window
TEST_F(ReflectorErrorsTest, AMinuteWithoutInternalErrorsOpensTheirWindowAnew) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.max_internal_error_retry = seconds(30);
  start(std::move(options));
  internal_error();
  executor->advance(seconds(25));
  internal_error();
  executor->advance(minutes(1));

  internal_error();
  EXPECT_EQ(state(), ReflectorState::Watching);
  executor->advance(seconds(30));
  internal_error();
  EXPECT_EQ(state(), ReflectorState::Watching);
  executor->advance(seconds(1));
  internal_error();

  EXPECT_EQ(script->watches.size(), 5U);
  EXPECT_EQ(state(), ReflectorState::BackingOff);
}

// TestReflectorReplacesStoreOnUnsafeDelete: an object that the server cannot read any more is deleted; its event is an
// error, and the list that follows says what is left.
TEST_F(ReflectorErrorsTest, AnUnreadableObjectThatIsDeletedGoesWithTheNextList) {
  script->answer({config_map("good", "1"), config_map("broken", "2")}, "5");
  start();
  script->answer({config_map("good", "1")}, "7");

  script->stream().send(status_event(500, "StorageReadError", "corrupt object has been deleted"));
  run();
  wait_out_the_backoff();

  EXPECT_THAT(list_versions(), ElementsAre("0", "5"));
  EXPECT_THAT(sink->history, ElementsAre("replace good@1 broken@2 at 5", "replace good@1 at 7"));
}

TEST_F(ReflectorErrorsTest, AServerThatRefusesTheWatchVerbIsPolled) {
  script->watch_list = true;
  const auto refusal = Error::api(405, "MethodNotAllowed", "no watch");
  script->refusals = {refusal, refusal};
  script->answer({config_map("a", "1")}, "5");
  start();
  EXPECT_EQ(script->watches.size(), 2U);  // a WatchList, then a watch
  EXPECT_EQ(state(), ReflectorState::Polling);
  EXPECT_TRUE(errors.empty());

  script->answer({config_map("a", "6")}, "6");
  executor->advance(minutes(5));

  EXPECT_EQ(script->lists.back().resource_version, "");
  EXPECT_EQ(sink->state.at("a"), "6");
  EXPECT_EQ(script->watches.size(), 2U);
  EXPECT_EQ(state(), ReflectorState::Polling);
}

// TestReflectorHandleWatchStoppedBefore
TEST_F(ReflectorErrorsTest, StoppedBeforeItsWatchIsOpenItGivesTheWatchUpOnce) {
  script->holds_watches = true;
  script->answer({}, "1");
  start();
  const auto stream = script->streams.at(0);

  reflector->stop();
  stream->open();
  stream->send({meta::WatchEventType::Added, config_map("late", "2")});
  run();

  EXPECT_EQ(state(), ReflectorState::Stopped);
  EXPECT_EQ(stream->ends, 1);
  EXPECT_TRUE(sink->state.empty());
}

// TestReflectorHandleWatchStoppedAfter
TEST_F(ReflectorErrorsTest, StoppedAfterAnEventItGivesTheWatchUpOnce) {
  script->answer({}, "1");
  start();
  const auto stream = script->streams.at(0);
  send(meta::WatchEventType::Added, config_map("a", "2"));

  reflector->stop();
  run();

  EXPECT_EQ(stream->ends, 1);
  EXPECT_EQ(script->watches.size(), 1U);
  EXPECT_EQ(reflector->last_sync_resource_version(), "2");
}

// TestReflectorHandleWatchResultChanClosedBefore
TEST_F(ReflectorErrorsTest, AStreamThatEndsBeforeItsFirstEventIsGivenUpOnce) {
  script->answer({}, "1");
  start();
  const auto stream = script->streams.at(0);

  stream->close();
  run();

  EXPECT_EQ(stream->ends, 1);
  EXPECT_EQ(state(), ReflectorState::BackingOff);
}

// TestReflectorHandleWatchResultChanClosedAfter
TEST_F(ReflectorErrorsTest, AStreamThatEndsAfterAnEventIsGivenUpOnceAndFollowedByAnother) {
  script->answer({}, "1");
  start();
  const auto stream = script->streams.at(0);
  send(meta::WatchEventType::Added, config_map("a", "2"));

  stream->close();
  run();

  EXPECT_EQ(stream->ends, 1);
  ASSERT_EQ(script->streams.size(), 2U);
  EXPECT_EQ(script->streams[1]->ends, 0);
  EXPECT_EQ(state(), ReflectorState::Watching);
}

// TestGetTypeDescriptionFromObject, TestGetExpectedGVKFromObject: there is no prototype object to ask
TEST_F(ReflectorErrorsTest, WithoutADescriptionErrorsNameTheExpectedKind) {
  const auto described = [&](ReflectorOptions options) {
    return Reflector::create(script, sink, Strand(executor), std::move(options))->type_description();
  };
  ReflectorOptions options;
  EXPECT_EQ(described(options), "<unspecified>");
  options.expected_kind = meta::GroupVersionKind{"shop.example.com", "v1", "Order"};
  EXPECT_EQ(described(options), "shop.example.com/v1, Kind=Order");
  options.type_description = "orders";
  EXPECT_EQ(described(options), "orders");
}

}  // namespace
}  // namespace kubexx::reflector
