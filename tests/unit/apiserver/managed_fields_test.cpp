#include "apiserver/verbs/managed_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "field_texts.hpp"

namespace kubexx::apiserver {
namespace {

using ::testing::ElementsAre;

class ManagersTest : public ::testing::Test {
 protected:
  ManagersTest() { resource.type = codec::find_type("core.v1.ConfigMap"), resource.version = "v1"; }
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
  meta::Object object = object_of(R"({"data":{}})");
  std::vector<Manager> managers;
};

TEST_F(ManagersTest, WhoeverChangesAFieldOwnsItAlone) {
  write("a", "x", "1", "2026-01-01T00:00:00Z");
  write("b", "y", "1", "2026-01-01T00:00:01Z");
  write("b", "x", "2", "2026-01-01T00:00:02Z");
  write("b", "x", "2", "2026-01-01T00:00:03Z");  // no change

  ASSERT_EQ(managers.size(), 2u);
  EXPECT_TRUE(managers[0].fields.empty());
  EXPECT_EQ(text_of(managers[1].fields), R"({"f:data":{"f:x":{},"f:y":{}}})");
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
  EXPECT_EQ(all.children["f:data"].children.size(), 50u);
}

TEST_F(ManagersTest, AFieldThatIsRemovedHasNoOwner) {
  write("a", "x", "1", "2026-01-01T00:00:00Z");
  write("a", "y", "1", "2026-01-01T00:00:01Z");
  meta::Draft draft = object.edit();
  draft["data"].erase("x");
  managers = after_update(resource, managers, object, draft.to_object(), {"b", "2026-01-01T00:00:02Z", ""});

  ASSERT_EQ(managers.size(), 2u);
  EXPECT_EQ(text_of(managers[0].fields), R"({"f:data":{"f:y":{}}})");
  EXPECT_TRUE(managers[1].fields.empty()) << "b owns nothing that it took away";
}

TEST_F(ManagersTest, ThoseThatOwnNothingAreNotWritten) {
  Manager idle;
  idle.manager = "idle";
  idle.operation = "Update";
  Manager busy = idle;
  busy.manager = "busy";
  busy.fields = set_of(R"({"f:data":{"f:x":{}}})");
  meta::Draft draft;
  write_managers({idle, busy}, draft);

  const std::vector<Manager> read = managers_of(draft.to_object());
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].manager, "busy");
}

TEST_F(ManagersTest, AppliersAreWrittenBeforeUpdatersAndEachByTime) {
  const auto manager = [](const char* name, const char* operation, const char* time) {
    Manager out;
    out.manager = name;
    out.operation = operation;
    out.time = time;
    out.fields = set_of(R"({"f:data":{}})");
    return out;
  };
  meta::Draft draft;
  write_managers({manager("late", "Update", "2026-01-01T00:00:02Z"), manager("early", "Update", "2026-01-01T00:00:01Z"),
                  manager("applier", "Apply", "2026-01-01T00:00:03Z")},
                 draft);
  managers = managers_of(draft.to_object());
  EXPECT_THAT(names(), ElementsAre("applier", "early", "late"));
}

TEST_F(ManagersTest, AnApplierIsTheSameUnderEveryVersionAndAnUpdaterIsNot) {
  Manager one;
  one.manager = "m";
  one.operation = "Apply";
  one.api_version = "apps/v1";
  Manager other = one;
  other.api_version = "apps/v1beta1";
  EXPECT_TRUE(one.same_as(other));
  one.operation = other.operation = "Update";
  EXPECT_FALSE(one.same_as(other));
}

TEST_F(ManagersTest, NobodyOwnsWhatTheServerWrites) {
  FieldSet fields = set_of(
      R"({"f:apiVersion":{},"f:kind":{},"f:metadata":{".":{},"f:name":{},"f:uid":{},"f:labels":{"f:a":{}}},"f:data":{}})");
  strip_system_fields(fields);
  EXPECT_EQ(text_of(fields), R"({"f:data":{},"f:metadata":{"f:labels":{"f:a":{}}}})");

  FieldSet bare = set_of(R"({"f:metadata":{"f:name":{},"f:resourceVersion":{}}})");
  strip_system_fields(bare);
  EXPECT_TRUE(bare.empty());
}

TEST_F(ManagersTest, StatusBelongsToItsSubresourceAndTheRestToTheMainOne) {
  resource.has_status = true;
  const auto left = [&](std::string_view subresource) {
    FieldSet fields = set_of(R"({"f:spec":{"f:a":{}},"f:status":{"f:b":{}}})");
    strip_foreign_fields(resource, subresource, fields);
    return text_of(fields);
  };
  EXPECT_EQ(left(""), R"({"f:spec":{"f:a":{}}})");
  EXPECT_EQ(left("status"), R"({"f:status":{"f:b":{}}})");
  resource.has_status = false;
  EXPECT_EQ(left(""), R"({"f:spec":{"f:a":{}},"f:status":{"f:b":{}}})");
}

TEST_F(ManagersTest, WhatIsNoManagerIsPassedOver) {
  EXPECT_TRUE(managers_of(object_of(R"({"metadata":{"managedFields":[{},{"manager":"a"},7]}})")).empty());
  EXPECT_TRUE(managers_of(object_of(R"({"metadata":{"managedFields":"x"}})")).empty());
}

}  // namespace
}  // namespace kubexx::apiserver
