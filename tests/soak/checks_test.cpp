#include <gmock/gmock.h>

#include "kubexx/meta/draft.hpp"
#include "soak/figures.hpp"
#include "soak/settings.hpp"
#include "soak/terms.hpp"
#include "support/checked_history.hpp"

namespace kubexx::soak {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

meta::Object at_version(int version) {
  const meta::Draft draft;
  draft["metadata"]["namespace"].set("default");
  draft["metadata"]["name"].set("x");
  draft["metadata"]["resourceVersion"].set(std::to_string(version));
  return draft.to_object();
}

class CheckedHistoryTest : public ::testing::Test {
 protected:
  void add(int version) { history_.on_add(at_version(version), false, context_); }
  void update(int before, int after) { history_.on_update(at_version(before), at_version(after), context_); }
  void remove(int version) { history_.on_delete({"default/x", at_version(version), true}, context_); }

  informer::EventContext context_{informer::EventCause::Watch, {}, nullptr, nullptr};
  CheckedHistory history_{{.versions_may_fall = false}};
};

TEST_F(CheckedHistoryTest, CallsThatFollowFromEachOtherAreNoProblemAndLeaveTheLastState) {
  add(1);
  update(1, 2);
  remove(3);
  add(4);

  EXPECT_THAT(history_.problems(), IsEmpty());
  EXPECT_THAT(history_.view(), ElementsAre("default/x=4"));
}

TEST_F(CheckedHistoryTest, AnAddOfWhatIsThereIsAProblem) {
  add(1);
  add(2);
  EXPECT_THAT(history_.problems(), ElementsAre(HasSubstr("it is there already, at 1")));
}

TEST_F(CheckedHistoryTest, AnUpdateFromAnotherStateThanTheLastIsAProblem) {
  add(1);
  update(2, 3);
  EXPECT_THAT(history_.problems(), ElementsAre(HasSubstr("from 2, but last was 1")));
}

TEST_F(CheckedHistoryTest, ADeleteOfWhatIsNotThereIsAProblem) {
  remove(1);
  EXPECT_THAT(history_.problems(), ElementsAre(HasSubstr("it was never added")));
}

TEST_F(CheckedHistoryTest, AVersionThatFallsIsAProblemAlsoOverADelete) {
  add(5);
  remove(6);
  add(4);
  EXPECT_THAT(history_.problems(), ElementsAre(HasSubstr("the version fell from 6 to 4")));
}

TEST_F(CheckedHistoryTest, ACallAfterTheRemovalIsAProblem) {
  history_.retire();
  add(1);
  EXPECT_THAT(history_.problems(), ElementsAre(HasSubstr("called after its removal")));
}

class TermsTest : public ::testing::Test {
 protected:
  /// Times in milliseconds.
  void arrives(const std::string& leader, int term, int began, int deadline, int at) {
    const TermWrite write{leader, term, ++number_, time(began), time(deadline)};
    terms_.arrived(TermWrite::parse(write.name()).value(), time(at));
  }
  static TimePoint time(int ms) { return TimePoint(milliseconds(ms)); }
  std::string violation() const { return journal_.violated() ? journal_.violated()->what : ""; }

