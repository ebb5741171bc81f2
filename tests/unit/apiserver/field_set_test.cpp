#include "apiserver/verbs/field_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "field_texts.hpp"

namespace kubexx::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST(FieldSetTest, AnOperationGivesTheSetItIsNamedAfter) {
  struct Case {
    const char* a;
    const char* b;
    const char* both;
    const char* common;
    const char* without;
  };
  const Case cases[] = {
      {"{}", "{}", "{}", "{}", "{}"},
      {R"({"f:a":{}})", "{}", R"({"f:a":{}})", "{}", R"({"f:a":{}})"},
      {R"({"f:a":{}})", R"({"f:a":{}})", R"({"f:a":{}})", R"({"f:a":{}})", "{}"},
      {R"({"f:a":{"f:x":{}},"f:b":{}})", R"({"f:a":{"f:y":{}},"f:b":{}})", R"({"f:a":{"f:x":{},"f:y":{}},"f:b":{}})",
       R"({"f:b":{}})", R"({"f:a":{"f:x":{}}})"},
      {R"({"f:a":{".":{},"f:x":{}}})", R"({"f:a":{"f:x":{}}})", R"({"f:a":{".":{},"f:x":{}}})", R"({"f:a":{"f:x":{}}})",
       R"({"f:a":{}})"},
  };
  for (const Case& each : cases) {
    FieldSet both = set_of(each.a);
    both.insert(set_of(each.b));
    FieldSet without = set_of(each.a);
    without.remove(set_of(each.b));
    EXPECT_EQ(text_of(both), each.both);
    EXPECT_EQ(text_of(set_of(each.a).intersection(set_of(each.b))), each.common);
    EXPECT_EQ(text_of(without), each.without);
    EXPECT_EQ(set_of(each.a), set_of(text_of(set_of(each.a))));
  }
}

TEST(FieldSetTest, PathsReadAsConflictsNameThem) {
  EXPECT_THAT(
      paths_of(set_of(R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{"f:image":{}}},"f:args":{"v:\"x\"":{}}}})")),
      ElementsAre(".spec.args[=\"x\"]", ".spec.containers[name=\"c\"].image"));
}

TEST(FieldSetTest, ADifferenceOwnsWhatChangedAndNamesWhatIsGone) {
  struct Case {
    const char* before;
    const char* after;
    const char* changed;
    const char* removed;
  };
  const Case cases[] = {
      {R"({"data":{"a":"1"}})", R"({"data":{"a":"1"}})", "{}", "{}"},
      {R"({"data":{"a":"1"}})", R"({"data":{"a":"2"}})", R"({"f:data":{"f:a":{}}})", "{}"},
      {R"({"data":{"a":"1","b":"1"}})", R"({"data":{"a":"1"}})", "{}", R"({"f:data":{"f:b":{}}})"},
      {"{}", R"({"data":{"a":"1"}})", R"({"f:data":{".":{},"f:a":{}}})", "{}"},
      {R"({"metadata":{"finalizers":["x"]}})", R"({"metadata":{"finalizers":["x","y"]}})",
       R"({"f:metadata":{"f:finalizers":{"v:\"y\"":{}}}})", "{}"},
  };
  const TypeNode type = TypeNode::builtin(*codec::find_type("core.v1.ConfigMap"));
  for (const Case& each : cases) {
    const meta::Object before = object_of(each.before);
    const meta::Object after = object_of(each.after);
    const FieldDiff diff = diff_fields(type, before.root(), after.root());
    EXPECT_EQ(text_of(diff.changed), each.changed) << each.before << " to " << each.after;
    EXPECT_EQ(text_of(diff.removed), each.removed) << each.before << " to " << each.after;
  }
}

TEST(FieldSetTest, ListsOfCustomResourcesFollowTheirSchema) {
  const meta::Object schema = object_of(
      R"({"properties":{"plain":{"items":{}},"set":{"x-kubernetes-list-type":"set"},"map":{"x-kubernetes-list-type":)"
      R"("map","x-kubernetes-list-map-keys":["name","port"]},"whole":{"x-kubernetes-map-type":"atomic"}}})");
  const meta::Object object = object_of(
      R"({"plain":[1],"set":["a"],"map":[{"port":1,"name":"n","v":2}],"whole":{"a":{"b":1}},"free":{"a":{"b":1}}})");

  EXPECT_THAT(paths_of(fields_of(TypeNode::openapi(schema.root()), object.root())),
              UnorderedElementsAre(".plain", ".set[=\"a\"]", ".map[name=\"n\",port=1]", ".map[name=\"n\",port=1].name",
                                   ".map[name=\"n\",port=1].port", ".map[name=\"n\",port=1].v", ".whole", ".free.a.b"));
}

TEST(FieldSetTest, PruningDropsBranchesWithoutMembers) {
  FieldSet fields = set_of(R"({"f:a":{"f:x":{}},"f:b":{}})");
  fields.children["f:a"].children["f:x"].member = false;
  fields.prune();
  EXPECT_EQ(text_of(fields), R"({"f:b":{}})");
}

TEST(FieldSetTest, AnItemIsNamedByItsKeysInOrderAndAValueByItself) {
  const TypeNode ports = TypeNode::builtin(*codec::find_type("core.v1.ServiceSpec")).child("ports");
  const TypeNode finalizers = TypeNode::object_meta().child("finalizers");
  EXPECT_EQ(item_element(ports, object_of(R"({"protocol":"TCP","name":"x","port":80})").root()),
            R"(k:{"port":80,"protocol":"TCP"})");
  EXPECT_EQ(item_element(finalizers, object_of(R"({"f":"a"})")["f"]), R"(v:"a")");
}

TEST(FieldSetTest, AStructThatIsOneValueIsOwnedAsAWhole) {
  const TypeNode type = TypeNode::builtin(*codec::find_type("core.v1.Service"));
  const FieldDiff diff = diff_fields(type, object_of(R"({"spec":{"selector":{"a":"1"},"type":"ClusterIP"}})").root(),
                                     object_of(R"({"spec":{"selector":{"a":"1","b":"2"},"type":"ClusterIP"}})").root());
  EXPECT_EQ(text_of(diff.changed), R"({"f:spec":{"f:selector":{}}})");
}

TEST(FieldSetTest, AnItemThatGoesTakesItsFieldsWithIt) {
  const TypeNode type = TypeNode::builtin(*codec::find_type("core.v1.Pod"));
  const FieldDiff diff = diff_fields(
      type, object_of(R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}})").root(),
      object_of(R"({"spec":{"containers":[{"name":"b","image":"2"}]}})").root());
  EXPECT_EQ(text_of(diff.changed), R"({"f:spec":{"f:containers":{"k:{\"name\":\"b\"}":{"f:image":{}}}}})");
  EXPECT_EQ(text_of(diff.removed),
            R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{},"f:name":{}}}}})");
}

}  // namespace
}  // namespace kubexx::apiserver
