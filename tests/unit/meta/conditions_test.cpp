#include "kubexx/meta/conditions.hpp"

#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"

namespace kubexx::meta {
namespace {

const WallTime kThen(std::chrono::seconds(1'700'000'000));
const WallTime kNow = kThen + std::chrono::hours(1);

Object with_conditions() {
  return object_from_json(R"({"status":{"conditions":[
      {"type":"Ready","status":"False","lastTransitionTime":"2023-11-14T22:13:20Z","reason":"R","message":"m"},
      {"type":"Available","status":"True","lastTransitionTime":"2023-11-14T22:13:20Z","reason":"A","message":""}]}})");
}

TEST(ConditionsTest, FindsAConditionByType) {
  EXPECT_EQ(find_condition(with_conditions(), "Ready")["reason"].string(), "R");
  EXPECT_FALSE(find_condition(with_conditions(), "Other").exists());
  EXPECT_FALSE(find_condition(Object(), "Ready").exists());
  EXPECT_TRUE(is_condition_true(with_conditions(), "Available"));
  EXPECT_FALSE(is_condition_true(with_conditions(), "Ready"));
  EXPECT_TRUE(is_condition_false(with_conditions(), "Ready"));
  EXPECT_FALSE(is_condition_false(with_conditions(), "Other"));
}

TEST(ConditionsTest, ANewConditionIsAppendedWithTheTime) {
  Draft draft;

  EXPECT_TRUE(set_condition(draft, {"Ready", "True", "Good", "all well", 3}, kThen));

  EXPECT_EQ(to_json(draft.to_object()),
            R"({"status":{"conditions":[{"type":"Ready","status":"True","observedGeneration":3,)"
            R"("lastTransitionTime":"2023-11-14T22:13:20Z","reason":"Good","message":"all well"}]}})");
}

TEST(ConditionsTest, TheTransitionTimeMovesOnlyWithTheStatus) {
  auto draft = with_conditions().edit();

  EXPECT_TRUE(set_condition(draft, {"Ready", "False", "R2", "m", std::nullopt}, kNow));
  EXPECT_EQ(find_condition(draft.to_object(), "Ready")["lastTransitionTime"].string(), "2023-11-14T22:13:20Z");

  EXPECT_TRUE(set_condition(draft, {"Ready", "True", "R2", "m", std::nullopt}, kNow));
  EXPECT_EQ(find_condition(draft.to_object(), "Ready")["lastTransitionTime"].string(), "2023-11-14T23:13:20Z");
}

TEST(ConditionsTest, SettingWhatIsThereChangesNothing) {
  auto draft = with_conditions().edit();

  EXPECT_FALSE(set_condition(draft, {"Ready", "False", "R", "m", std::nullopt}, kNow));
  EXPECT_FALSE(draft.changed());
}

TEST(ConditionsTest, ANewObservedGenerationIsAChange) {
  auto draft = with_conditions().edit();

  EXPECT_TRUE(set_condition(draft, {"Ready", "False", "R", "m", 2}, kNow));
  EXPECT_FALSE(set_condition(draft, {"Ready", "False", "R", "m", 2}, kNow));
  EXPECT_EQ(find_condition(draft.to_object(), "Ready")["lastTransitionTime"].string(), "2023-11-14T22:13:20Z");
}

TEST(ConditionsTest, RemovesAConditionByType) {
  auto draft = with_conditions().edit();

  EXPECT_TRUE(remove_condition(draft, "Ready"));
  EXPECT_FALSE(remove_condition(draft, "Ready"));
  EXPECT_EQ(draft.to_object()["status"]["conditions"].size(), 1U);
}

}  // namespace
}  // namespace kubexx::meta
