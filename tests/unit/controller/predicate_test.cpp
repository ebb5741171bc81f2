#include "kubexx/controller/predicate.hpp"

#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"

namespace kubexx::controller {
namespace {

meta::Object object(std::string_view json) {
  return meta::parse_json(json).value();
}

const meta::Object kNone;

bool update(const Predicate& predicate, std::string_view before, std::string_view after) {
  const auto a = object(before);
  const auto b = object(after);
  return predicate({a, b});
}

TEST(PredicateTest, ADefaultOneTakesEverything) {
  const Predicate all;
  EXPECT_TRUE(update(all, "{}", "{}"));
  EXPECT_TRUE(all({kNone, kNone}));
}

TEST(PredicateTest, GenerationChangedIgnoresAnUpdateOfTheStatus) {
  const auto predicate = Predicate::generation_changed();
  EXPECT_FALSE(
      update(predicate, R"({"metadata":{"generation":1}})", R"({"metadata":{"generation":1},"status":{"a":1}})"));
  EXPECT_TRUE(update(predicate, R"({"metadata":{"generation":1}})", R"({"metadata":{"generation":2}})"));
}

TEST(PredicateTest, LabelsAndAnnotationsAreComparedWithoutTheirOrder) {
  const auto labels = Predicate::labels_changed();
  EXPECT_FALSE(
      update(labels, R"({"metadata":{"labels":{"a":"1","b":"2"}}})", R"({"metadata":{"labels":{"b":"2","a":"1"}}})"));
  EXPECT_TRUE(update(labels, R"({"metadata":{"labels":{"a":"1"}}})", R"({"metadata":{"labels":{"a":"2"}}})"));
  EXPECT_TRUE(update(labels, R"({"metadata":{"labels":{"a":"1"}}})", R"({"metadata":{"labels":{"b":"1"}}})"));
  EXPECT_TRUE(update(labels, R"({"metadata":{"labels":{"a":"1"}}})", R"({"metadata":{}})"));
  EXPECT_FALSE(update(labels, R"({"metadata":{"labels":{}}})", R"({"metadata":{}})"));
  const auto annotations = Predicate::annotations_changed();
  EXPECT_FALSE(update(annotations, R"({"metadata":{"labels":{"a":"1"}}})", R"({"metadata":{"labels":{"a":"2"}}})"));
  EXPECT_TRUE(update(annotations, R"({"metadata":{}})", R"({"metadata":{"annotations":{"a":"2"}}})"));
}

TEST(PredicateTest, FieldsChangedLooksAtItsPathsOnly) {
  const auto predicate = Predicate::fields_changed({"/spec/replicas", "/spec/paused"});
  EXPECT_FALSE(update(predicate, R"({"spec":{"replicas":1,"x":1}})", R"({"spec":{"replicas":1,"x":2}})"));
  EXPECT_TRUE(update(predicate, R"({"spec":{"replicas":1}})", R"({"spec":{"replicas":2}})"));
  EXPECT_TRUE(update(predicate, R"({"spec":{"replicas":1}})", R"({"spec":{"replicas":1,"paused":true}})"));
  EXPECT_FALSE(update(predicate, "{}", R"({"spec":{}})"));
}

TEST(PredicateTest, AddsAndDeletesPassWhatIsNamedAfterAChange) {
  const auto one = object(R"({"metadata":{"name":"a"}})");
  for (const auto& predicate :
       {Predicate::generation_changed(), Predicate::labels_changed(), Predicate::annotations_changed(),
        Predicate::fields_changed({"/spec"}), Predicate::version_changed()}) {
    EXPECT_TRUE(predicate({kNone, one}));
    EXPECT_TRUE(predicate({one, kNone}));
    EXPECT_FALSE(predicate({one, one}));
    EXPECT_FALSE((!predicate)({kNone, one}));
  }
}

TEST(PredicateTest, CombineAsTheirOperatorsSay) {
  const auto yes = Predicate();
  const auto no = !Predicate();
  const Change change{kNone, kNone};
  EXPECT_TRUE((yes && yes)(change));
  EXPECT_FALSE((yes && no)(change));
  EXPECT_TRUE((no || yes)(change));
  EXPECT_FALSE((no || no)(change));
  EXPECT_TRUE((!no)(change));
  EXPECT_THROW(Predicate::custom(nullptr), std::invalid_argument);
}

TEST(PredicateTest, ACustomOneSeesBothObjectsAndTheCause) {
  const auto a = object(R"({"metadata":{"name":"a"}})");
  informer::EventCause cause{};
  const auto predicate = Predicate::custom([&](const Change& change) {
    cause = change.cause;
    return change.is_delete() && change.before.name() == "a";
  });
  EXPECT_TRUE(predicate({a, kNone, informer::EventCause::Relist}));
  EXPECT_EQ(cause, informer::EventCause::Relist);
  EXPECT_FALSE(predicate({kNone, a}));
}

}  // namespace
}  // namespace kubexx::controller
