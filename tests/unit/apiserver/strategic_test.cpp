#include "apiserver/verbs/strategic.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

/// What becomes of the target; "" when the patch is refused.
std::string patched(const char* type, std::string_view target, std::string_view patch) {
  const meta::Object object = meta::parse_json(target).value();
  const meta::Object changes = meta::parse_json(patch).value();
  const auto result = apply_strategic_patch(*codec::find_type(type), object.root(), changes.root());
  return result ? meta::to_json(*result) : std::string();
}

TEST(StrategicPatchTest, FieldsMergeAndNullRemoves) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"metadata":{"name":"a","labels":{"x":"1","y":"1"}}})",
                    R"({"metadata":{"labels":{"x":null,"z":"2"}}})"),
            R"({"metadata":{"name":"a","labels":{"y":"1","z":"2"}}})");
}

TEST(StrategicPatchTest, ItemsMergeByTheirKey) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}})",
                    R"({"spec":{"containers":[{"name":"b","image":"2"},{"name":"c","image":"3"}]}})"),
            R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"},{"name":"c","image":"3"}]}})");
}

TEST(StrategicPatchTest, TheSameNewKeyTwiceIsOneItem) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"spec":{"containers":[]}})",
                    R"({"spec":{"containers":[{"name":"c","image":"1"},{"name":"c","image":"2"}]}})"),
            R"({"spec":{"containers":[{"name":"c","image":"2"}]}})");
}

TEST(StrategicPatchTest, ItemsAreDeletedByTheirKey) {
  EXPECT_EQ(
      patched(
          "core.v1.Pod", R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})",
          R"({"spec":{"containers":[{"$patch":"delete","name":"a"},{"$patch":"delete","name":"c"},{"$patch":"delete","name":"x"}]}})"),
      R"({"spec":{"containers":[{"name":"b"}]}})");
}

TEST(StrategicPatchTest, AnItemIsDeletedAndMadeAgain) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b"}]}})",
                    R"({"spec":{"containers":[{"$patch":"delete","name":"a"},{"name":"a"}]}})"),
            R"({"spec":{"containers":[{"name":"b"},{"name":"a"}]}})");
}

TEST(StrategicPatchTest, NumbersAreKeysToo) {
  EXPECT_EQ(patched("core.v1.Service", R"({"spec":{"ports":[{"port":80,"name":"a"},{"port":81}]}})",
                    R"({"spec":{"ports":[{"port":80,"name":"b"}]}})"),
            R"({"spec":{"ports":[{"port":80,"name":"b"},{"port":81}]}})");
}

TEST(StrategicPatchTest, AListIsReplaced) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"spec":{"containers":[{"name":"a"}]}})",
                    R"({"spec":{"containers":[{"$patch":"replace"},{"name":"b"}]}})"),
            R"({"spec":{"containers":[{"name":"b"}]}})");
}

TEST(StrategicPatchTest, AMapIsReplaced) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"metadata":{"labels":{"x":"1"}}})",
                    R"({"metadata":{"labels":{"$patch":"replace","y":"1"}}})"),
            R"({"metadata":{"labels":{"y":"1"}}})");
}

TEST(StrategicPatchTest, AMapIsDeleted) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"metadata":{"name":"a","labels":{"x":"1"}}})",
                    R"({"metadata":{"labels":{"$patch":"delete"}}})"),
            R"({"metadata":{"name":"a"}})");
}

TEST(StrategicPatchTest, ValuesMergeAsASet) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"metadata":{"finalizers":["a","b"]}})",
                    R"({"metadata":{"finalizers":["b","c","c"]}})"),
            R"({"metadata":{"finalizers":["a","b","c"]}})");
}

TEST(StrategicPatchTest, ValuesAreDeleted) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"metadata":{"finalizers":["a","b","a","c"]}})",
                    R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a","c"]}})"),
            R"({"metadata":{"finalizers":["b"]}})");
}

TEST(StrategicPatchTest, OnlyTheRetainedKeysStay) {
  EXPECT_EQ(patched("apps.v1.Deployment", R"({"spec":{"strategy":{"type":"a","rollingUpdate":{}}}})",
                    R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"b"}}})"),
            R"({"spec":{"strategy":{"type":"b"}}})");
}

TEST(StrategicPatchTest, ItemsAreOrderedAndOthersStayBehindThem) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"spec":{"containers":[{"name":"x"},{"name":"a"},{"name":"b"}]}})",
                    R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}})"),
            R"({"spec":{"containers":[{"name":"b"},{"name":"a"},{"name":"x"}]}})");
}

TEST(StrategicPatchTest, ListsWithoutAStrategyAreReplaced) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"spec":{"containers":[{"name":"a","args":["1","2"]}]}})",
                    R"({"spec":{"containers":[{"name":"a","args":["3"]}]}})"),
            R"({"spec":{"containers":[{"name":"a","args":["3"]}]}})");
}

TEST(StrategicPatchTest, AnItemWithoutItsKeyIsRefused) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"spec":{"containers":[]}})", R"({"spec":{"containers":[{"image":"x"}]}})"), "");
}

TEST(StrategicPatchTest, AnItemThatIsNoMapIsRefused) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"spec":{"containers":[]}})", R"({"spec":{"containers":["x"]}})"), "");
}

TEST(StrategicPatchTest, AnUnknownDirectiveIsRefused) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"spec":{}})", R"({"spec":{"$patch":"burn"}})"), "");
}

TEST(StrategicPatchTest, DirectivesInANewMapDoNotReachTheObject) {
  EXPECT_EQ(
      patched("core.v1.Pod", R"({"metadata":{"name":"a"}})", R"({"metadata":{"labels":{"$patch":"replace","x":"1"}}})"),
      R"({"metadata":{"name":"a","labels":{"x":"1"}}})");
}

TEST(StrategicPatchTest, OrderingNothingLeavesNothing) {
  EXPECT_EQ(patched("core.v1.Pod", R"({"spec":{}})", R"({"spec":{"$setElementOrder/containers":[{"name":"b"}]}})"),
            R"({"spec":{}})");
}

TEST(StrategicPatchTest, FieldsBelowAnItemMergeToo) {
  EXPECT_EQ(
      patched("core.v1.Pod",
              R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"},{"name":"Y","value":"1"}]}]}})",
              R"({"spec":{"containers":[{"name":"a","env":[{"name":"Y","value":"2"}]}]}})"),
      R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"},{"name":"Y","value":"2"}]}]}})");
}

}  // namespace
}  // namespace kubexx::apiserver
