#include <gmock/gmock.h>

#include <iostream>
#include <sstream>

#include "guide/guide_server.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"

namespace kubexx::guide {
namespace {

using ::testing::HasSubstr;

using FirstInformerTest = GuideTest;

TEST_F(FirstInformerTest, AScopeIsWhatTheServerIsAskedFor) {
  seed_pod("web-1", "worker-1", "web");
  seed_pod("db-1", "worker-1", "db");

  // [begin scope]
  informer::FactoryOptions options;
  options.defaults.scope.namespaces = {"default"};
  options.by_kind[meta::resource_of<Pod>()].scope.label_selector = meta::LabelSelector::equals("app", "web");
  informer::SharedInformerFactory factory(client, options);
  // [end scope]
  const auto pods = factory.core().v1().pods();
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 10s}));

  EXPECT_EQ(pods.lister().list().size(), 1U);
  EXPECT_EQ(server.requests().count("watch", "pods", {.namespace_ = "default", .label_selector = "app=web"}), 1U);
}

TEST_F(FirstInformerTest, ACacheThatDoesNotSyncSaysWhy) {
  const auto refused = server.core().add_fault({.resource = "pods", .status = 403, .message = "no such right"});
  const std::stop_token stop;
  std::ostringstream err;
  informer::SharedInformerFactory factory(client);
  const auto pods = factory.core().v1().pods();
  factory.start(stop);

  // [begin why]
  const auto synced = factory.wait_for_cache_sync(stop, {.fail_fast = true, .timeout = 30s});
  if (!synced) err << *synced.as_error() << '\n';
  // [end why]

  EXPECT_FALSE(synced);
  EXPECT_THAT(err.str(), HasSubstr("pods"));
  EXPECT_THAT(err.str(), HasSubstr("no such right"));
}

}  // namespace
}  // namespace kubexx::guide
