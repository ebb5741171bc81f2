#include "events/event_correlator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"

namespace kubexx::events {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::StartsWith;
using What = EventWrite::What;

class EventCorrelatorTest : public testing::Test {
 protected:
  EventRecord record(const std::string& message, const std::string& object = "web",
                     const std::string& type = "Normal") {
    EventRecord e;
    e.namespace_ = "default";
    e.name = event_name(object, clock.wall());
    e.about = {"v1", "Pod", "default", object, "uid-" + object, "7", ""};
    e.type = type;
    e.reason = "Pulled";
    e.message = message;
    e.component = "kubelet";
    e.instance = "node-1";
    e.first = e.last = clock.wall();
    return e;
  }
  EventWrite observe(EventRecord e) {
    clock.advance(std::chrono::milliseconds(1));
    return correlator.observe(std::move(e), clock.now());
  }

  FakeClock clock;
  EventBroadcasterOptions options{};
  EventCorrelator correlator{options};
};

TEST_F(EventCorrelatorTest, TheFirstIsCreatedAndTheSameAgainPatchesItsCountUnderTheFirstName) {
  const auto first = observe(record("a"));
  const auto second = observe(record("a"));
  const auto third = observe(record("a"));

  EXPECT_EQ(first.what, What::Create);
  EXPECT_EQ(second.what, What::Patch);
  EXPECT_EQ(third.event.count, 3);
  EXPECT_EQ(third.event.name, first.event.name);
  EXPECT_EQ(third.event.first, first.event.first);
  EXPECT_GT(third.event.last, first.event.last);
}

TEST_F(EventCorrelatorTest, TheTenthDifferentMessageOfAReasonIsCombinedAndLaterOnesCountOnIt) {
  for (int i = 0; i < 9; ++i) EXPECT_EQ(observe(record("m" + std::to_string(i))).what, What::Create);

  const auto tenth = observe(record("m9"));
  const auto eleventh = observe(record("m10"));

  EXPECT_EQ(tenth.what, What::Create);
  EXPECT_EQ(tenth.event.message, "(combined from similar events): m9");
  EXPECT_EQ(eleventh.what, What::Patch);
  EXPECT_EQ(eleventh.event.message, "(combined from similar events): m10");
  EXPECT_EQ(eleventh.event.count, 2);
  EXPECT_EQ(eleventh.event.name, tenth.event.name);
}

TEST_F(EventCorrelatorTest, AMessageKnownBeforeTheLimitIsStillCountedByItself) {
  for (int i = 0; i < 12; ++i) observe(record("m" + std::to_string(i)));

  const auto again = observe(record("m3"));

  EXPECT_EQ(again.what, What::Patch);
  EXPECT_EQ(again.event.message, "m3");
  EXPECT_EQ(again.event.count, 2);
}

TEST_F(EventCorrelatorTest, MessagesOfAnOldIntervalDoNotCountAsSimilar) {
  for (int i = 0; i < 9; ++i) observe(record("m" + std::to_string(i)));
  clock.advance(minutes(11));

  EXPECT_EQ(observe(record("m9")).event.message, "m9");
}

TEST_F(EventCorrelatorTest, OtherObjectsFieldPathsAndTypesAreCountedApart) {
  observe(record("a"));
  auto part = record("a");
  part.about.field_path = "spec.containers{web}";

  EXPECT_EQ(observe(record("a", "db")).what, What::Create);
  EXPECT_EQ(observe(part).what, What::Create);
  EXPECT_EQ(observe(record("a", "web", "Warning")).what, What::Create);
}

TEST_F(EventCorrelatorTest, TwentyFiveEventsAboutAnObjectPassThenOneEveryFiveMinutes) {
  for (int i = 0; i < 25; ++i) EXPECT_NE(observe(record("a")).what, What::Skip) << i;

  EXPECT_EQ(observe(record("a")).what, What::Skip);
  EXPECT_NE(observe(record("a", "db")).what, What::Skip);
  clock.advance(minutes(5));
  EXPECT_NE(observe(record("a")).what, What::Skip);
  EXPECT_EQ(observe(record("a")).what, What::Skip);
}

TEST_F(EventCorrelatorTest, WhatItRemembersIsBounded) {
  options.remembered = 2;
  EventCorrelator small(options);
  small.observe(record("a", "one"), clock.now());
  small.observe(record("a", "two"), clock.now());
  small.observe(record("a", "three"), clock.now());

  EXPECT_EQ(small.observe(record("a", "three"), clock.now()).what, What::Patch);
  EXPECT_EQ(small.observe(record("a", "one"), clock.now()).what, What::Create);
}

class EventSeriesTest : public EventCorrelatorTest {
 protected:
  EventWrite observe(EventRecord e) { return series.observe(std::move(e), clock.now()); }
  EventSeries series{options};
};

TEST_F(EventSeriesTest, TheSecondMakesASeriesAndLaterOnesAreOnlyCounted) {
  const auto first = observe(record("a"));
  const auto second = observe(record("b"));
  const auto third = observe(record("c"));

  EXPECT_EQ(first.what, What::Create);
  EXPECT_EQ(second.what, What::Patch);
  EXPECT_EQ(second.event.count, 2);
  EXPECT_EQ(second.event.name, first.event.name);
  EXPECT_EQ(third.what, What::Skip);
}

TEST_F(EventSeriesTest, ARefreshWritesTheCountOnceAndASeriesThatEndedIsForgotten) {
  for (int i = 0; i < 5; ++i) observe(record("a"));

  const auto refreshed = series.refresh();
  ASSERT_EQ(refreshed.size(), 1U);
  EXPECT_EQ(refreshed[0].count, 5);
  EXPECT_TRUE(series.refresh().empty());

  clock.advance(minutes(5));
  EXPECT_TRUE(series.finish(clock.now()).empty());
  observe(record("a"));
  clock.advance(minutes(6));
  const auto finished = series.finish(clock.now());
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].count, 6);
  EXPECT_EQ(observe(record("a")).what, What::Create);
}

