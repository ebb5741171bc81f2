#include "apiserver/verbs/field_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apiserver/verbs/managed_fields.hpp"
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
  const TypeNode type = TypeNode::builtin(*Schema::get().type("core.v1.ConfigMap"));
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

class ManagersTest : public ::testing::Test {
 protected:
  ManagersTest() { resource.type = Schema::get().type("core.v1.ConfigMap"), resource.version = "v1"; }
  /// Somebody sets data[key].
  void write(const std::string& manager, const std::string& key, const std::string& value, const std::string& time) {
    meta::Draft draft = object.edit();
    draft["data"][key].set(value);
    const meta::Object after = draft.to_object();
    managers = after_update(resource, managers, object, after, {manager, time, ""});
    object = after;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Manager& manager : managers) out.push_back(manager.manager);
    return out;
  }

  Resource resource;
  meta::Object object = json(R"({"data":{}})");
  std::vector<Manager> managers;
};

TEST_F(ManagersTest, WhoeverChangesAFieldOwnsItAlone) {
  write("a", "x", "1", "2026-01-01T00:00:00Z");
  write("b", "y", "1", "2026-01-01T00:00:01Z");
  write("b", "x", "2", "2026-01-01T00:00:02Z");
  write("b", "x", "2", "2026-01-01T00:00:03Z");  // no change

  ASSERT_EQ(managers.size(), 2u);
  EXPECT_TRUE(managers[0].fields.empty());
  EXPECT_EQ(text(managers[1].fields), R"({"f:data":{"f:x":{},"f:y":{}}})");
  EXPECT_EQ(managers[1].time, "2026-01-01T00:00:02Z");
}

TEST_F(ManagersTest, SurviveTheirWayThroughAnObject) {
  write("a", "x", "1", "2026-01-01T00:00:00Z");
  write("b", "y", "1", "2026-01-01T00:00:01Z");
  meta::Draft draft;
  write_managers(managers, draft);
  const std::vector<Manager> read = managers_of(draft.to_object());

  ASSERT_EQ(read.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(read[i].same_as(managers[i]));
    EXPECT_EQ(read[i].fields, managers[i].fields);
    EXPECT_EQ(read[i].time, managers[i].time);
  }
}

TEST_F(ManagersTest, TheOldestOfManyBecomeOneAndNoFieldIsLost) {
  for (int i = 10; i < 60; ++i)
    write("m" + std::to_string(i), "k" + std::to_string(i), "1", "2026-01-01T00:00:" + std::to_string(i) + "Z");

  EXPECT_THAT(names(), ElementsAre("ancient-changes", "m51", "m52", "m53", "m54", "m55", "m56", "m57", "m58", "m59"));
  FieldSet all;
  for (const Manager& manager : managers) all.insert(manager.fields);
  EXPECT_EQ(paths(all).size(), 50u);
}

}  // namespace
}  // namespace kubexx::apiserver
