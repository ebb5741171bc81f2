#include <gtest/gtest.h>

#include "kubexx/transport/transport.hpp"

namespace kubexx::transport::test {
namespace {

TEST(HeadersTest, FindComparesWithoutCaseAndReturnsTheFirst) {
  Headers headers{{"Warning", "one"}, {"warning", "two"}};
  ASSERT_TRUE(headers.find("WARNING"));
  EXPECT_EQ(*headers.find("WARNING"), "one");
  EXPECT_EQ(headers.find("warn"), nullptr);
}

TEST(HeadersTest, SetReplacesEveryFieldOfThatName) {
  Headers headers{{"A", "1"}, {"B", "2"}, {"a", "3"}};
  headers.set("a", "4");
  EXPECT_EQ(headers.fields(), (std::vector<Headers::Field>{{"B", "2"}, {"a", "4"}}));
}

}  // namespace
}  // namespace kubexx::transport::test
