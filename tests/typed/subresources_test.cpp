#include <gtest/gtest.h>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/clientset/apps/v1.hpp"
#include "kubexx/clientset/clientset.hpp"
#include "kubexx/clientset/core/v1.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/informer/sync.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx {
namespace {

namespace corev1 = api::core::v1;
namespace appsv1 = api::apps::v1;

corev1::PodDraft pod(std::string_view name, std::string_view app) {
  corev1::PodDraft draft;
  draft.metadata().set_name(name);
  draft.metadata().labels().set("app", app);
  auto container = draft.spec().containers().append();
  container.set_name("main");
  container.set_image("nginx");
  return draft;
}

class SubresourceTest : public ::testing::Test {
 protected:
  apiserver::Server server;
  clientset::Clientset client{testkit::client(server)};
  clientset::CoreV1PodClient pods{client.core().v1().pods("default")};
};

TEST_F(SubresourceTest, ABoundPodHasItsNodeAndIsBoundOnce) {
  ASSERT_TRUE(pods.create(pod("web", "web")));
  corev1::BindingDraft binding;
  binding.metadata().set_name("web");
  binding.target().set_name("node-1");

  const auto bound = pods.bind("web", binding.to_object());

  ASSERT_TRUE(bound) << bound.error().message();
  EXPECT_EQ(pods.get("web").value().spec().node_name(), "node-1");
  const auto again = pods.bind("web", binding.to_object());
  ASSERT_FALSE(again);
  EXPECT_TRUE(again.error().is_conflict());
}

TEST_F(SubresourceTest, AnEvictedPodGoes) {
  ASSERT_TRUE(pods.create(pod("web", "web")));
  api::policy::v1::EvictionDraft eviction;
  eviction.metadata().set_name("web");
  eviction.delete_options().set_grace_period_seconds(0);

  const auto evicted = pods.evict("web", eviction.to_object());

  ASSERT_TRUE(evicted) << evicted.error().message();
  const auto gone = pods.get("web");
  ASSERT_FALSE(gone);
  EXPECT_TRUE(gone.error().is_not_found());
  const auto unknown = pods.evict("nobody");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().is_not_found());
}

TEST_F(SubresourceTest, EphemeralContainersAreAddedToARunningPod) {
  ASSERT_TRUE(pods.create(pod("web", "web")));
  auto draft = pods.get("web").value().edit();
  auto debugger = draft.spec().ephemeral_containers().append();
  debugger.set_name("debugger");
  debugger.set_image("busybox");

  const auto updated = pods.update_ephemeral_containers(draft.to_object());

  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->spec().ephemeral_containers()[0].name(), "debugger");
}

TEST_F(SubresourceTest, AScaleIsReadAndWritten) {
  appsv1::DeploymentDraft draft;
  draft.metadata().set_name("web");
  draft.spec().set_replicas(2);
  draft.spec().selector().match_labels().set("app", "web");
  draft.spec().template_().metadata().labels().set("app", "web");
  auto container = draft.spec().template_().spec().containers().append();
  container.set_name("main");
  container.set_image("nginx");
  const auto deployments = client.apps().v1().deployments("default");
  const auto created = deployments.create(draft);
  ASSERT_TRUE(created) << created.error().message();

  const auto scale = deployments.get_scale("web");
  ASSERT_TRUE(scale) << scale.error().message();
  EXPECT_EQ(scale->spec().replicas(), 2);
  auto larger = scale->edit();
  larger.spec().set_replicas(5);
  const auto updated = deployments.update_scale("web", larger.to_object());

  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->spec().replicas(), 5);
  EXPECT_EQ(deployments.get("web").value().spec().replicas(), 5);
}

TEST_F(SubresourceTest, APodWithoutANodeHasNoLogsAndAContainerItLacksIsRefused) {
  ASSERT_TRUE(pods.create(pod("web", "web")));

  const auto logs = pods.logs("web");
  const auto unknown = pods.logs("web", {.container = "other"});

  ASSERT_TRUE(logs) << logs.error().message();
  EXPECT_EQ(*logs, "");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message().find("other"), std::string::npos) << unknown.error().message();
}

TEST_F(SubresourceTest, ACollectionIsRemovedByItsSelector) {
  for (const auto* name : {"a", "b"}) ASSERT_TRUE(pods.create(pod(name, "old")));
  ASSERT_TRUE(pods.create(pod("c", "new")));

  const auto removed = pods.remove_collection({.label_selector = "app=old"}, {.grace_period_seconds = 0});

  ASSERT_TRUE(removed) << removed.error().message();
  const auto left = pods.list().value().items;
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].metadata().name(), "c");
}

TEST_F(SubresourceTest, ATypedObjectIsApplied) {
  auto draft = pod("applied", "web");

  const auto applied = pods.apply(draft, {.field_manager = "test"});

  ASSERT_TRUE(applied) << applied.error().message();
  EXPECT_EQ(applied->metadata().labels()["app"], "web");
  EXPECT_EQ(pods.get("applied").value().metadata().managed_fields()[0].manager(), "test");
}

TEST_F(SubresourceTest, AnInformerOutsideAnyFactoryHasItsNamespaceIndexAndSelector) {
  ASSERT_TRUE(pods.create(pod("mine", "web")));
  ASSERT_TRUE(pods.create(pod("other", "db")));
  ASSERT_TRUE(client.core().v1().pods("kube-system").create(pod("elsewhere", "web")));

  const auto informer = informer::new_shared_informer<corev1::Pod>(
      client.client(),
      {.scope = {.namespaces = {"default"}, .label_selector = meta::LabelSelector::equals("app", "web")},
       .indexers = {{"app", informer::typed<corev1::Pod>([](const corev1::Pod& pod) {
                       return std::vector{std::string(pod.labels()["app"].string())};
                     })}}});
  informer->start();
  ASSERT_TRUE(informer::wait_for_cache_sync({}, {informer.shared()}));

  const auto cached = informer.lister().list();
  ASSERT_EQ(cached.size(), 1U);
  EXPECT_EQ(cached[0].metadata().name(), "mine");
  EXPECT_EQ(informer.lister().by_index("app", "web").value().size(), 1U);
  informer->stop();
  informer->join();
}

}  // namespace
}  // namespace kubexx
