#include <gtest/gtest.h>

#include "guide/guide_server.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"

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

}  // namespace
}  // namespace kubexx::guide
