#include "store/births.hpp"

#include <gtest/gtest.h>

namespace kubexx::store {
namespace {

TEST(BirthsTest, AreExactWhileSnapshotsLive) {
  Births births;
  for (Epoch id = 0; id < 1000; ++id) births.push_back(10 + id / 100, true);

  for (Epoch id = 0; id < 1000; ++id) EXPECT_EQ(births[id], 10 + id / 100);
  births.set(3, 500, true);
  births.set(700, 2, true);  // an older object moves into a younger page
  EXPECT_EQ(births[3], 500U);
  EXPECT_EQ(births[700], 2U);
  EXPECT_EQ(births[4], 10U);
  EXPECT_EQ(births[999], 19U);
}

TEST(BirthsTest, AreNeverLaterThanTheyWere) {
  Births births;
  births.push_back(1, true);
  births.push_back(1'000'000, true);
  births.push_back(5, true);

  EXPECT_EQ(births[0], 1U);
  EXPECT_LE(births[1], 1'000'000U);
  EXPECT_GE(births[1], 5U);
  EXPECT_EQ(births[2], 5U);
}

TEST(BirthsTest, CostNearlyNothingWithoutSnapshots) {
  Births births;
  for (int i = 0; i < 5000; ++i) births.push_back(1, false);
  const std::size_t plain = births.bytes();
  EXPECT_LT(plain, 5000U);
  births.set(77, 9, true);
  EXPECT_GT(births.bytes(), plain);

  births.set(4900, 10, false);  // on another page

  EXPECT_EQ(births.bytes(), plain);
  EXPECT_EQ(births[77], 1U);
  EXPECT_EQ(births[4900], 10U);
}

TEST(BirthsTest, ForgetsWhatIsRemovedFromTheEnd) {
  Births births;
  for (int i = 0; i < 513; ++i) births.push_back(4, true);
  births.set(512, 9, true);

  births.pop_back();
  births.push_back(5, true);

  EXPECT_EQ(births[512], 5U);
  EXPECT_EQ(births[511], 4U);
}

}  // namespace
}  // namespace kubexx::store
