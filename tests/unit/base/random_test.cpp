#include "kubexx/base/random.hpp"

#include <gtest/gtest.h>

#include <array>

namespace kubexx {
namespace {

TEST(RandomTest, ASeedReplaysTheSameNumbers) {
  Random a(42);
  Random b(42);
  Random other(43);
  bool differs = false;

  for (int i = 0; i < 100; ++i) {
    const auto n = a.next();
    ASSERT_EQ(n, b.next());
    differs |= n != other.next();
  }
  EXPECT_TRUE(differs);
}

TEST(RandomTest, UniformStaysBelowOneAndFillsTheRange) {
  Random random(1);
  double low = 1;
  double high = 0;

  for (int i = 0; i < 10'000; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    low = std::min(low, u);
    high = std::max(high, u);
  }

  EXPECT_LT(low, 0.01);
  EXPECT_GT(high, 0.99);
}

TEST(RandomTest, BelowReachesEveryValueAboutEqually) {
  Random random(1);
  std::array<int, 3> seen{};

  for (int i = 0; i < 30'000; ++i) ++seen.at(random.below(3));

  for (int count : seen) EXPECT_NEAR(count, 10'000, 500);
}

TEST(RandomTest, BelowTakesEveryBound) {
  Random random(1);

  EXPECT_EQ(random.below(0), 0U);
  EXPECT_EQ(random.below(1), 0U);
  for (int i = 0; i < 100; ++i) EXPECT_LT(random.below(UINT64_MAX), UINT64_MAX);
}

}  // namespace
}  // namespace kubexx
