#include "kubexx/client/dynamic_client.hpp"

#include <gmock/gmock.h>

#include "contract/any_server.hpp"
#include "kubexx/client/pager.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::contract {
namespace {

using client::PatchType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DynamicClientTest : public AnyServerTest {
 protected:
  client::ResourceApi resource(meta::GroupVersionResource resource) const {
    return client::DynamicClient(client()).resource(std::move(resource));
  }
  client::ResourceApi maps() const { return resource(kConfigMaps).namespaced(namespace_()); }
  meta::Object config_map(std::string_view name, std::string_view value) const {
    return testkit::make_config_map(key(name), value);
  }
};
INSTANTIATE_TEST_SUITE_P(AnyServer, DynamicClientTest, kAnyServer, server_name);

TEST_P(DynamicClientTest, AnObjectIsCreatedChangedInEveryWayAndRemoved) {
  const auto created = maps().create(config_map("a", "1"));
  ASSERT_TRUE(created) << created.error();
  auto draft = created->edit();
  draft["data"]["v"].set("2");
  EXPECT_EQ((*maps().update(draft.to_object()))["data"]["v"].string(), "2");
  EXPECT_TRUE(maps().update(draft.to_object()).error().is_conflict());
  EXPECT_EQ((*maps().patch("a", PatchType::Merge, R"({"data":{"v":"3"}})"))["data"]["v"].string(), "3");
  EXPECT_EQ(
      (*maps().patch("a", PatchType::Json, R"([{"op":"replace","path":"/data/v","value":"4"}])"))["data"]["v"].string(),
      "4");
  EXPECT_EQ((*maps().patch("a", PatchType::Strategic, R"({"data":{"v":"5"}})"))["data"]["v"].string(), "5");
  EXPECT_EQ((*maps().get("a"))["data"]["v"].string(), "5");

  EXPECT_TRUE(maps().remove("a", {.uid = "another"}).error().is_conflict());
  EXPECT_TRUE(maps().remove("a", {.dry_run = true}));
  EXPECT_TRUE(maps().remove("a", {.propagation_policy = "Background"}));
  EXPECT_TRUE(maps().get("a").error().is_not_found());
}

TEST_P(DynamicClientTest, AStrategicPatchMergesListsByTheirKeyWhereAMergePatchReplacesThem) {
  const auto services = resource({"", "v1", "services"}).namespaced(namespace_());
  const auto made = services.create(meta::parse_json(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},
      "spec":{"selector":{"app":"web"},"ports":[{"name":"a","port":80}]}})")
                                        .value());
  ASSERT_TRUE(made) << made.error();

  const auto merged = services.patch("s", PatchType::Strategic, R"({"spec":{"ports":[{"name":"b","port":81}]}})");
  ASSERT_TRUE(merged) << merged.error();
  EXPECT_EQ((*merged)["spec"]["ports"].size(), 2U);
  const auto replaced = services.patch("s", PatchType::Merge, R"({"spec":{"ports":[{"name":"c","port":82}]}})");
  ASSERT_TRUE(replaced) << replaced.error();
  EXPECT_EQ((*replaced)["spec"]["ports"].size(), 1U);
  EXPECT_EQ(replaced->at("/spec/ports/0/port").int_or(0), 82);
  EXPECT_TRUE(services.remove("s"));
}

TEST_P(DynamicClientTest, ApplyConflictsWithAnotherManagerUntilItIsForced) {
  const auto map = config_map("a", "1");
  ASSERT_TRUE(maps().apply(map, {.field_manager = "one"}));
  auto draft = map.edit();
  draft["data"]["v"].set("2");

  const auto refused = maps().apply(draft.to_object(), {.field_manager = "two"});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is_conflict());
  EXPECT_EQ((*maps().apply(draft.to_object(), {.field_manager = "two", .force = true}))["data"]["v"].string(), "2");
}

TEST_P(DynamicClientTest, AClusterWideResourceAndItsStatusAreWritten) {
  const auto nodes = resource({"", "v1", "nodes"});
  const auto text = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + namespace_() + "\"}}";
  const auto node = nodes.create(meta::parse_json(text).value());
  ASSERT_TRUE(node) << node.error();
  auto draft = node->edit();
  draft["status"]["phase"].set("Running");

  const auto updated = nodes.update_status(draft.to_object());

  ASSERT_TRUE(updated) << updated.error();
  EXPECT_EQ((*updated)["status"]["phase"].string(), "Running");
  EXPECT_TRUE(nodes.remove(namespace_()));
}

TEST_P(DynamicClientTest, ADeploymentIsScaledThroughItsSubresource) {
  const meta::GroupVersionResource kind{"apps", "v1", "deployments"};
  if (!is_embedded() && !has_subresource(kind, "scale")) GTEST_SKIP() << "the server has no scale of Deployments";
  const auto deployments = resource(kind).namespaced(namespace_());
  const auto made = deployments.create(meta::parse_json(R"({"apiVersion":"apps/v1","kind":"Deployment",
      "metadata":{"name":"web"},"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},"template":{
      "metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})")
                                           .value());
  ASSERT_TRUE(made) << made.error();
  const auto scale = deployments.get_subresource("web", "scale");
  ASSERT_TRUE(scale) << scale.error();
  EXPECT_EQ(scale->kind(), "Scale");
  auto draft = scale->edit();
  draft["spec"]["replicas"].set(3);

  const auto scaled = deployments.update_subresource("web", "scale", draft.to_object());

  ASSERT_TRUE(scaled) << scaled.error();
  EXPECT_EQ((*scaled)["spec"]["replicas"].int_or(0), 3);
  const auto after = deployments.get("web");
  EXPECT_EQ((*after)["spec"]["replicas"].int_or(0), 3);
  EXPECT_EQ(after->generation(), 2);
  EXPECT_TRUE(deployments.remove("web"));
}

