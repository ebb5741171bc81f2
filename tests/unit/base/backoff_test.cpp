#include "kubexx/base/backoff.hpp"

#include <gtest/gtest.h>

namespace kubexx {
namespace {

using namespace std::chrono_literals;

Backoff without_jitter() {
  Backoff policy;
  policy.jitter = 0;
  return policy;
}

TEST(BackoffTest, GrowsByTheFactorUpToTheCap) {
  FakeClock clock;
  BackoffTimer timer(without_jitter(), clock);

  for (Duration expected : {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30000ms, 30000ms}) {
    EXPECT_EQ(timer.next(), expected);
  }
}

TEST(BackoffTest, JitterAddsUpToItsShareAndIsAppliedAfterTheCap) {
  FakeClock clock;
  Random random(7);
  BackoffTimer timer(Backoff{}, clock, random);
  Duration longest{};

  for (Duration d : {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms}) {
    const Duration delay = timer.next();
    EXPECT_GE(delay, d);
    EXPECT_LT(delay, 2 * d);
  }
  for (int i = 0; i < 1000; ++i) {
    const Duration delay = timer.next();
    ASSERT_GE(delay, 30s);
    ASSERT_LT(delay, 60s);
    longest = std::max(longest, delay);
  }
  EXPECT_GT(longest, 59s);
}

TEST(BackoffTest, StartsOverAfterAQuietTime) {
  FakeClock clock;
  BackoffTimer timer(without_jitter(), clock);
  timer.next();
  timer.next();

  clock.advance(2min);

  EXPECT_EQ(timer.next(), 800ms);
}

TEST(BackoffTest, StepsPostponeTheReset) {
  FakeClock clock;
  BackoffTimer timer(without_jitter(), clock);

  for (Duration expected : {800ms, 1600ms, 3200ms, 6400ms}) {
    EXPECT_EQ(timer.next(), expected);
    clock.advance(119s);
  }
}

TEST(BackoffTest, AResetTimeOfZeroMeansNever) {
  FakeClock clock;
  Backoff policy = without_jitter();
  policy.reset_after = 0s;
  BackoffTimer timer(policy, clock);
  timer.next();

  clock.advance(1000h);

  EXPECT_EQ(timer.next(), 1600ms);
}

TEST(BackoffTest, ResetStartsOver) {
  FakeClock clock;
  BackoffTimer timer(without_jitter(), clock);
  timer.next();
  timer.next();

  timer.reset();

  EXPECT_EQ(timer.next(), 800ms);
}

TEST(BackoffTest, GrowthStopsAfterTheGivenSteps) {
  FakeClock clock;
  Backoff policy = without_jitter();
  policy.steps = 2;
  BackoffTimer timer(policy, clock);

  for (Duration expected : {800ms, 1600ms, 3200ms, 3200ms}) EXPECT_EQ(timer.next(), expected);
}

TEST(BackoffTest, NoneNeverWaits) {
  FakeClock clock;
  BackoffTimer timer(Backoff::none(), clock);

  for (int i = 0; i < 5000; ++i) ASSERT_EQ(timer.next(), Duration::zero());
}

TEST(BackoffTest, WithoutACapItEndsAtTheLongestDuration) {
  FakeClock clock;
  Backoff policy = without_jitter();
  policy.cap = 0s;
  BackoffTimer timer(policy, clock);

  for (int i = 0; i < 5000; ++i) ASSERT_GT(timer.next(), Duration::zero());
  EXPECT_EQ(timer.next(), Duration::max());
}

}  // namespace
}  // namespace kubexx