TEST_F(EventSeriesTest, ActionAndRelatedObjectTellSeriesApart) {
  observe(record("a"));
  auto acted = record("a");
  acted.action = "Scaling";
  auto related = record("a");
  related.related = {"v1", "Node", "", "n", "u", "", ""};

  EXPECT_EQ(observe(acted).what, What::Create);
  EXPECT_EQ(observe(related).what, What::Create);
}

TEST(EventNameTest, IsCutToTheLimitAndSpelledAsAName) {
  const WallTime time{seconds(1'700'000'000)};

  EXPECT_EQ(event_name("web", time), "web.17979cfe362a0000");
  EXPECT_EQ(event_name(std::string(300, 'a'), time).size(), 253U);
  EXPECT_THAT(event_name("system:node", time), StartsWith("system-node."));
  EXPECT_THAT(event_name("Upper_", time), StartsWith("upperx."));
  EXPECT_THAT(event_name("-.a", time), StartsWith("x.a."));
}

TEST(EventTextTest, IsNeverCutInsideACharacter) {
  EXPECT_EQ(utf8_prefix("a\xC3\xA4", 2), "a");
  EXPECT_EQ(utf8_prefix("a\xC3\xA4", 3), "a\xC3\xA4");
}

TEST(EventReferenceTest, AnObjectWithoutKindOrNameIsAnError) {
  EXPECT_FALSE(event_reference(meta::Object{}));
  EXPECT_FALSE(event_reference(meta::parse_json(R"({"metadata":{"name":"a"}})").value()));
  EXPECT_FALSE(event_reference(meta::parse_json(R"({"apiVersion":"v1","kind":"Pod","metadata":{}})").value()));
}

}  // namespace
}  // namespace kubexx::events