TEST_P(DynamicClientTest, PagesGiveEveryObjectOnceAndACollectionIsRemovedBySelector) {
  for (int i = 0; i < 25; ++i) {
    ASSERT_TRUE(maps().create(config_map("m" + std::to_string(i), "")));
  }
  const std::string selector = "metadata.name!=kube-root-ca.crt";
  const client::Pager pager(maps(), {.page_size = 10});
  const auto all = pager.list({.field_selector = selector});
  ASSERT_TRUE(all) << all.error();
  EXPECT_TRUE(all->paginated);
  EXPECT_EQ(all->items.size(), 25U);
  std::size_t visited = 0;
  ASSERT_TRUE(pager.each_list_item({.field_selector = selector}, [&](const meta::Object&) {
    ++visited;
    return Result<void>();
  }));
  EXPECT_EQ(visited, 25U);

  EXPECT_TRUE(maps().remove_collection({.field_selector = "metadata.name=m3"}));
  EXPECT_EQ(on_server().size(), 24U);
}

TEST_P(DynamicClientTest, APageForgottenByTheServersHistoryIsFollowedByTheWholeList) {
  // Of Secrets: the servers of ./dev test-cluster have no watch cache of them, out of which newer ones answer such
  // pages.
  const auto secrets = resource({"", "v1", "secrets"}).namespaced(namespace_());
  const auto add_secret = [&](const std::string& name) {
    const auto text = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":")" + name + "\"}}";
    const auto made = secrets.create(meta::parse_json(text).value());
    ASSERT_TRUE(made) << made.error();
  };
  for (int i = 0; i < 12; ++i) add_secret("s" + std::to_string(i));
  std::vector<std::int64_t> limits;
  bool compacted = false;
  const client::Pager pager(
      [&](const client::ListOptions& options) {
        limits.push_back(options.limit);
        auto page = secrets.list(options);
        if (limits.size() == 1) {
          add_secret("later");
          compacted = compact_history();
        }
        return page;
      },
      client().handlers(), {.page_size = 5});

  const auto all = pager.list();
  static_cast<void>(secrets.remove_collection());

  if (!compacted) GTEST_SKIP() << "compaction: the server's etcd is not known ($ETCD_UNDER_TEST)";
  ASSERT_TRUE(all) << all.error();
  EXPECT_THAT(limits, ElementsAre(5, 5, 0));
  EXPECT_GE(all->items.size(), 13U);  // with what was written meanwhile
  EXPECT_EQ(all->meta.continue_token, "");
}

TEST_P(DynamicClientTest, RefusalsAreErrorsWithReasonAndCauses) {
  const auto absent = maps().get("absent");
  ASSERT_FALSE(absent);
  EXPECT_TRUE(absent.error().is_not_found());
  EXPECT_EQ(absent.error().reason(), "NotFound");
  EXPECT_EQ(absent.error().details().name, "absent");

  ASSERT_TRUE(maps().create(config_map("a", "1")));
  EXPECT_TRUE(maps().create(config_map("a", "1")).error().is_already_exists());

  const auto invalid = maps().create(config_map("Not_A_Name", "1"));
  ASSERT_FALSE(invalid);
  EXPECT_EQ(invalid.error().code(), 422);
  ASSERT_FALSE(invalid.error().details().causes.empty());
  EXPECT_EQ(invalid.error().details().causes[0].field, "metadata.name");

  const auto unknown = resource({"no.such.group", "v1", "things"}).list();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), 404);
  EXPECT_THAT(unknown.error().message(), HasSubstr("404 page not found"));
}

TEST_P(DynamicClientTest, TheLogOfAPodThatNoNodeRunsIsEmptyAndAWrongContainerIsRefused) {
  const meta::GroupVersionResource kind{"", "v1", "pods"};
  if (!is_embedded() && !has_subresource(kind, "log")) GTEST_SKIP() << "the server has no logs of pods";
  const auto pods = resource(kind).namespaced(namespace_());
  ASSERT_TRUE(pods.create(testkit::make_pod(key("a"))));

  const auto whole = pods.logs("a");
  ASSERT_TRUE(whole) << whole.error();
  EXPECT_EQ(*whole, "");
  EXPECT_TRUE(pods.stream_log_lines("a", {.follow = true, .tail_lines = 10}, [](std::string_view) { return true; }));
  const auto refused = pods.logs("a", {.container = "another"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), 400);
  EXPECT_THAT(refused.error().message(), HasSubstr("container another is not valid for pod a"));
  EXPECT_TRUE(pods.logs("absent").error().is_not_found());
  EXPECT_TRUE(pods.remove("a", {.grace_period_seconds = 0}));
}

}  // namespace
}  // namespace kubexx::contract
