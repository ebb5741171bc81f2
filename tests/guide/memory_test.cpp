#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/internal/random_token.hpp"
#include "guide/guide_server.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::guide {
namespace {

using MemoryTest = GuideTest;

TEST_F(MemoryTest, WhatIsNotWantedIsNotKept) {
  seed_pod("web-1", "worker-1", "web");
  seed_pod("job-1", "worker-1", "job", "Succeeded");

  // [begin less]
  informer::FactoryOptions options;
  auto& of_pods = options.by_kind[meta::resource_of<Pod>()];
  of_pods.scope.projection = meta::Projection::paths({"metadata.labels", "spec.nodeName", "status.phase"}).value();
  of_pods.admit = meta::typed<Pod>([](const Pod& pod) { return pod.status().phase() != "Succeeded"; });
  // [end less]
  informer::SharedInformerFactory factory(client, options);
  const auto pods = factory.core().v1().pods();
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 10s}));

  ASSERT_EQ(pods.lister().list().size(), 1U);
  const auto web = pods.lister().get("default/web-1").value();
  EXPECT_EQ(web.spec().node_name(), "worker-1");
  EXPECT_EQ(web.spec().containers().size(), 0U);
  EXPECT_EQ(web.completeness(), meta::Completeness::SelectedPaths);
}

TEST_F(MemoryTest, AProgramThatComesBackHasItsCacheFromAFile) {
  seed_pod("web-1", "worker-1", "web");
  const std::string folder = std::filesystem::temp_directory_path() / ("kubexx-guide-" + random_token());
  const auto run = [&](const auto& look) {
    // [begin file]
    informer::FactoryOptions options;
    options.cache_directory = folder;  // such as /var/cache/agent/kubexx: one file a resource and scope
    informer::SharedInformerFactory factory(client, options);
    // [end file]
    const auto pods = factory.core().v1().pods();
    factory.start();
    look(factory, pods);
  };
  run([](const auto& factory, const auto&) { EXPECT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 10s})); });
  {
    const auto away = server.refuse_connections();
    run([](const auto&, const auto& pods) {
      EXPECT_TRUE(testkit::eventually([&] { return pods.status().restored; }));
      EXPECT_TRUE(pods.lister().get("default/web-1"));
    });
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kubexx::guide
