#include <gtest/gtest.h>

#include "kubexx/clientset/apps/v1.hpp"
#include "kubexx/clientset/clientset.hpp"
#include "kubexx/clientset/core/v1.hpp"
#include "support/coroutine.hpp"
#include "support/one_thread.hpp"

namespace kubexx {
namespace {

namespace corev1 = api::core::v1;
namespace appsv1 = api::apps::v1;

class TypedAsyncTest : public ::testing::Test {
 protected:
  static corev1::PodDraft pod(std::string_view name) {
    corev1::PodDraft draft;
    draft.metadata().set_name(name);
    auto container = draft.spec().containers().append();
    container.set_name("main");
    container.set_image("nginx");
    return draft;
  }

  OneThread world;
  clientset::Clientset client{*world.client};
  clientset::CoreV1PodClient pods{client.core().v1().pods("default")};
};

TEST_F(TypedAsyncTest, EveryVerbGivesTypedResultsOnOneThread) {
  const Result<corev1::Pod> created = *world.result(pods.create_async(pod("web")));
  ASSERT_TRUE(created) << created.error();
  EXPECT_EQ((**world.result(pods.get_async("web"))).spec().containers()[0].image(), "nginx");

  auto draft = created->edit();
  draft.metadata().labels().set("tier", "front");
  const auto updated = *world.result(pods.update_async(draft));
  ASSERT_TRUE(updated) << updated.error();
  auto status = updated->edit();
  status.status().set_phase("Running");
  EXPECT_EQ((**world.result(pods.update_status_async(status))).status().phase(), "Running");

  const auto all = **world.result(pods.list_async({.label_selector = "tier=front"}));
  ASSERT_EQ(all.items.size(), 1U);
  EXPECT_EQ(all.items[0].metadata().name(), "web");
  EXPECT_EQ((**world.result(pods.list_all_async())).items.size(), 1U);

  const auto applied = *world.result(pods.apply_async(pod("other"), {.field_manager = "test"}));
  ASSERT_TRUE(applied) << applied.error();
  EXPECT_TRUE(*world.result(pods.remove_async("web", {.grace_period_seconds = 0})));
  EXPECT_TRUE(*world.result(pods.remove_collection_async({}, {.grace_period_seconds = 0})));
  EXPECT_TRUE((**world.result(pods.list_async())).items.empty());
}

TEST_F(TypedAsyncTest, ADraftIsPatchedInItsOwnNamespaceAndNotSentWithoutAChange) {
  const client::Api<corev1::Pod> everywhere(*world.client);
  const auto web = **world.result(pods.create_async(pod("web")));
  const auto version = world.core->version();

  EXPECT_EQ((**world.result(everywhere.patch_async(web.edit()))).metadata().name(), "web");
  EXPECT_EQ(world.core->version(), version);
  auto draft = web.edit();
  draft.metadata().labels().set("tier", "front");
  const auto patched = *world.result(everywhere.patch_async(draft));
  ASSERT_TRUE(patched) << patched.error();
  EXPECT_EQ(patched->metadata().labels()["tier"], "front");
}

TEST_F(TypedAsyncTest, GeneratedVerbsOfSubresourcesHaveTheFormToo) {
  appsv1::DeploymentDraft draft;
  draft.metadata().set_name("web");
  draft.spec().set_replicas(1);
  draft.spec().selector().match_labels().set("app", "web");
  draft.spec().template_().metadata().labels().set("app", "web");
  auto container = draft.spec().template_().spec().containers().append();
  container.set_name("main");
  container.set_image("nginx");
  const auto deployments = client.apps().v1().deployments("default");
  ASSERT_TRUE(*world.result(deployments.create_async(draft)));

  auto scale = (**world.result(deployments.get_scale_async("web"))).edit();
  scale.spec().set_replicas(3);
  const auto scaled = *world.result(deployments.update_scale_async("web", scale.to_object()));
  ASSERT_TRUE(scaled) << scaled.error();
  EXPECT_EQ(scaled->spec().replicas(), 3);

  ASSERT_TRUE(*world.result(pods.create_async(pod("web"))));
  EXPECT_TRUE(*world.result(pods.evict_async("web")));
  EXPECT_TRUE((*world.result(pods.evict_async("nobody"))).error().is_not_found());
}

Coroutine label(clientset::CoreV1PodClient pods, std::string& outcome) {
  auto pod = co_await pods.get_async("web");
  auto draft = pod->edit();
  draft.metadata().labels().set("tier", "front");
  const auto patched = co_await pods.patch_async(draft);
  outcome = patched ? std::string(patched->metadata().labels()["tier"]) : patched.error().message();
  const auto evicted = co_await pods.evict_async("web");
  outcome += evicted ? ", evicted" : evicted.error().message();
}

TEST_F(TypedAsyncTest, ACoroutineGetsTypedObjects) {
  ASSERT_TRUE(*world.result(pods.create_async(pod("web"))));
  std::string outcome;
  label(pods, outcome);
  world.executor->run_until_idle();

  EXPECT_EQ(outcome, "front, evicted");
}

}  // namespace
}  // namespace kubexx
