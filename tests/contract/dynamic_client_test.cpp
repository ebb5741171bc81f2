#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/client/dynamic_client.hpp"
#include "kubexx/client/pager.hpp"
#include "kubexx/client/until.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testing/client.hpp"

namespace kubexx::client {
namespace {

using ::testing::ElementsAre;

class DynamicClientContractTest : public ::testing::Test {
 protected:
  apiserver::Server server_;
  DynamicClient dynamic_{testing::client(server_)};
  ResourceApi maps_ = dynamic_.resource({"", "v1", "configmaps"}).namespaced("default");
};

TEST_F(DynamicClientContractTest, AnObjectIsCreatedChangedInEveryWayAndRemoved) {
  const auto created = maps_.create(testing::make_config_map("default/a", "1"));
  ASSERT_TRUE(created) << created.error();
  auto draft = created->edit();
  draft["data"]["v"].set("2");
  EXPECT_EQ((*maps_.update(draft.to_object()))["data"]["v"].string(), "2");
  EXPECT_TRUE(maps_.update(draft.to_object()).error().is_conflict());
  EXPECT_EQ((*maps_.patch("a", PatchType::Merge, R"({"data":{"v":"3"}})"))["data"]["v"].string(), "3");
  EXPECT_EQ(
      (*maps_.patch("a", PatchType::Json, R"([{"op":"replace","path":"/data/v","value":"4"}])"))["data"]["v"].string(),
      "4");
  EXPECT_EQ((*maps_.patch("a", PatchType::Strategic, R"({"data":{"v":"5"}})"))["data"]["v"].string(), "5");
  EXPECT_EQ((*maps_.get("a"))["data"]["v"].string(), "5");

  EXPECT_TRUE(maps_.remove("a", {.uid = "another"}).error().is_conflict());
  EXPECT_TRUE(maps_.remove("a", {.propagation_policy = "Background"}));
  EXPECT_TRUE(maps_.get("a").error().is_not_found());
}

TEST_F(DynamicClientContractTest, ApplyConflictsWithAnotherManagerUntilItIsForced) {
  const auto map = testing::make_config_map("default/a", "1");
  ASSERT_TRUE(maps_.apply(map, {.field_manager = "one"}));
  auto draft = map.edit();
  draft["data"]["v"].set("2");

  const auto refused = maps_.apply(draft.to_object(), {.field_manager = "two"});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is_conflict());
  EXPECT_EQ((*maps_.apply(draft.to_object(), {.field_manager = "two", .force = true}))["data"]["v"].string(), "2");
}

TEST_F(DynamicClientContractTest, AClusterWideResourceAndItsStatusAreWritten) {
  const auto nodes = dynamic_.resource({"", "v1", "nodes"});
  const auto node =
      nodes.create(meta::parse_json(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})").value());
  ASSERT_TRUE(node) << node.error();
  auto draft = node->edit();
  draft["status"]["phase"].set("Running");

  const auto updated = nodes.update_status(draft.to_object());

  ASSERT_TRUE(updated) << updated.error();
  EXPECT_EQ((*updated)["status"]["phase"].string(), "Running");
}

TEST_F(DynamicClientContractTest, PagesGiveEveryObjectOnceAndACollectionIsRemovedBySelector) {
  for (int i = 0; i < 25; ++i) {
    ASSERT_TRUE(maps_.create(testing::make_config_map("default/m" + std::to_string(i))));
  }
  const Pager pager(maps_, {.page_size = 10});
  const auto all = pager.list({.field_selector = "metadata.namespace=default"});
  ASSERT_TRUE(all) << all.error();
  EXPECT_TRUE(all->paginated);
  EXPECT_EQ(all->items.size(), 25U);
  std::size_t visited = 0;
  ASSERT_TRUE(pager.each_list_item({}, [&](const meta::Object&) {
    ++visited;
    return Result<void>();
  }));
  EXPECT_EQ(visited, 25U);

  EXPECT_TRUE(maps_.remove_collection({.field_selector = "metadata.name=m3"}));
  EXPECT_EQ(maps_.list()->items.size(), 24U);
}

TEST_F(DynamicClientContractTest, UntilSeesAChangeThatComesAfterItsVersion) {
  const auto created = maps_.create(testing::make_config_map("default/a", "1")).value();
  ASSERT_TRUE(maps_.patch("a", PatchType::Merge, R"({"data":{"v":"2"}})"));
  ASSERT_TRUE(maps_.remove("a"));
  std::vector<std::string> seen;

  const auto event = until(maps_, {.resource_version = std::string(created.resource_version())},
                           {[&](const meta::WatchEvent& e) -> Result<bool> {
                             seen.emplace_back(meta::to_string(e.type));
                             return e.type == meta::WatchEventType::Deleted;
                           }});

  ASSERT_TRUE(event) << event.error();
  EXPECT_THAT(seen, ElementsAre("MODIFIED", "DELETED"));
}

}  // namespace
}  // namespace kubexx::client
