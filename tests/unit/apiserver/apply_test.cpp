#include "apiserver/verbs/apply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "field_texts.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

using ::testing::ElementsAre;

class ApplyConfigurationTest : public ::testing::Test {
 protected:
  ApplyConfigurationTest() { use("core.v1.ConfigMap"); }
  void use(const char* type) { resource.type = codec::find_type(type), resource.version = "v1"; }

  Result<Applied> apply(const std::string& manager, std::string_view config, bool force = false) {
    auto applied = apply_configuration(resource, live, object_of(config), {manager, "2026-01-01T00:00:00Z", ""}, force);
    if (!applied) return applied;
    meta::Draft draft = applied->object.edit();
    write_managers(applied->managers, draft);
    live = draft.to_object();
    return applied;
  }
  std::string shown() const {
    meta::Draft draft = live.edit();
    draft.root().erase("metadata");
    return meta::to_json(draft.to_object());
  }
  /// "manager path path ..." of each.
  std::vector<std::string> owners() const {
    std::vector<std::string> out;
    for (const Manager& manager : managers_of(live)) {
      out.push_back(manager.manager);
      for (const std::string& path : paths_of(manager.fields)) out.back() += ' ' + path;
    }
    return out;
  }

  Resource resource;
  meta::Object live;
};

TEST_F(ApplyConfigurationTest, OwnsTheFieldsThatTheConfigurationNames) {
  ASSERT_TRUE(apply("a", R"({"data":{"x":"1"}})"));
  ASSERT_TRUE(apply("b", R"({"data":{"y":"2"}})"));
  EXPECT_EQ(shown(), R"({"data":{"x":"1","y":"2"}})");
  EXPECT_THAT(owners(), ElementsAre("a .data.x", "b .data.y"));
}

TEST_F(ApplyConfigurationTest, TakesAwayWhatItNamesNoLonger) {
  ASSERT_TRUE(apply("a", R"({"data":{"x":"1","y":"1"}})"));
  ASSERT_TRUE(apply("a", R"({"data":{"x":"1"}})"));
  EXPECT_EQ(shown(), R"({"data":{"x":"1"}})");
}

TEST_F(ApplyConfigurationTest, LeavesWhatAnotherOwnsToo) {
  ASSERT_TRUE(apply("a", R"({"data":{"x":"1","y":"1"}})"));
  ASSERT_TRUE(apply("b", R"({"data":{"y":"1"}})"));
  ASSERT_TRUE(apply("a", R"({"data":{"x":"1"}})"));
  EXPECT_EQ(shown(), R"({"data":{"x":"1","y":"1"}})");
  EXPECT_THAT(owners(), ElementsAre("a .data.x", "b .data.y"));
}

TEST_F(ApplyConfigurationTest, AgreeingOwnersShareAField) {
  ASSERT_TRUE(apply("a", R"({"data":{"x":"1"}})"));
  ASSERT_TRUE(apply("b", R"({"data":{"x":"1"}})"));
  EXPECT_THAT(owners(), ElementsAre("a .data.x", "b .data.x"));
}

TEST_F(ApplyConfigurationTest, ChangingAnothersFieldIsAConflictThatNamesBoth) {
  ASSERT_TRUE(apply("a", R"({"data":{"x":"1"}})"));
  const auto refused = apply("b", R"({"data":{"x":"2"}})");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), 409);
  EXPECT_EQ(refused.error().message(), "Apply failed with 1 conflict: conflict with \"a\": .data.x");
  EXPECT_EQ(shown(), R"({"data":{"x":"1"}})");
}

TEST_F(ApplyConfigurationTest, ForceTakesTheFieldOver) {
  ASSERT_TRUE(apply("a", R"({"data":{"x":"1","y":"1"}})"));
  ASSERT_TRUE(apply("b", R"({"data":{"x":"2"}})", true));
  EXPECT_EQ(shown(), R"({"data":{"x":"2","y":"1"}})");
  EXPECT_THAT(owners(), ElementsAre("a .data.y", "b .data.x"));
}

TEST_F(ApplyConfigurationTest, ItemsMergeByTheirKeyAndGoWithTheirOnlyOwner) {
  use("core.v1.Pod");
  ASSERT_TRUE(apply("a", R"({"spec":{"containers":[{"name":"one","image":"1"}]}})"));
  ASSERT_TRUE(apply("b", R"({"spec":{"containers":[{"name":"two","image":"2"}]}})"));
  EXPECT_EQ(shown(), R"({"spec":{"containers":[{"name":"one","image":"1"},{"name":"two","image":"2"}]}})");
  ASSERT_TRUE(apply("a", R"({"spec":{"restartPolicy":"Never"}})"));
  EXPECT_EQ(shown(), R"({"spec":{"containers":[{"name":"two","image":"2"}],"restartPolicy":"Never"}})");
}

TEST_F(ApplyConfigurationTest, AnAtomicListIsReplacedAsAWhole) {
  use("core.v1.Pod");
  ASSERT_TRUE(apply("a", R"({"spec":{"containers":[{"name":"one","args":["1","2"]}]}})"));
  ASSERT_TRUE(apply("a", R"({"spec":{"containers":[{"name":"one","args":["3"]}]}})"));
  EXPECT_EQ(shown(), R"({"spec":{"containers":[{"name":"one","args":["3"]}]}})");
}

}  // namespace
}  // namespace kubexx::apiserver
