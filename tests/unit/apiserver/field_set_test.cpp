#include "apiserver/verbs/field_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

meta::Object json(std::string_view text) {
  return meta::parse_json(text).value();
}

FieldSet set(std::string_view text) {
  return FieldSet::parse(json(text).root());
}

std::string text(const FieldSet& fields) {
  meta::ObjectBuilder out;
  fields.write(out);
  return meta::to_json(out.finish().value());
}

std::vector<std::string> paths(const FieldSet& fields) {
  std::vector<std::string> out;
  fields.paths(out);
  return out;
}

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
    FieldSet both = set(each.a);
    both.insert(set(each.b));
    FieldSet without = set(each.a);
    without.remove(set(each.b));
    EXPECT_EQ(text(both), each.both);
    EXPECT_EQ(text(set(each.a).intersection(set(each.b))), each.common);
    EXPECT_EQ(text(without), each.without);
    EXPECT_EQ(set(each.a), set(text(set(each.a))));
  }
}

TEST(FieldSetTest, RemovingAPathRecursivelyTakesWhatIsBelow) {
  FieldSet fields = set(R"({"f:a":{"f:x":{"f:y":{}}},"f:b":{"f:x":{}}})");
  fields.remove_recursively(set(R"({"f:a":{},"f:b":{"f:z":{}}})"));
  EXPECT_EQ(text(fields), R"({"f:b":{"f:x":{}}})");
}

TEST(FieldSetTest, PathsReadAsConflictsNameThem) {
  EXPECT_THAT(
      paths(set(R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{"f:image":{}}},"f:args":{"v:\"x\"":{}}}})")),
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
    const meta::Object before = json(each.before);
    const meta::Object after = json(each.after);
    const FieldDiff diff = diff_fields(type, before.root(), after.root());
    EXPECT_EQ(text(diff.changed), each.changed) << each.before << " to " << each.after;
    EXPECT_EQ(text(diff.removed), each.removed) << each.before << " to " << each.after;
  }
}

TEST(FieldSetTest, ListsOfCustomResourcesFollowTheirSchema) {
  const meta::Object schema = json(
      R"({"properties":{"plain":{"items":{}},"set":{"x-kubernetes-list-type":"set"},"map":{"x-kubernetes-list-type":)"
      R"("map","x-kubernetes-list-map-keys":["name","port"]},"whole":{"x-kubernetes-map-type":"atomic"}}})");
  const meta::Object object = json(
      R"({"plain":[1],"set":["a"],"map":[{"port":1,"name":"n","v":2}],"whole":{"a":{"b":1}},"free":{"a":{"b":1}}})");

  EXPECT_THAT(paths(fields_of(TypeNode::openapi(schema.root()), object.root())),
              UnorderedElementsAre(".plain", ".set[=\"a\"]", ".map[name=\"n\",port=1]", ".map[name=\"n\",port=1].name",
                                   ".map[name=\"n\",port=1].port", ".map[name=\"n\",port=1].v", ".whole", ".free.a.b"));
}

TEST(FieldSetTest, PruningDropsBranchesWithoutMembers) {
  FieldSet fields = set(R"({"f:a":{"f:x":{}},"f:b":{}})");
  fields.children["f:a"].children["f:x"].member = false;
  fields.prune();
  EXPECT_EQ(text(fields), R"({"f:b":{}})");
}

TEST(FieldSetTest, AnItemIsNamedByItsKeysInOrderAndAValueByItself) {
  const TypeNode ports = TypeNode::builtin(*codec::find_type("core.v1.ServiceSpec")).child("ports");
  const TypeNode finalizers = TypeNode::object_meta().child("finalizers");
  EXPECT_EQ(item_element(ports, json(R"({"protocol":"TCP","name":"x","port":80})").root()),
            R"(k:{"port":80,"protocol":"TCP"})");
  EXPECT_EQ(item_element(finalizers, json(R"({"f":"a"})")["f"]), R"(v:"a")");
}

TEST(FieldSetTest, AStructThatIsOneValueIsOwnedAsAWhole) {
  const TypeNode type = TypeNode::builtin(*codec::find_type("core.v1.Service"));
  const FieldDiff diff = diff_fields(type, json(R"({"spec":{"selector":{"a":"1"},"type":"ClusterIP"}})").root(),
                                     json(R"({"spec":{"selector":{"a":"1","b":"2"},"type":"ClusterIP"}})").root());
  EXPECT_EQ(text(diff.changed), R"({"f:spec":{"f:selector":{}}})");
}

TEST(FieldSetTest, AnItemThatGoesTakesItsFieldsWithIt) {
  const TypeNode type = TypeNode::builtin(*codec::find_type("core.v1.Pod"));
  const FieldDiff diff =
      diff_fields(type, json(R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}})").root(),
                  json(R"({"spec":{"containers":[{"name":"b","image":"2"}]}})").root());
  EXPECT_EQ(text(diff.changed), R"({"f:spec":{"f:containers":{"k:{\"name\":\"b\"}":{"f:image":{}}}}})");
  EXPECT_EQ(text(diff.removed),
            R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{},"f:name":{}}}}})");
}

}  // namespace
}  // namespace kubexx::apiserver
