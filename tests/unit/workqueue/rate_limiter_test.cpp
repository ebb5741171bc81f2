#include "kubexx/workqueue/rate_limiter.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

namespace kubexx::workqueue {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart{1h};

std::vector<Duration> first_delays(const RateLimiter& limiter, std::uint32_t count) {
  std::vector<Duration> delays;
  for (std::uint32_t requeues = 0; requeues < count; ++requeues) delays.push_back(limiter.when(requeues, kStart));
  return delays;
}

// TestItemExponentialFailureRateLimiter
TEST(RateLimiterTest, ExponentialDoublesUpToItsCap) {
  EXPECT_EQ(first_delays(RateLimiter::exponential(1ms, 1s), 6),
            (std::vector<Duration>{1ms, 2ms, 4ms, 8ms, 16ms, 32ms}));
  EXPECT_EQ(RateLimiter::exponential(1ms, 1s).when(10, kStart), 1s);
  EXPECT_EQ(RateLimiter::exponential(3ms, 1ms).when(0, kStart), 1ms);
  EXPECT_EQ(RateLimiter::exponential(0ms, 1s).when(70, kStart), 0s);
}

// TestItemExponentialFailureRateLimiterOverFlow
TEST(RateLimiterTest, ExponentialNeverOverflows) {
  const RateLimiter limiter = RateLimiter::exponential(1ms, 1000s);
  for (std::uint32_t requeues = 20; requeues < 100; ++requeues) EXPECT_EQ(limiter.when(requeues, kStart), 1000s);
  EXPECT_EQ(limiter.when(std::numeric_limits<std::uint32_t>::max(), kStart), 1000s);

  const RateLimiter huge = RateLimiter::exponential(Duration(1), Duration::max());
  EXPECT_EQ(huge.when(62, kStart), Duration(std::int64_t{1} << 62));
  EXPECT_EQ(huge.when(63, kStart), Duration::max());
}

// TestItemFastSlowRateLimiter
TEST(RateLimiterTest, FastSlowIsFastForTheFirstTries) {
  EXPECT_EQ(first_delays(RateLimiter::fast_slow(5ms, 10s, 3), 5), (std::vector<Duration>{5ms, 5ms, 5ms, 10s, 10s}));
}

// TestMaxOfRateLimiter
TEST(RateLimiterTest, MaxOfTakesTheLongest) {
  const auto limiter = RateLimiter::max_of({RateLimiter::fast_slow(5ms, 3s, 3), RateLimiter::exponential(1ms, 1s)});
  EXPECT_EQ(first_delays(limiter, 5), (std::vector<Duration>{5ms, 5ms, 5ms, 3s, 3s}));
  EXPECT_EQ(RateLimiter::max_of({}).when(3, kStart), 0s);
}

// TestWithMaxWaitRateLimiter
TEST(RateLimiterTest, WithMaxWaitNeverSaysMore) {
  const auto limiter = RateLimiter::with_max_wait(RateLimiter::fast_slow(5ms, 1h, 2), 500ms);
  EXPECT_EQ(first_delays(limiter, 4), (std::vector<Duration>{5ms, 5ms, 500ms, 500ms}));
}

TEST(RateLimiterTest, TokenBucketAllowsTheBurstAndThenTheRate) {
  const auto limiter = RateLimiter::token_bucket(10, 2);

  EXPECT_EQ(first_delays(limiter, 4), (std::vector<Duration>{0ms, 0ms, 100ms, 200ms}));
  EXPECT_EQ(limiter.when(0, kStart + 200ms), 100ms);  // the two promised ones came; this is the next
  EXPECT_EQ(limiter.when(0, kStart + 10s), 0ms);
  EXPECT_EQ(limiter.when(0, kStart + 10s), 0ms);
  EXPECT_EQ(limiter.when(0, kStart + 10s), 100ms);  // never more than the burst
}

TEST(RateLimiterTest, TokenBucketIgnoresAClockThatGoesBack) {
  const auto limiter = RateLimiter::token_bucket(10, 1);
  EXPECT_EQ(limiter.when(0, kStart), 0ms);
  EXPECT_EQ(limiter.when(0, kStart - 10min), 100ms);
}

TEST(RateLimiterTest, CopiesShareTheirTokens) {
  const auto limiter = RateLimiter::token_bucket(1, 1);
  const RateLimiter copy = limiter;

  EXPECT_EQ(limiter.when(0, kStart), 0s);
  EXPECT_EQ(copy.when(0, kStart), 1s);
}

TEST(RateLimiterTest, DefaultsAreThoseOfControllers) {
  const auto limiter = RateLimiter::default_controller();
  EXPECT_EQ(first_delays(limiter, 3), (std::vector<Duration>{5ms, 10ms, 20ms}));
  EXPECT_EQ(limiter.when(40, kStart), 1000s);
  for (int i = 4; i < 100; ++i) limiter.when(0, kStart);
  EXPECT_EQ(limiter.when(0, kStart), 100ms);  // the burst is used up
}

TEST(RateLimiterTest, RefusesNonsense) {
  EXPECT_THROW(RateLimiter::exponential(-1ms, 1s), std::invalid_argument);
  EXPECT_THROW(RateLimiter::token_bucket(0, 1), std::invalid_argument);
  EXPECT_THROW(RateLimiter::token_bucket(1, 0), std::invalid_argument);
  EXPECT_THROW(RateLimiter::token_bucket(std::numeric_limits<double>::quiet_NaN(), 1), std::invalid_argument);
  EXPECT_THROW(RateLimiter::custom(nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace kubexx::workqueue
