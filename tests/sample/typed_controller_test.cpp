#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "kubexx/client/resource_mapper.hpp"
#include "kubexx/clientset/core.hpp"
#include "kubexx/controller/controller.hpp"
#include "kubexx/controller/finalizer.hpp"
#include "kubexx/controller/owner_reference.hpp"
#include "kubexx/controller/writes.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::controller {
namespace {

using api::core::v1::ConfigMap;
using api::core::v1::Secret;
using api::core::v1::SecretDraft;
using ::testing::HasSubstr;
using testkit::make_config_map;

class TypedControllerTest : public ::testing::Test {
 protected:
  apiserver::Server server;
  rest::Client client = testkit::client(server);
  informer::SharedInformerFactory factory{client};
  std::stop_source stop;
};

TEST_F(TypedControllerTest, AReconcileSeesItsOwnWriteInTheCache) {
  ASSERT_TRUE(server.seed(make_config_map("default/a", "1")));
  const client::Api<ConfigMap> config_maps(client, "default");
  const client::Api<Secret> secrets(client, "default");
  Controller<ConfigMap> controller(factory, {.name = "test"});
  controller.owns<Secret>();
  const auto cached = factory.informer_for<Secret>().lister();
  std::atomic<int> created{0};
  std::atomic<int> owned_changes{0};
  std::string problem;
  std::latch seen(1);
  factory.start(stop.get_token());
  const auto ended = [&] {
    const std::jthread stopper([&] {
      seen.wait();
      stop.request_stop();
    });
    return controller.run(stop.get_token(), [&](const meta::ObjectKey& key, std::stop_token until) -> Result<Action> {
      const auto config_map = controller.lister().get(key);
      if (!config_map) return Action::done();
      if (cached.get(key)) {
        if (++owned_changes == 1) seen.count_down();
        return Action::done();
      }
      const auto written = create_or_update(secrets, key,
                                            [&](SecretDraft& draft) {
                                              draft.set_type("Opaque");
                                              return set_controller_reference(*config_map, draft);
                                            },
                                            {.stop = until});
      if (!written) return written.error();
      ++created;
      if (const auto waited = controller.wait_until_seen(written->object, {.stop = until}); !waited) {
        problem = waited.error().message();
      } else if (!cached.get(key)) {
        problem = "the cache does not have it";
      }
      return Action::done();
    });
  }();

  EXPECT_TRUE(ended) << ended.error().message();
  EXPECT_EQ(problem, "");
  EXPECT_EQ(created, 1);
  EXPECT_GE(owned_changes, 1) << "the change of an owned object enqueues its owner";
}

TEST_F(TypedControllerTest, WhatIsNoSourceCannotBeWaitedFor) {
  const Controller<ConfigMap> controller(factory);
  const auto waited = controller.wait_until_seen(Secret());
  ASSERT_FALSE(waited);
  EXPECT_THAT(waited.error().message(), HasSubstr("secrets"));
  EXPECT_EQ(controller.status().name, "configmap");
}

TEST_F(TypedControllerTest, AKindKnownAtRunTimeOnlyIsReconciledToo) {
  ASSERT_TRUE(server.seed(make_config_map("default/a", "1")));
  const auto resource = client::ResourceMapper(client).get("configmaps").value();
  Controller<> controller(factory, factory.for_resource(resource.resource).value().informer(), resource, {},
                          Predicate::custom([](const Change& change) { return change.after.name() == "a"; }));
  factory.start(stop.get_token());
  std::atomic<int> calls{0};
  const auto ended = controller.run(stop.get_token(), [&](const meta::ObjectKey& key, std::stop_token) {
    EXPECT_EQ(key.to_string(), "default/a");
    ++calls;
    stop.request_stop();
    return Result<Action>(Action::done());
  });
  EXPECT_TRUE(ended);
  EXPECT_EQ(calls, 1);
}

TEST_F(TypedControllerTest, AFinalizerOfATypedObjectIsAddedByItsHelper) {
  ASSERT_TRUE(server.seed(make_config_map("default/a", "1")));
  const client::Api<ConfigMap> config_maps(client, "default");
  const auto finalized =
      finalize(config_maps, config_maps.get("a").value(), "kubexx.dev/test",
               [](const ConfigMap&) -> Result<void> { return Error::config("it is not being deleted"); });
  ASSERT_TRUE(finalized) << finalized.error().message();
  EXPECT_TRUE(has_finalizer(config_maps.get("a").value(), "kubexx.dev/test"));
}

TEST_F(TypedControllerTest, ASecondControllerIsRefusedForATypedDraft) {
  auto draft = SecretDraft();
  draft.metadata().set_name("s");
  draft.metadata().set_namespace_("default");
  const auto first = server.seed(make_config_map("default/a")).value();
  const auto second = server.seed(make_config_map("default/b")).value();
  ASSERT_TRUE(set_controller_reference(first, draft));
  EXPECT_TRUE(meta::is_controlled_by(draft.to_object(), first));
  EXPECT_FALSE(set_controller_reference(second, draft));
  EXPECT_TRUE(set_owner_reference(second, draft));
  EXPECT_EQ(draft.to_object().owner_references().size(), 2U);
  const auto elsewhere = server.seed(make_config_map("kube-system/c")).value();
  EXPECT_FALSE(set_owner_reference(elsewhere, draft));
}

}  // namespace
}  // namespace kubexx::controller
