/// A reflector whose sink has objects of an earlier run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/reflector/reflector_fixture.hpp"

namespace kubexx::reflector {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ResumeTest : public ReflectorTest {
 protected:
  void resume(ReflectorOptions options = {}) {
    options.resume_from = "10";
    start(std::move(options));
  }
};

TEST_F(ResumeTest, ItWatchesFromThereAndListsNothing) {
  script->watch_list = true;
  resume();
  ASSERT_EQ(script->watches.size(), 1U);
  EXPECT_EQ(script->watches[0].resource_version, "10");
  EXPECT_FALSE(script->watches[0].send_initial_events.value_or(false));
  EXPECT_THAT(script->lists, IsEmpty());
  EXPECT_EQ(script->version_checks, 1);
  EXPECT_EQ(reflector->last_sync_resource_version(), "10");
}

TEST_F(ResumeTest, UntilTheServerSaysSomethingNothingIsConfirmed) {
  resume();
  EXPECT_THAT(sink->history, IsEmpty());
  EXPECT_FALSE(reflector->status().synced_once);
  EXPECT_FALSE(reflector->status().last_activity);
  EXPECT_EQ(reflector->status().attempts, 1U);
}

TEST_F(ResumeTest, AnEventConfirmsBeforeItIsHandedOver) {
  resume();
  send(meta::WatchEventType::Added, config_map("a", "11"));
  send(meta::WatchEventType::Added, config_map("b", "12"));
  EXPECT_THAT(sink->history, ElementsAre("confirm", "add a@11", "add b@12"));
  EXPECT_TRUE(reflector->status().synced_once);
  EXPECT_EQ(reflector->status().attempts, 0U);
}

TEST_F(ResumeTest, ABookmarkConfirms) {
  resume();
  script->stream().send(bookmark("15"));
  run();
  EXPECT_THAT(sink->history, ElementsAre("confirm", "bookmark 15"));
}

TEST_F(ResumeTest, AVersionThatIsNotLowerConfirms) {
  script->current_version = "10";
  resume();
  EXPECT_THAT(sink->history, ElementsAre("confirm"));
  EXPECT_TRUE(reflector->status().last_activity);
}

TEST_F(ResumeTest, AVersionThatCannotBeComparedConfirmsNothing) {
  script->current_version = "unknown";
  resume();
  EXPECT_THAT(sink->history, IsEmpty());
}

TEST_F(ResumeTest, ALowerVersionLeadsToTheMostRecentList) {
  script->current_version = "9";
  script->answer({config_map("a", "8")}, "9");
  resume();
  EXPECT_THAT(list_versions(), ElementsAre(""));
  EXPECT_THAT(sink->history, ElementsAre("replace a@8 at 9"));
}

TEST_F(ResumeTest, AnExpiredVersionIsListedAtOnceAndNotBelow) {
  script->refusals.push_back(Error::api(410, "Expired", "too old"));
  script->answer({config_map("a", "11")}, "20");
  resume();
  EXPECT_THAT(list_versions(), ElementsAre("10"));
  EXPECT_THAT(sink->history, ElementsAre("replace a@11 at 20"));
  EXPECT_EQ(script->watches.back().resource_version, "20");
}

TEST_F(ResumeTest, AVersionThatExpiresInTheStreamIsListedAtOnce) {
  script->answer({}, "20");
  resume();
  script->stream().send(status_event(410, "Expired", "too old"));
  run();
  EXPECT_THAT(sink->history, ElementsAre("replace at 20"));
}

TEST_F(ResumeTest, AnExpiredVersionThatWasConfirmedWaitsForItsBackoff) {
  script->answer({}, "20");
  resume();
  send(meta::WatchEventType::Added, config_map("a", "11"));
  script->stream().send(status_event(410, "Expired", "too old"));
  run();
  EXPECT_THAT(script->lists, IsEmpty());
  EXPECT_EQ(state(), ReflectorState::BackingOff);
}

TEST_F(ResumeTest, AServerThatIsAwayIsWaitedForAtTheSameVersion) {
  for (int i = 0; i < 3; ++i) {
    script->refusals.push_back(Error::transport(TransportFailure::Refused, "nobody listens"));
  }
  resume();
  executor->advance(minutes(3));
  ASSERT_EQ(script->watches.size(), 4U);
  for (const auto& query : script->watches) EXPECT_EQ(query.resource_version, "10");
  EXPECT_THAT(script->lists, IsEmpty());
  EXPECT_THAT(sink->history, IsEmpty());
}

TEST_F(ResumeTest, AServerThatResetsConnectionsIsWatchedAgainBeforeItIsListed) {
  for (int i = 0; i < 3; ++i) script->refusals.push_back(Error::transport(TransportFailure::Reset, "reset"));
  script->refusals.push_back(Error::api(503, "", "no backend"));
  resume();
  executor->advance(minutes(3));
  EXPECT_EQ(script->watches.size(), 5U);
  EXPECT_THAT(script->lists, IsEmpty());
  script->stream().send(bookmark("15"));
  run();
  EXPECT_THAT(sink->history, ElementsAre("confirm", "bookmark 15"));
}

TEST_F(ResumeTest, AServerThatAnswersListsAloneIsListedAfterSomeWatches) {
  for (int i = 0; i < 20; ++i) script->refusals.push_back(Error::transport(TransportFailure::Reset, "reset"));
  script->answer({config_map("a", "11")}, "20");
  resume();
  executor->advance(minutes(3));
  EXPECT_THAT(sink->history, ElementsAre("replace a@11 at 20"));
}

TEST_F(ResumeTest, AListThatSomebodyAskedForIsNotGivenUpForAWatch) {
  script->answer(Error::transport(TransportFailure::Reset, "reset"));
  script->answer({config_map("a", "11")}, "20");
  resume();
  reflector->relist();
  run();
  executor->advance(minutes(1));
  EXPECT_THAT(sink->history, ElementsAre("replace a@11 at 20"));
  EXPECT_EQ(script->watches.size(), 2U);
}

TEST_F(ResumeTest, AListThatTakesItsPlaceIsNotConfirmedAgain) {
  script->refusals.push_back(Error::api(403, "Forbidden", "not yours"));
  script->answer({config_map("a", "11")}, "20");
  resume();
  EXPECT_THAT(sink->history, IsEmpty());
  executor->advance(minutes(1));
  send(meta::WatchEventType::Added, config_map("b", "21"));
  EXPECT_THAT(sink->history, ElementsAre("replace a@11 at 20", "add b@21"));
}

TEST_F(ResumeTest, AResourceWithoutWatchIsListed) {
  script->watchable = false;
  script->answer({config_map("a", "11")}, "20");
  resume();
  EXPECT_THAT(script->watches, IsEmpty());
  EXPECT_THAT(sink->history, ElementsAre("replace a@11 at 20"));
}

TEST_F(ResumeTest, AWatchVerbThatIsRefusedIsNoReasonToWaitWithTheList) {
  script->refusals.push_back(Error::api(405, "MethodNotAllowed", "no watch"));
  script->answer({config_map("a", "11")}, "20");
  resume();
  EXPECT_THAT(sink->history, ElementsAre("replace a@11 at 20"));
  EXPECT_EQ(state(), ReflectorState::Polling);
}

TEST_F(ResumeTest, AResourceThatIsUnknownTakesWhatTheSinkHad) {
  script->can_await = true;
  script->refusals.push_back(Error::api(404, "NotFound", "no such resource"));
  resume();
  EXPECT_THAT(sink->history, ElementsAre("replace at 10"));
  EXPECT_EQ(state(), ReflectorState::Parked);
}

TEST_F(ResumeTest, VerificationAndResyncCountFromTheStart) {
  script->current_version = "10";
  resume({.resync_period = minutes(2), .verify_every = minutes(3)});
  executor->advance(minutes(2));
  EXPECT_THAT(sink->history, ElementsAre("confirm", "resync"));
  EXPECT_THAT(script->lists, IsEmpty());
  executor->advance(minutes(1));
  ASSERT_THAT(list_versions(), ElementsAre("10"));
  EXPECT_EQ(script->lists[0].resource_version_match, "Exact");
}

}  // namespace
}  // namespace kubexx::reflector
