#include "kubexx/meta/time.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace kubexx::meta {
namespace {

TEST(TimeTest, ParsesTheFormOfTheApi) {
  EXPECT_EQ(Time::parse("1970-01-01T00:00:00Z").value().unix_seconds, 0);
  EXPECT_EQ(Time::parse("2023-11-14T22:13:20Z").value().unix_seconds, 1'700'000'000);
  EXPECT_EQ(Time::parse("1969-12-31T23:59:59Z").value().unix_seconds, -1);
}

TEST(TimeTest, AppliesZoneOffsets) {
  EXPECT_EQ(Time::parse("2023-11-15T00:13:20+02:00").value().unix_seconds, 1'700'000'000);
  EXPECT_EQ(Time::parse("2023-11-14T16:43:20-05:30").value().unix_seconds, 1'700'000'000);
}

TEST(TimeTest, ParsesTheLooserFormsOfRfc3339) {
  for (const std::string text :
       {"2023-11-14t22:13:20z", "2023-11-14 22:13:20Z", "2023-11-14T22:13:20.999999999Z", "2023-11-14T22:13:20,5Z"}) {
    EXPECT_EQ(Time::parse(text).value().unix_seconds, 1'700'000'000) << text;
  }
}

TEST(TimeTest, RefusesWhatIsNoTimestamp) {
  for (const std::string text : {"",
                                 "2023",
                                 "2023-11-14",
                                 "2023-11-14T22:13:20",
                                 "2023-11-14T22:13Z",
                                 "2023-13-14T22:13:20Z",
                                 "2023-02-29T00:00:00Z",
                                 "2023-04-31T00:00:00Z",
                                 "2023-11-14T24:00:00Z",
                                 "2023-11-14T22:60:20Z",
                                 "2023-11-14T22:13:60Z",
                                 "2023-11-14T22:13:20.Z",
                                 "2023-11-14T22:13:20+0200",
                                 "2023-11-14T22:13:20Zx",
                                 "0000-01-01T00:00:00Z",
                                 "0001-01-01T00:00:00+01:00",
                                 "9999-12-31T23:59:59-01:00",
                                 "2023-1-14T22:13:20Z",
                                 "-023-11-14T22:13:20Z",
                                 "1700000000"}) {
    const auto parsed = Time::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind(), ErrorKind::Decode);
  }
}

TEST(TimeTest, KnowsLeapYears) {
  EXPECT_EQ(Time::parse("2024-02-29T12:00:00Z").value().to_string(), "2024-02-29T12:00:00Z");
  EXPECT_FALSE(Time::parse("1900-02-29T12:00:00Z"));
}

TEST(TimeTest, PrintsInUtc) {
  EXPECT_EQ(Time::parse("2023-11-15T00:13:20+02:00").value().to_string(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(Time{-1}.to_string(), "1969-12-31T23:59:59Z");
  EXPECT_EQ(Time::parse("0001-01-01T00:00:00Z").value().to_string(), "0001-01-01T00:00:00Z");
}

TEST(TimeTest, ConvertsToWallTimeAndBack) {
  const WallTime wall(std::chrono::milliseconds(1'700'000'000'999));

  EXPECT_EQ(Time::from_wall(wall).to_string(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(Time::from_wall(wall).wall(), WallTime(std::chrono::seconds(1'700'000'000)));
  EXPECT_EQ(Time::from_wall(WallTime(std::chrono::milliseconds(-1))).unix_seconds, -1);
}

TEST(TimeTest, YearsThatWallTimeCannotSayStayAtItsEnds) {
  EXPECT_EQ(Time::parse("9999-12-31T23:59:59Z").value().wall(), WallTime::max());
  EXPECT_EQ(Time::parse("0001-01-01T00:00:00Z").value().wall(), WallTime::min());
}

TEST(MicroTimeTest, PrintsSixDecimals) {
  EXPECT_EQ(MicroTime::parse("2023-11-14T22:13:20Z").value().to_string(), "2023-11-14T22:13:20.000000Z");
  EXPECT_EQ(MicroTime::parse("2023-11-14T22:13:20.1Z").value().to_string(), "2023-11-14T22:13:20.100000Z");
  EXPECT_EQ(MicroTime::parse("2023-11-14T22:13:20.1234569Z").value().to_string(), "2023-11-14T22:13:20.123456Z");
  EXPECT_EQ(MicroTime{-1}.to_string(), "1969-12-31T23:59:59.999999Z");
}

TEST(MicroTimeTest, ConvertsToWallTimeAndBack) {
  const WallTime wall(std::chrono::microseconds(1'700'000'000'123'456));

  EXPECT_EQ(MicroTime::from_wall(wall).wall(), wall);
  EXPECT_EQ(MicroTime::from_wall(wall + std::chrono::nanoseconds(999)).wall(), wall);
}

TEST(TimeTest, PrintingAndParsingAgreeForEverySecondOfTheCalendar) {
  EXPECT_TRUE(rc::check([] {
    const auto seconds = *rc::gen::inRange<std::int64_t>(-62'135'596'800, 253'402'300'800);
    const auto micros = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
    RC_ASSERT(Time::parse(Time{seconds}.to_string()).value() == Time{seconds});
    const MicroTime exact{seconds * 1'000'000 + micros};
    RC_ASSERT(MicroTime::parse(exact.to_string()).value() == exact);
  }));
}

}  // namespace
}  // namespace kubexx::meta
