#include "kubexx/informer/event_handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/reflector/script.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using testing::ElementsAre;
using testing::IsEmpty;

const EventContext kWatch(EventCause::Watch, {}, nullptr, nullptr);

// TestTypedResourceEventHandlerFuncs, TestTypedResourceEventHandlerDetailedFuncs
TEST(EventHandlerTest, AbsentFunctionsAreSkippedAndArgumentsMayBeLeftOut) {
  const auto none = make_handler(ResourceEventHandlerFuncs<>{});
  none->on_add(config_map("a", "1"), true, kWatch);
  none->on_update(config_map("a", "1"), config_map("a", "2"), kWatch);
  none->on_delete({"ns/a", {}, false}, kWatch);

  std::vector<std::string> calls;
  ResourceEventHandlerFuncs<> f;
  f.on_add = [&](const meta::Object& o) { calls.push_back("add " + std::string(o.name())); };
  f.on_update = [&](const meta::Object&, const meta::Object& after, const EventContext& context) {
    calls.push_back("update " + std::string(after.name()) + " " + std::string(to_string(context.cause())));
  };
  f.on_delete = [&](const Deleted<meta::Object>& gone, const EventContext&) {
    calls.push_back("delete " + gone.key());
  };
  const auto handler = make_handler(std::move(f));
  handler->on_add(config_map("a", "1"), true, kWatch);
  handler->on_update(config_map("a", "1"), config_map("a", "2"), kWatch);
  handler->on_delete({"ns/a", {}, false}, kWatch);
  EXPECT_THAT(calls, ElementsAre("add a", "update a watch", "delete ns/a"));
}

/// What a generated type looks like to a handler.
struct ConfigMap {
  static ConfigMap unchecked(meta::Object object) { return {std::move(object)}; }
  meta::Object object;
};

// TestTypedResourceEventHandlerAdapter
TEST(EventHandlerTest, ATypedHandlerGetsItsTypeAroundTheSameObjectsAndAroundNothingWhereNothingIsKnown) {
  std::vector<meta::Object> seen;
  ResourceEventHandlerFuncs<ConfigMap> f;
  f.on_add = [&](const ConfigMap& map, bool initial) {
    EXPECT_TRUE(initial);
    seen.push_back(map.object);
  };
  f.on_update = [&](const ConfigMap& before, const ConfigMap& after) {
    seen.push_back(before.object);
    seen.push_back(after.object);
  };
  f.on_delete = [&](const Deleted<ConfigMap>& gone) {
    EXPECT_EQ(gone.key(), "ns/a");
    EXPECT_EQ(gone.final_state_known(), static_cast<bool>(gone.last_known().object));
    seen.push_back(gone.last_known().object);
  };
  const auto handler = make_handler(std::move(f));
  const auto one = config_map("a", "1");
  const auto two = config_map("a", "2");
  handler->on_add(one, true, kWatch);
  handler->on_update(one, two, kWatch);
  handler->on_delete({"ns/a", two, true}, kWatch);
  handler->on_delete({"ns/a", {}, false}, kWatch);

  ASSERT_EQ(seen.size(), 5U);
  EXPECT_TRUE(seen[0].same_document(one));
  EXPECT_TRUE(seen[1].same_document(one));
  EXPECT_TRUE(seen[2].same_document(two));
  EXPECT_TRUE(seen[3].same_document(two));
  EXPECT_FALSE(seen[4]);
}

// TestTypedFilteringResourceEventHandler
TEST(EventHandlerTest, AFilterTurnsUpdatesAcrossItIntoAddsAndDeletes) {
  std::vector<std::string> calls;
  FilteringResourceEventHandler<> filtering;
  filtering.filter = [](const meta::Object& o) { return o && o["data"]["v"].string() == "in"; };
  filtering.handler.on_add = [&](const meta::Object&, bool initial) {
    calls.push_back(initial ? "initial add" : "add");
  };
  filtering.handler.on_update = [&](const meta::Object&, const meta::Object&) { calls.push_back("update"); };
  filtering.handler.on_delete = [&](const Deleted<meta::Object>& gone) { calls.push_back("delete " + gone.key()); };
  const auto handler = make_handler(std::move(filtering));
  const auto in = config_map("a", "1", "in");
  const auto out = config_map("a", "2", "out");

  handler->on_add(out, true, kWatch);
  handler->on_update(out, out, kWatch);
  handler->on_delete({"ns/a", out, true}, kWatch);
  handler->on_delete({"ns/a", {}, false}, kWatch);
  EXPECT_THAT(calls, IsEmpty());

  handler->on_add(in, true, kWatch);
  handler->on_update(in, in, kWatch);
  handler->on_update(in, out, kWatch);
  handler->on_update(out, in, kWatch);
  handler->on_delete({"ns/a", in, true}, kWatch);
  EXPECT_THAT(calls, ElementsAre("initial add", "update", "delete ns/a", "add", "delete ns/a"));
}

// TestDeletionHandlingObjectToName, TestDeletedObjectGetKey, TestDeletedObjectGetObjectName
TEST(EventHandlerTest, ADeletionIsNamedByItsKeyWhateverIsKnownOfIt) {
  const Deleted<meta::Object> unknown("ns/a", {}, false);
  EXPECT_FALSE(unknown.last_known());
  EXPECT_EQ(unknown.object_key(), (meta::ObjectKey{"ns", "a"}));
  EXPECT_EQ(Deleted<meta::Object>("cluster-wide", {}, false).object_key(), (meta::ObjectKey{"", "cluster-wide"}));
  EXPECT_EQ(Deleted<meta::Object>("", {}, false).object_key(), (meta::ObjectKey{"", ""}));
}

TEST(EventHandlerTest, AContextNamesThePathsThatChanged) {
  const auto before = config_map("a", "1", "x");
  const auto after = config_map("a", "2", "y");
  const EventContext context(EventCause::Watch, {}, &before, &after);
  EXPECT_THAT(context.changed_paths(), testing::UnorderedElementsAre("/metadata/resourceVersion", "/data/v"));
  EXPECT_EQ(context.changed_paths(1).size(), 1U);
  EXPECT_THAT(kWatch.changed_paths(), IsEmpty());
}

}  // namespace
}  // namespace kubexx::informer
