#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/reflector/reflector_fixture.hpp"

/// How long a reflector waits, and that it knows when watches work.
namespace kubexx::reflector {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;
using testing::Lt;

class ReflectorBackoffTest : public ReflectorTest {
 protected:
  /// A watch that brought one event and was cut.
  void work_and_cut() {
    send(meta::WatchEventType::Modified, config_map("a", std::to_string(++version_)));
    cut();
  }
  void cut() {
    script->stream().fail(Error::transport(TransportFailure::Reset, "reset by peer"));
    run();
  }
  void refuse(std::size_t times, const Error& error = Error::transport(TransportFailure::Refused, "refused")) {
    script->refusals.insert(script->refusals.end(), times, error);
  }
  /// The waits until it watches again.
  std::vector<Duration> waits() {
    std::vector<Duration> all;
    while (state() == ReflectorState::BackingOff) {
      const auto before = executor->clock().now();
      EXPECT_TRUE(executor->advance_to_next_timer());
      all.push_back(executor->clock().now() - before);
    }
    return all;
  }
  void start_watching() {
    script->answer({}, "1");
    start();
  }

 private:
  int version_ = 1;
};

TEST_F(ReflectorBackoffTest, WhileWatchesWorkARefusedOneIsResumedWithinASecond) {
  start_watching();
  for (int round = 0; round < 10; ++round) {
    refuse(6);
    work_and_cut();
    const auto waited = waits();

    EXPECT_EQ(waited.size(), 6U);
    EXPECT_THAT(waited.front(), AllOf(Ge(milliseconds(250)), Lt(milliseconds(500))));  // not what it had grown to
    EXPECT_THAT(waited, Each(AllOf(Ge(milliseconds(250)), Le(seconds(1)))));
    ASSERT_EQ(state(), ReflectorState::Watching);
  }
  EXPECT_EQ(script->lists.size(), 1U);
}

TEST_F(ReflectorBackoffTest, AMinuteWithoutAWatchThatWorkedLetsTheWaitsGrow) {
  start_watching();
  refuse(10'000);
  work_and_cut();

  executor->advance(minutes(1));
  const auto in_the_first_minute = script->watches.size();
  executor->advance(minutes(10));
  const auto in_ten_more = script->watches.size() - in_the_first_minute;

  EXPECT_GE(in_the_first_minute, 60U);
  EXPECT_LE(in_ten_more, 26U);  // 0.8 s, 1.6 s, ... 30 s, each up to twice as long
  EXPECT_EQ(script->lists.size(), 1U);
}

TEST_F(ReflectorBackoffTest, AWatchThatLastedSomeSecondsHasWorked) {
  start_watching();
  executor->advance(seconds(3));
  refuse(3);
  cut();

  EXPECT_THAT(waits(), AllOf(testing::SizeIs(3), Each(Le(seconds(1)))));
}

TEST_F(ReflectorBackoffTest, AWatchThatNeitherLastedNorBroughtAnythingHasNotWorked) {
  start_watching();
  executor->advance(seconds(2));
  refuse(3);
  cut();

  const auto waited = waits();
  ASSERT_EQ(waited.size(), 3U);
  EXPECT_GE(waited[1], milliseconds(1600));
}

TEST_F(ReflectorBackoffTest, WhileWatchesWorkAShortOneIsResumedWithoutAList) {
  start_watching();
  work_and_cut();
  for (int i = 0; i < 20; ++i) {
    cut();
    EXPECT_THAT(waits(), Each(Le(seconds(1))));
    executor->advance(seconds(1));  // past the limit of watches a second, which is no backoff
    script->stream().close();
    run();
    waits();
  }

  EXPECT_EQ(script->lists.size(), 1U);
  EXPECT_EQ(script->watches.back().resource_version, "2");
  EXPECT_GE(reflector->status().restarts.at("short"), 20U);
}

TEST_F(ReflectorBackoffTest, AMinuteOfShortWatchesLeadsToAList) {
  start_watching();
  work_and_cut();
  const auto begin = executor->clock().now();
  while (script->lists.size() == 1 && executor->clock().now() - begin < minutes(3)) {
    if (script->stream().alive) cut();
    executor->advance(milliseconds(100));
  }

  EXPECT_GE(executor->clock().now() - begin, minutes(1));
  EXPECT_EQ(script->lists.size(), 2U);
  EXPECT_EQ(script->lists.back().resource_version, "2");
}

TEST_F(ReflectorBackoffTest, AServerThatIsTooBusyIsLeftAloneEverLongerThoughWatchesWork) {
  start_watching();
  refuse(6, Error::api(429, "TooManyRequests", "slow down"));
  work_and_cut();

  const auto waited = waits();
  ASSERT_EQ(waited.size(), 6U);
  EXPECT_GE(waited.back(), milliseconds(25'600));
}

TEST_F(ReflectorBackoffTest, ListsAreEverRarerThoughTheWatchesBetweenThemWork) {
  start_watching();
  std::vector<Duration> waited;
  for (int i = 0; i < 8; ++i) {
    send(meta::WatchEventType::Modified, config_map("a", std::to_string(i + 10)));
    script->stream().send(status_event(410, "Expired", "too old"));
    run();
    script->answer({}, std::to_string(i + 10));
    for (const auto wait : waits()) waited.push_back(wait);
  }

  ASSERT_EQ(waited.size(), 8U);
  EXPECT_GE(waited.back(), seconds(30));
  EXPECT_LE(waited.back(), seconds(60));
}

TEST_F(ReflectorBackoffTest, AResumedWatchWaitsNoLongerThanTheGivenBackoff) {
  ReflectorOptions options;
  options.backoff.initial = milliseconds(10);
  options.backoff.cap = milliseconds(40);
  options.backoff.jitter = 0;
  script->answer({}, "1");
  start(std::move(options));
  executor->advance(seconds(1));
  refuse(3);
  work_and_cut();

  EXPECT_THAT(waits(), testing::ElementsAre(milliseconds(10), milliseconds(20), milliseconds(40)));
}

}  // namespace
}  // namespace kubexx::reflector
