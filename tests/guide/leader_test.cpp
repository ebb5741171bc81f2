#include <gtest/gtest.h>

#include <mutex>

#include "guide/guide_server.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/election/leader_observer.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::guide {
namespace {

using LeaderTest = GuideTest;

TEST_F(LeaderTest, WhoFollowsTheLeaderHearsItsAddress) {
  std::stop_source stopping;
  const auto stop = stopping.get_token();
  const std::string pod_name = "shop-1";
  const std::string address = "10.0.0.1:80";
  std::mutex mutex;
  std::string connected;
  const auto connect = [&](const std::string& to) {
    const std::lock_guard lock(mutex);
    if (!to.empty()) connected = to;
  };
  const auto serve = [](const rest::Client&, const std::stop_token& until) { wait_for_stop(until); };

  // [begin follow]
  auto observer = election::LeaderObserver::create(
      client, {.name = "shop",
               .on_change = [&](const election::LeaderView& now) { connect(now.annotation("shop.example/address")); }});
  if (!observer) return complain(observer.error());
  (*observer)->start(stop);
  // [end follow]
  // [begin elect]
  auto elector = election::LeaderElector::create(
      client,
      {.name = "shop", .identity = pod_name, .annotations = {{"shop.example/address", address}}, .stop_timeout = 20s},
      {.on_started_leading = [&](const election::LeaderGuard& guard) {
        serve(guard.guarded(client), guard.stop_token());
      }});
  if (!elector) return complain(elector.error());
  (*elector)->start(stop);
  // [end elect]

  EXPECT_TRUE(testkit::eventually([&] {
    const std::lock_guard lock(mutex);
    return connected == address;
  }));
  stopping.request_stop();
}

}  // namespace
}  // namespace kubexx::guide
