#include "kubexx/base/clock.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace kubexx {
namespace {

using namespace std::chrono_literals;

TEST(FakeClockTest, StandsStillUntilAdvanced) {
  FakeClock clock;
  const TimePoint start = clock.now();
  const WallTime wall = clock.wall();
  EXPECT_EQ(clock.now(), start);

  clock.advance(90s);

  EXPECT_EQ(clock.now() - start, 90s);
  EXPECT_EQ(clock.wall() - wall, 90s);
}

TEST(FakeClockTest, AJumpOfTheCalendarLeavesMonotonicTimeAlone) {
  FakeClock clock;
  const TimePoint start = clock.now();

  clock.set_wall(WallTime(5s));

  EXPECT_EQ(clock.wall(), WallTime(5s));
  EXPECT_EQ(clock.now(), start);
}

TEST(FakeClockTest, RefusesToGoBack) {
  FakeClock clock;
  EXPECT_THROW(clock.advance(-1ns), std::logic_error);
}

TEST(SystemClockTest, NeverGoesBack) {
  TimePoint last = Clock::system().now();
  for (int i = 0; i < 1000; ++i) {
    const TimePoint now = Clock::system().now();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_GT(Clock::system().wall(), WallTime(1'600'000'000s));
}

}  // namespace
}  // namespace kubexx
