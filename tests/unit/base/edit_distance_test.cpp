#include "base/internal/edit_distance.hpp"

#include <gtest/gtest.h>

namespace kubexx {
namespace {

TEST(EditDistanceTest, CountsInsertionsRemovalsAndReplacements) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("pods", "pods"), 0U);
  EXPECT_EQ(edit_distance("", "pods"), 4U);
  EXPECT_EQ(edit_distance("pod", "pods"), 1U);
  EXPECT_EQ(edit_distance("wach", "watch"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

}  // namespace
}  // namespace kubexx
