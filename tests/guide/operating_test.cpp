#include <gmock/gmock.h>

#include <map>
#include <mutex>

#include "guide/guide_server.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/election/leader_check.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/inspect/server.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::guide {
namespace {

using ::testing::HasSubstr;

using OperatingTest = GuideTest;

TEST_F(OperatingTest, WhatEndsARoundIsTold) {
  std::mutex mutex;
  std::string told;
  const auto page_somebody = [&](const std::string& text) {
    const std::lock_guard lock(mutex);
    told += text;
  };
  const auto failing = server.core().add_fault({.resource = "pods", .times = 3, .status = 503, .message = "busy"});

  // [begin errors]
  informer::FactoryOptions options;
  options.defaults.watch_error_handler = [&](const reflector::WatchError& failed) {
    if (failed.attempt < 3) return;  // it is tried again by itself
    page_somebody(failed.name + ": " + failed.error.message());
  };
  // [end errors]
  options.defaults.backoff = Backoff::none();
  options.defaults.watch_list = false;
  informer::SharedInformerFactory factory(client, options);
  const auto pods = factory.core().v1().pods();
  factory.start();

  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 10s}));
  const std::lock_guard lock(mutex);
  EXPECT_THAT(told, HasSubstr("pods: "));
  EXPECT_THAT(told, HasSubstr("busy"));
}

TEST_F(OperatingTest, ProbesAskTheProgramsOwnChecksToo) {
  struct {
    Result<void> last_error() const { return Error::config("no connection is left"); }
  } pool;
  informer::SharedInformerFactory factory(client);
  const std::shared_ptr<const election::LeaderElector> elector =
      election::LeaderElector::create(client, {.name = "shop", .identity = "shop-1"},
                                      {.on_started_leading = [](const election::LeaderGuard&) {}})
          .value();

  // [begin checks]
  auto page = inspect::Server::start(factory).value();
  auto database = page->health().add("database", HealthProbe::Readiness, [&] { return pool.last_error(); });
  auto leader = page->health().add("leader", HealthProbe::Both, election::leader_check(elector));
  // [end checks]

  std::map<std::string, HealthState> said;
  for (const auto& result : page->health().run(HealthProbe::Readiness)) said[result.name] = result.state;
  EXPECT_EQ(said["database"], HealthState::Failed);
  EXPECT_EQ(said["leader"], HealthState::Standby);
}

}  // namespace
}  // namespace kubexx::guide
