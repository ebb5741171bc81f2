#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/reflector/reflector_fixture.hpp"

/// What happens every so often beside the watch.
namespace kubexx::reflector {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;

class ReflectorPeriodsTest : public ReflectorTest {
 protected:
  /// Watches that end `minutes_each` apart, as those of a server do.
  void rewatch(int times, Duration apart) {
    for (int i = 0; i < times; ++i) {
      executor->advance(apart);
      send(meta::WatchEventType::Bookmark, bookmark(std::to_string(++version)).object);
      script->stream().close();
      run();
    }
  }
  std::int64_t resyncs() const { return std::count(sink->history.begin(), sink->history.end(), "resync"); }
  int version = 100;
};

TEST_F(ReflectorPeriodsTest, AResyncPeriodLongerThanAnyWatchIsKept) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.resync_period = minutes(10);
  options.version_check = Duration::zero();
  start(std::move(options));

  rewatch(2, minutes(4));
  EXPECT_EQ(resyncs(), 0);
  executor->advance(minutes(2));
  EXPECT_EQ(resyncs(), 1);

  rewatch(5, minutes(4));
  EXPECT_EQ(resyncs(), 3);
}

TEST_F(ReflectorPeriodsTest, AResyncThatFellDueWhileTheWatchWasRefusedComesWithTheNextWatch) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.resync_period = minutes(1);
  start(std::move(options));
  executor->advance(seconds(50));
  script->refusals = {Error::api(429, "TooManyRequests", "slow down").with_retry_after(seconds(30))};
  send(meta::WatchEventType::Added, config_map("a", "2"));
  script->stream().close();
  run();
  executor->advance(seconds(20));
  EXPECT_EQ(state(), ReflectorState::BackingOff);
  EXPECT_EQ(resyncs(), 0);

  executor->advance(seconds(15));

  EXPECT_EQ(state(), ReflectorState::Watching);
  EXPECT_EQ(resyncs(), 1);
  executor->advance(minutes(1));
  EXPECT_EQ(resyncs(), 2);
}

TEST_F(ReflectorPeriodsTest, ARelistDoesNotPutOffTheResync) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.resync_period = minutes(1);
  start(std::move(options));
  executor->advance(seconds(50));
  script->answer({}, "2");
  reflector->relist();
  run();
  executor->advance(seconds(10));

  EXPECT_THAT(sink->history, ElementsAre("replace at 1", "replace at 2", "resync"));
}

TEST_F(ReflectorPeriodsTest, APolledResourceIsResynced) {
  script->watchable = false;
  for (int i = 0; i < 4; ++i) script->answer({}, "1");
  ReflectorOptions options;
  options.resync_period = minutes(7);
  start(std::move(options));

  executor->advance(minutes(14));

  EXPECT_EQ(script->lists.size(), 3U);
  EXPECT_EQ(resyncs(), 2);
}

TEST_F(ReflectorPeriodsTest, AVerifyPeriodLongerThanAnyWatchIsKept) {
  script->answer({config_map("a", "1")}, "1");
  ReflectorOptions options;
  options.verify_every = minutes(10);
  options.version_check = Duration::zero();
  start(std::move(options));
  rewatch(2, minutes(4));
  script->answer({config_map("a", "2")}, "102");

  executor->advance(minutes(2));

  EXPECT_EQ(script->lists.back().resource_version_match, "Exact");
  EXPECT_EQ(sink->state.at("a"), "2");
}

TEST_F(ReflectorPeriodsTest, APollIntervalOfNothingStillWaitsBetweenLists) {
  script->watchable = false;
  for (int i = 0; i < 4; ++i) script->answer({}, "1");
  ReflectorOptions options;
  options.poll_interval = Duration::zero();
  start(std::move(options));
  EXPECT_EQ(script->lists.size(), 1U);

  executor->advance(seconds(2));

  EXPECT_EQ(script->lists.size(), 3U);
}

TEST_F(ReflectorPeriodsTest, PeriodsWithoutEndNeverFallDue) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.resync_period = Duration::max();
  options.verify_every = Duration::max();
  options.version_check = Duration::max();
  start(std::move(options));

  rewatch(3, minutes(9));

  EXPECT_EQ(resyncs(), 0);
  EXPECT_EQ(script->lists.size(), 1U);
}

TEST_F(ReflectorPeriodsTest, AServerThatSaysInAYearIsAskedAgainInTenMinutes) {
  script->answer(Error::api(503, "ServiceUnavailable", "later").with_retry_after(std::chrono::hours(365 * 24)));
  start();
  executor->advance(minutes(10) - seconds(1));
  EXPECT_EQ(script->lists.size(), 1U);

  executor->advance(seconds(1));

  EXPECT_EQ(script->lists.size(), 2U);
}

TEST_F(ReflectorPeriodsTest, ARetryAfterCountsForItsOwnErrorOnly) {
  script->answer(Error::api(503, "ServiceUnavailable", "later").with_retry_after(minutes(2)));
  start();
  executor->advance(minutes(2) - seconds(1));
  EXPECT_EQ(script->lists.size(), 1U);
  script->answer(Error::canceled("given up"));
  executor->advance(seconds(1));
  EXPECT_EQ(script->lists.size(), 2U);

  script->answer({}, "1");
  executor->advance(seconds(4));

  EXPECT_EQ(state(), ReflectorState::Watching);
}

}  // namespace
}  // namespace kubexx::reflector
