#include "controller/write_memory.hpp"

#include <gtest/gtest.h>

namespace kubexx::controller {
namespace {

using informer::Written;
using std::chrono::seconds;

class WriteMemoryTest : public ::testing::Test {
 protected:
  std::vector<std::string> missing(const char* name) {
    std::vector<std::string> versions;
    for (const auto& each : memory.missing({"default", name}, reached, now)) versions.push_back(each.resource_version);
    return versions;
  }
  void wrote(const char* name, const char* version) { memory.remember({{"default", name}, version, {}}, now); }
  void removed(const char* name, const char* uid) { memory.remember({{"default", name}, {}, uid}, now); }

  TimePoint now = TimePoint(seconds(1000));
  bool cache_has_it = false;
  int asked = 0;
  WriteMemory::Reached reached = [this](const Written&) {
    ++asked;
    return cache_has_it;
  };
  WriteMemory memory{{.writes = 3, .age = seconds(60), .unseen = seconds(10)}};
};

TEST_F(WriteMemoryTest, AWriteIsMissingUntilTheCacheHasItAndThenForgotten) {
  wrote("a", "5");
  EXPECT_EQ(missing("a"), std::vector<std::string>{"5"});
  EXPECT_TRUE(missing("b").empty());
  EXPECT_EQ(memory.size(), 1U);

  cache_has_it = true;
  EXPECT_TRUE(missing("a").empty());
  EXPECT_EQ(memory.size(), 0U);
  asked = 0;
  EXPECT_TRUE(missing("a").empty());
  EXPECT_EQ(asked, 0);
}

TEST_F(WriteMemoryTest, TheNewestVersionOfAKeyStaysWhateverOrderTheAnswersComeIn) {
  wrote("a", "10");
  wrote("a", "9");
  EXPECT_EQ(missing("a"), std::vector<std::string>{"10"});
  wrote("a", "11");
  EXPECT_EQ(missing("a"), std::vector<std::string>{"11"});
  EXPECT_EQ(memory.size(), 1U);
}

TEST_F(WriteMemoryTest, ARemovalIsReachedNoEarlierThanTheWriteBeforeIt) {
  wrote("a", "5");
  removed("a", "u");
  const auto left = memory.missing({"default", "a"}, reached, now);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].resource_version, "5");
  EXPECT_EQ(left[0].removed_uid, "u");
}

TEST_F(WriteMemoryTest, ACreateAfterARemovalTakesItsPlace) {
  removed("a", "u");
  wrote("a", "7");
  const auto left = memory.missing({"default", "a"}, reached, now);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].removed_uid, "");
}

TEST_F(WriteMemoryTest, ARemovalThatTheCacheHasNotShownYetIsKeptForAWhile) {
  removed("a", "u");
  cache_has_it = true;
  EXPECT_TRUE(missing("a").empty());
  EXPECT_EQ(memory.size(), 1U);

  now += seconds(11);
  EXPECT_TRUE(missing("a").empty());
  EXPECT_EQ(memory.size(), 0U);
}

TEST_F(WriteMemoryTest, ARemovalThatTheCacheHasShownIsForgottenWhenItIsGone) {
  removed("a", "u");
  EXPECT_EQ(missing("a").size(), 1U);
  cache_has_it = true;
  EXPECT_TRUE(missing("a").empty());
  EXPECT_EQ(memory.size(), 0U);
}

TEST_F(WriteMemoryTest, WhatIsTooOldIsForgottenWhateverTheCacheSays) {
  wrote("a", "5");
  now += seconds(61);
  EXPECT_TRUE(missing("a").empty());
  EXPECT_EQ(memory.size(), 0U);
}

TEST_F(WriteMemoryTest, AListMissesTheWritesOfItsNamespaceAlone) {
  wrote("a", "5");
  memory.remember({{"other", "b"}, "6", {}}, now);
  EXPECT_EQ(memory.missing_in("default", reached, now).size(), 1U);
  EXPECT_EQ(memory.missing_in("", reached, now).size(), 2U);
}

TEST_F(WriteMemoryTest, FullOfWhatTheCacheLacksItHasNoRoomAndRoomAgainWhenTheCacheHasIt) {
  for (const auto* name : {"a", "b", "c"}) {
    EXPECT_TRUE(memory.make_room(reached, now));
    wrote(name, "5");
  }
  EXPECT_FALSE(memory.make_room(reached, now));
  EXPECT_EQ(memory.size(), 3U);
  cache_has_it = true;
  EXPECT_TRUE(memory.make_room(reached, now));
  EXPECT_EQ(memory.size(), 0U);
}

TEST_F(WriteMemoryTest, WithoutACacheToAskTheOldestGoes) {
  for (const auto* name : {"c", "b", "a", "d"}) {
    EXPECT_TRUE(memory.make_room({}, now));
    wrote(name, "5");
  }
  EXPECT_EQ(memory.size(), 3U);
  EXPECT_TRUE(missing("c").empty());
  EXPECT_EQ(missing("b").size(), 1U);
}

}  // namespace
}  // namespace kubexx::controller
