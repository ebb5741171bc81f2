#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "guide/guide_server.hpp"
#include "kubexx/controller/sharded_controller.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::guide {
namespace {

using ShardsTest = GuideTest;

TEST_F(ShardsTest, TheOnlyReplicaHasEveryKey) {
  seed_pod("web-1", "worker-1", "web");
  seed_pod("web-2", "worker-1", "web");
  std::stop_source stopping;
  const auto stop = stopping.get_token();
  std::atomic<int> reconciled = 0;
  const auto reconcile = [&](const meta::ObjectKey&, const rest::Client&) { ++reconciled; };
  const auto run = [&]() -> Result<void> {
    // [begin shards]
    informer::SharedInformerFactory factory(client);
    controller::Controller<Pod> controller(factory, {.name = "pods", .workers = 4});
    const auto sharded = controller::ShardedController<Pod>::create(controller, client,
                                                                    {.group = "shop", .identity = "shop-7c9f-x2x1p"});
    if (!sharded) return sharded.error();
    factory.start(stop);
    return (*sharded)->run(stop,
                           [&](const meta::ObjectKey& key, const election::LeaderGuard& guard,
                               std::stop_token) -> Result<controller::Action> {
                             reconcile(key, guard.guarded(client));  // its writes end with the right to the key
                             return controller::Action::done();
                           });
    // [end shards]
  };
  Result<void> ended;
  std::jthread replica([&] { ended = run(); });

  EXPECT_TRUE(testkit::eventually([&] { return reconciled >= 2; }));
  stopping.request_stop();
  replica.join();
  EXPECT_TRUE(ended) << ended.error().message();
}

}  // namespace
}  // namespace kubexx::guide
