#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/label_selector.hpp"

namespace kubexx::meta {
namespace {

Result<LabelSelector> from(const std::string& json) {
  const auto object = object_from_json(json);
  return LabelSelector::from_object(object["selector"]);
}

TEST(LabelSelectorObjectTest, CombinesLabelsAndExpressions) {
  EXPECT_EQ(from(R"({"selector":{"matchLabels":{"b":"1","a":""},"matchExpressions":[
      {"key":"c","operator":"In","values":["y","x"]},{"key":"d","operator":"NotIn","values":["z"]},
      {"key":"e","operator":"Exists"},{"key":"f","operator":"DoesNotExist","values":[]}]}})")
                .value()
                .to_string(),
            "a=,b=1,c in (x,y),d notin (z),e,!f");
}

TEST(LabelSelectorObjectTest, AbsentAndNullSelectNothingEmptySelectsEverything) {
  EXPECT_TRUE(from("{}").value().is_nothing());
  EXPECT_TRUE(from(R"({"selector":null})").value().is_nothing());
  EXPECT_TRUE(from(R"({"selector":{}})").value().empty());
  EXPECT_TRUE(from(R"({"selector":{"matchLabels":{},"matchExpressions":[]}})").value().empty());
}

TEST(LabelSelectorObjectTest, RefusesInvalidSelectors) {
  for (const std::string json :
       {R"({"selector":"a=b"})", R"({"selector":{"matchLabels":{"-":"x"}}})",
        R"({"selector":{"matchLabels":{"a":"%"}}})",
        R"({"selector":{"matchExpressions":[{"key":"a","operator":"Is"}]}})",
        R"({"selector":{"matchExpressions":[{"key":"a","operator":"In"}]}})",
        R"({"selector":{"matchExpressions":[{"key":"a","operator":"Exists","values":["x"]}]}})",
        R"({"selector":{"matchExpressions":[{"operator":"Exists"}]}})", R"({"selector":{"matchExpressions":[7]}})"}) {
    EXPECT_FALSE(from(json)) << json;
  }
}

TEST(LabelSelectorObjectTest, MatchesTheLabelsOfAnObject) {
  const auto pod = object_from_json(R"({"metadata":{"labels":{"app":"web","tier":"7"}}})");

  EXPECT_TRUE(LabelSelector::parse("app=web,tier>6,!x").value().matches(pod));
  EXPECT_FALSE(LabelSelector::equals("app", "db").matches(pod));
  EXPECT_TRUE(LabelSelector::parse("!app").value().matches(Object()));
  EXPECT_TRUE(LabelSelector::from_labels(pod.labels()).value().matches(pod.labels()));
}

}  // namespace
}  // namespace kubexx::meta
