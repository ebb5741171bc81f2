#include <gtest/gtest.h>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/clientset/clientset.hpp"
#include "kubexx/clientset/core/v1.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx {
namespace {

namespace corev1 = api::core::v1;

corev1::PodDraft web_pod() {
  corev1::PodDraft draft;
  draft.metadata().set_name("web");
  draft.metadata().labels().set("app", "web");
  auto container = draft.spec().containers().append();
  container.set_name("main");
  container.set_image("nginx");
  container.ports().append().set_container_port(80);
  container.resources().limits().set("cpu", "250m");
  return draft;
}

TEST(TypedApiTest, AccessorsReadWhatADraftWrote) {
  const auto pod = web_pod().to_object();

  EXPECT_EQ(pod.kind(), "Pod");
  EXPECT_EQ(pod.metadata().name(), "web");
  EXPECT_EQ(pod.metadata().labels()["app"], "web");
  ASSERT_EQ(pod.spec().containers().size(), 1U);
  for (const auto container : pod.spec().containers()) {
    EXPECT_EQ(container.image(), "nginx");
    EXPECT_EQ(container.ports()[0].container_port(), 80);
    EXPECT_EQ(container.resources().limits()["cpu"], "250m");
    EXPECT_FALSE(container.has_command());
  }
  EXPECT_FALSE(pod.has_status());
  EXPECT_EQ(pod.spec().containers()[7].name(), "");
}

TEST(TypedApiTest, AnObjectOfAnotherKindIsNotTakenForOne) {
  EXPECT_TRUE(corev1::Pod::from(web_pod().to_object()));
  const auto wrong = corev1::Node::from(web_pod().to_object());

  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message().find("expected Node of v1"), std::string::npos) << wrong.error().message();
}

TEST(TypedClientTest, ObjectsAreWrittenReadPatchedAndRemoved) {
  apiserver::Server server;
  const clientset::Clientset client(testkit::client(server));
  const auto pods = client.core().v1().pods("default");

  const auto created = pods.create(web_pod());
  ASSERT_TRUE(created) << created.error().message();
  auto draft = pods.get("web").value().edit();
  draft.metadata().labels().set("tier", "front");
  const auto patched = pods.patch(draft);
  ASSERT_TRUE(patched) << patched.error().message();
  EXPECT_EQ(patched->metadata().labels()["tier"], "front");
  EXPECT_EQ(patched->metadata().labels()["app"], "web");

  auto status = patched->edit();
  status.status().set_phase("Running");
  const auto running = pods.update_status(status);
  ASSERT_TRUE(running) << running.error().message();
  EXPECT_EQ(running->status().phase(), "Running");

  const auto list = pods.list({.label_selector = "app=web"});
  ASSERT_TRUE(list) << list.error().message();
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(list->items[0].spec().containers()[0].image(), "nginx");

  EXPECT_TRUE(pods.remove("web", {.grace_period_seconds = 0}));
  const auto gone = pods.get("web");
  ASSERT_FALSE(gone);
  EXPECT_TRUE(gone.error().is_not_found());
}

TEST(TypedClientTest, AnObjectCutByAProjectionIsNotSentAsAWhole) {
  apiserver::Server server;
  const client::Api<corev1::Pod> pods(testkit::client(server), "default");
  ASSERT_TRUE(pods.create(web_pod()));
  const auto cut = pods.list({.projection = meta::Projection::metadata_only()}).value().items.at(0);

  const auto refused = pods.update(cut);

  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("not whole"), std::string::npos) << refused.error().message();
}

TEST(TypedInformerTest, TheChainGivesPodsOfTheCache) {
  apiserver::Server server;
  const client::Api<corev1::Pod> api(testkit::client(server), "default");
  ASSERT_TRUE(api.create(web_pod()));
  informer::SharedInformerFactory factory(testkit::client(server));
  auto pods = factory.core().v1().pods();
  std::atomic<int> added = 0;
  auto registration = pods.informer().add_event_handler({
      .on_add = [&](const corev1::Pod& pod, bool) { added += pod.spec().containers()[0].image() == "nginx" ? 1 : 100; },
  });

  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync());

  const auto cached = pods.lister().in_namespace("default").list(meta::LabelSelector::equals("app", "web"));
  ASSERT_EQ(cached.size(), 1U);
  EXPECT_EQ(cached[0].metadata().name(), "web");
}

TEST(TypedClientTest, AWatchDeliversTypedEventsUntilItsCallbackHasEnough) {
  apiserver::Server server;
  const client::Api<corev1::Pod> pods(testkit::client(server), "default");
  ASSERT_TRUE(pods.create(web_pod()));
  std::string seen;

  const auto watched = pods.watch({}, [&](const client::TypedWatchEvent<corev1::Pod>& event) {
    seen = event.object.metadata().name();
    return false;
  });

  EXPECT_TRUE(watched) << watched.error().message();
  EXPECT_EQ(seen, "web");
}

}  // namespace
}  // namespace kubexx
