#include "logs/log_cursor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace kubexx::logs {
namespace {

using testing::ElementsAre;
using Verdict = LogCursor::Verdict;

struct Line {
  WallTime time;
  std::string text;
};

WallTime at(int nanos, int seconds = 1000) {
  return WallTime(std::chrono::seconds(seconds) + Duration(nanos));
}

class LogCursorTest : public testing::Test {
 protected:
  /// What is new of an answer; a line after a gap has "!" before it.
  std::vector<std::string> read(const std::vector<Line>& answer, bool same_run = true) {
    cursor.begin(same_run);
    std::vector<std::string> fresh;
    for (const Line& line : answer) {
      const auto verdict = cursor.take(line.time, line.text);
      if (verdict != Verdict::Known) fresh.push_back((verdict == Verdict::AfterGap ? "!" : "") + line.text);
    }
    return fresh;
  }
  LogCursor cursor{42, 4};
};

TEST_F(LogCursorTest, WhatCameBeforeIsKnownAndTheRestIsNew) {
  EXPECT_THAT(read({{at(1), "a"}, {at(2), "b"}}, false), ElementsAre("a", "b"));
  EXPECT_THAT(read({{at(1), "a"}, {at(2), "b"}, {at(3), "c"}}), ElementsAre("c"));
  EXPECT_EQ(cursor.last(), at(3));
}

TEST_F(LogCursorTest, LinesOfOneTimeAreToldApartByTheirOrder) {
  EXPECT_THAT(read({{at(1), "x"}, {at(1), "y"}, {at(1), "x"}}, false), ElementsAre("x", "y", "x"));
  EXPECT_THAT(read({{at(1), "x"}, {at(1), "y"}, {at(1), "x"}, {at(1), "x"}, {at(1), "y"}}), ElementsAre("x", "y"));
}

TEST_F(LogCursorTest, MoreLinesOfOneTimeThanAreKeptAreCounted) {
  std::vector<Line> same(10, Line{at(1), "x"});
  EXPECT_EQ(read(same, false).size(), 10U);
  same.push_back({at(1), "x"});
  EXPECT_THAT(read(same), ElementsAre("x"));
}

TEST_F(LogCursorTest, LinesOlderThanThoseKeptAreKnown) {
  std::vector<Line> many;
  for (int i = 0; i < 10; ++i) many.push_back({at(i), std::to_string(i)});
  EXPECT_EQ(read(many, false).size(), 10U);
  many.push_back({at(10), "10"});
  EXPECT_THAT(read(many), ElementsAre("10"));
}

TEST_F(LogCursorTest, ANodeThatThrewTheBeginningAwayIsUnderstood) {
  EXPECT_EQ(read({{at(1), "a"}, {at(2), "b"}, {at(3), "c"}}, false).size(), 3U);
  EXPECT_THAT(read({{at(3), "c"}, {at(4), "d"}}), ElementsAre("d"));
}

TEST_F(LogCursorTest, WhatStandsBeforeTheFirstLineThatWasAskedForIsNotNew) {
  EXPECT_EQ(read({{at(3), "c"}}, false).size(), 1U);
  EXPECT_THAT(read({{at(1), "a"}, {at(3), "b"}, {at(3), "c"}, {at(4), "d"}}), ElementsAre("d"));
}

TEST_F(LogCursorTest, AGapIsWhereTheLastLineDoesNotComeAgain) {
  EXPECT_EQ(read({{at(1), "a"}, {at(2), "b"}}, false).size(), 2U);
  EXPECT_THAT(read({{at(5), "e"}, {at(6), "f"}}), ElementsAre("!e", "f"));
  EXPECT_THAT(read({{at(7), "of the next run"}}, false), ElementsAre("of the next run"));
}

TEST_F(LogCursorTest, ALineAfterAGapThatMayNotBeThereChangesNothing) {
  EXPECT_EQ(read({{at(1), "a"}}, false).size(), 1U);
  cursor.begin(true);
  EXPECT_TRUE(cursor.lacks_last());
  EXPECT_EQ(cursor.take(at(9), "z", false), Verdict::AfterGap);
  EXPECT_EQ(cursor.last(), at(1));
  EXPECT_THAT(read({{at(1), "a"}, {at(2), "b"}}), ElementsAre("b"));
}

/// A log whose lines share times and texts now and then, read in answers from a whole second on that end anywhere.
void read_a_random_log(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<Line> log;
  std::vector<std::string> seen;
  LogCursor cursor(seed, 1 + static_cast<std::size_t>(below(20)));
  WallTime now = at(0);
  for (int answer = 0; answer < 60; ++answer) {
    for (int more = below(8); more > 0; --more) {
      if (below(3) == 0) now += Duration(below(2) ? 1 : 600'000'000);
      log.push_back({now, std::string(1, static_cast<char>('a' + below(2)))});
    }
    std::vector<Line> sent;
    for (const Line& line : log) {
      const auto since = cursor.last().value_or(WallTime());
      if (std::chrono::floor<std::chrono::seconds>(since) <= line.time) sent.push_back(line);
    }
    const bool whole = answer == 59;
    sent.resize(whole ? sent.size() : static_cast<std::size_t>(below(static_cast<int>(sent.size()) + 1)));
    cursor.begin(!seen.empty());
    for (const Line& line : sent) {
      const auto verdict = cursor.take(line.time, line.text);
      ASSERT_NE(verdict, Verdict::AfterGap);
      if (verdict == Verdict::New) seen.push_back(line.text);
    }
  }
  std::vector<std::string> written;
  for (const Line& line : log) written.push_back(line.text);
  EXPECT_EQ(seen, written);
}

TEST(LogCursorSeedTest, EveryLineIsNewOnceWhereverAnswersEnd) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    read_a_random_log(seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace kubexx::logs
