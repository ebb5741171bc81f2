#include "kubexx/meta/object_key.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/watch_event.hpp"

namespace kubexx::meta {
namespace {

TEST(ObjectKeyTest, ParsesNamesWithAndWithoutNamespace) {
  EXPECT_EQ(ObjectKey::parse("ns/name").value(), (ObjectKey{"ns", "name"}));
  EXPECT_EQ(ObjectKey::parse("name").value(), (ObjectKey{"", "name"}));
  EXPECT_FALSE(ObjectKey::parse("a/b/c"));
}

TEST(ObjectKeyTest, PrintsWhatItParsed) {
  for (const std::string text : {"ns/name", "name", ""}) EXPECT_EQ(ObjectKey::parse(text).value().to_string(), text);
}

TEST(ObjectKeyTest, TellsNamespaceAndNameApartWhenHashed) {
  const std::unordered_set<ObjectKey> keys = {{"a", "b"}, {"b", "a"}, {"", "ab"}, {"a", "b"}};

  EXPECT_EQ(keys.size(), 3U);
}

TEST(MetaNamespaceKeyTest, IsNamespaceSlashName) {
  EXPECT_EQ(meta_namespace_key(object_from_json(R"({"metadata":{"name":"a","namespace":"n"}})")).value(), "n/a");
  EXPECT_EQ(meta_namespace_key(object_from_json(R"({"metadata":{"name":"a"}})")).value(), "a");
}

TEST(MetaNamespaceKeyTest, NeedsMetadataAndAName) {
  EXPECT_FALSE(meta_namespace_key(Object()));
  EXPECT_FALSE(meta_namespace_key(object_from_json("{}")));
  EXPECT_FALSE(meta_namespace_key(object_from_json(R"({"metadata":{"namespace":"n"}})")));
}

TEST(MetaNamespaceKeyTest, OfATombstoneIsItsOwnKey) {
  EXPECT_EQ(meta_namespace_key(DeletedFinalStateUnknown{"n/gone", Object()}).value(), "n/gone");
}

TEST(WatchEventTest, TypesHaveTheNamesOfTheWire) {
  for (const auto type : {WatchEventType::Added, WatchEventType::Modified, WatchEventType::Deleted,
                          WatchEventType::Bookmark, WatchEventType::Error}) {
    EXPECT_EQ(parse_watch_event_type(to_string(type)), type);
  }
  EXPECT_EQ(parse_watch_event_type("added"), WatchEventType::Unknown);
}

TEST(WatchEventTest, OnlyABookmarkWithTheExactAnnotationEndsTheInitialEvents) {
  const auto marked = object_from_json(R"({"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}})");
  const auto other = object_from_json(R"({"metadata":{"annotations":{"k8s.io/initial-events-end":"True"}}})");

  EXPECT_TRUE((WatchEvent{WatchEventType::Bookmark, marked}).is_initial_events_end());
  EXPECT_FALSE((WatchEvent{WatchEventType::Added, marked}).is_initial_events_end());
  EXPECT_FALSE((WatchEvent{WatchEventType::Bookmark, other}).is_initial_events_end());
  EXPECT_FALSE((WatchEvent{WatchEventType::Bookmark, Object()}).is_initial_events_end());
}

}  // namespace
}  // namespace kubexx::meta