  Journal journal_;
  Terms terms_{journal_};
  int number_ = 0;
};

TEST_F(TermsTest, OneLeaderAfterTheOtherIsNoViolation) {
  arrives("a", 1, 0, 100, 10);
  arrives("a", 1, 20, 100, 30);
  arrives("b", 1, 200, 300, 210);
  arrives("a", 2, 400, 500, 410);

  EXPECT_EQ(violation(), "");
  EXPECT_EQ(terms_.terms(), 3U);
  EXPECT_EQ(terms_.writes(), 4U);
}

TEST_F(TermsTest, AWriteOfALeaderAfterOneOfTheNextIsAViolation) {
  arrives("a", 1, 0, 1000, 10);
  arrives("b", 1, 20, 1000, 30);
  arrives("a", 1, 40, 1000, 50);
  EXPECT_THAT(violation(), HasSubstr("two leaders: a.1 writes after the first write of b.1"));
}

TEST_F(TermsTest, AWriteThatWasOnItsWayWhenItsTimeEndedMayArriveInTheNextTerm) {
  arrives("a", 1, 0, 100, 10);
  arrives("b", 1, 200, 300, 210);
  arrives("a", 1, 90, 100, 220);
  EXPECT_EQ(violation(), "");
}

TEST_F(TermsTest, WritesThatBeganAfterTheGuardsTimeAreAViolation) {
  arrives("a", 1, 110, 100, 120);
  EXPECT_EQ(violation(), "") << "its guard may have been renewed at that moment";
  arrives("a", 1, 130, 100, 140);
  EXPECT_THAT(violation(), HasSubstr("wrote on after its guard's time"));
}

TEST_F(TermsTest, ANameThatIsNoWriteOfALeaderIsNone) {
  EXPECT_FALSE(TermWrite::parse("default"));
  EXPECT_FALSE(TermWrite::parse("a.1.2.3.four"));
}

TEST(FlatnessTest, WhatComesAndGoesIsFlatAndWhatOnlyGrowsIsNot) {
  Flatness comes_and_goes;
  Flatness grows;
  for (int i = 0; i < 30; ++i) {
    comes_and_goes.add({.memory = 1e8, .threads = 50.0 + i % 3, .descriptors = 80.0 + i % 7});
    grows.add({.memory = 1e8, .threads = 50.0 + 2 * i, .descriptors = 80});
  }
  EXPECT_EQ(comes_and_goes.growth(), std::nullopt);
  ASSERT_TRUE(grows.growth());
  EXPECT_THAT(*grows.growth(), HasSubstr("threads grew from at most 68 in the first third to at least 90"));
}

TEST(FlatnessTest, MemoryThatDoublesIsGrowth) {
  Flatness grows;
  for (int i = 0; i < 30; ++i) grows.add({.memory = 5e8 * (1 + i / 15), .threads = 50, .descriptors = 80});
  ASSERT_TRUE(grows.growth());
  EXPECT_THAT(*grows.growth(), HasSubstr("memory in MB grew from at most 477"));
}

TEST(JournalTest, TheFirstViolationIsKeptWithTheLastEventsOfItsKey) {
  Journal journal;
  for (int i = 0; i < 100; ++i) journal.event("pods default/x", "event " + std::to_string(i));
  journal.event("pods default/y", "another key's");
  journal.fault("cut");
  journal.violation("pods default/x", "first");
  journal.violation("pods default/y", "second");

  const auto violated = journal.violated();
  ASSERT_TRUE(violated);
  EXPECT_EQ(violated->what, "first");
  ASSERT_EQ(violated->events.size(), 40U);
  EXPECT_THAT(violated->events.back(), HasSubstr("event 99"));
  EXPECT_THAT(violated->faults, ElementsAre(HasSubstr("cut")));
  EXPECT_TRUE(journal.over().stop_requested());
}

TEST(SettingsTest, FlagsSayHowLongAndFromWhichSeed) {
  const auto settings = parse_settings({"--minutes", "1.5", "--seed", "7"});
  ASSERT_TRUE(settings) << settings.error();
  EXPECT_EQ(settings->length, std::chrono::seconds(90));
  EXPECT_EQ(settings->seed, 7U);
}

TEST(SettingsTest, WhatIsNoNumberOrNoFlagIsAnError) {
  EXPECT_THAT(parse_settings({"--minutes", "soon"}).error().message(), HasSubstr("\"soon\" is no number"));
  EXPECT_THAT(parse_settings({"--minutes", "-1"}).error().message(), HasSubstr("more than nothing"));
  EXPECT_THAT(parse_settings({"--seed"}).error().message(), HasSubstr("--seed wants a number"));
  EXPECT_THAT(parse_settings({"--hours"}).error().message(), HasSubstr("what is --hours?"));
}

}  // namespace
}  // namespace kubexx::soak
