#include "kubexx/meta/resource_version.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace kubexx::meta {
namespace {

TEST(ResourceVersionTest, ComparesAsNumbersNotAsText) {
  EXPECT_TRUE(compare_resource_versions("9", "10").value() < 0);
  EXPECT_TRUE(compare_resource_versions("10", "9").value() > 0);
  EXPECT_TRUE(compare_resource_versions("10", "10").value() == 0);
}

TEST(ResourceVersionTest, ComparesNumbersBeyond64Bits) {
  EXPECT_TRUE(compare_resource_versions("18446744073709551616", "18446744073709551617").value() < 0);
  EXPECT_TRUE(compare_resource_versions("1" + std::string(100, '0'), std::string(100, '9')).value() > 0);
}

TEST(ResourceVersionTest, IgnoresLeadingZeros) {
  EXPECT_TRUE(compare_resource_versions("007", "7").value() == 0);
  EXPECT_TRUE(compare_resource_versions("000", "0").value() == 0);
  EXPECT_TRUE(compare_resource_versions("0008", "70").value() < 0);
}

TEST(ResourceVersionTest, RefusesWhatIsNotADecimalNumber) {
  for (const std::string bad : {"", "abc", "-1", "+1", "1.0", "0x1", " 1", "1 "}) {
    EXPECT_FALSE(is_comparable_resource_version(bad)) << bad;
    EXPECT_FALSE(compare_resource_versions(bad, "1")) << bad;
    EXPECT_FALSE(compare_resource_versions("1", bad)) << bad;
  }
}

TEST(ResourceVersionTest, AgreesWithIntegersOnEveryPair) {
  EXPECT_TRUE(rc::check([](std::uint64_t a, std::uint64_t b) {
    RC_ASSERT(compare_resource_versions(std::to_string(a), std::to_string(b)).value() == (a <=> b));
  }));
}

}  // namespace
}  // namespace kubexx::meta
