#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kubexx/base/stop.hpp"
#include "kubexx/election/leader_check.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::election {
namespace {

/// One of several programs that stand for election, with the check of its elector.
struct Standing {
  Standing(const rest::Client& client, const std::string& identity) {
    LeaderElectionOptions options;
    options.name = "leader";
    options.identity = identity;
    options.retry_period = std::chrono::milliseconds(100);
    LeaderCallbacks callbacks;
    callbacks.on_started_leading = [](const LeaderGuard& guard) { wait_for_stop(guard.stop_token()); };
    elector = LeaderElector::create(client, options, callbacks).value();
    check = leader_check(elector);
  }
  void run() {
    thread = std::jthread([this](const std::stop_token& stop) { elector->run(stop); });
  }

  std::shared_ptr<LeaderElector> elector;
  HealthCheck check;
  std::jthread thread;
};

TEST(LeaderCheckTest, TheLeaderIsWellAndAStandbySaysWhoLeads) {
  apiserver::Server server;
  const auto client = testkit::client(server);
  Standing first(client, "first");
  Standing second(client, "second");
  EXPECT_EQ(first.check().state(), HealthState::Standby);
  EXPECT_EQ(first.check().reason(), "nobody is known to lead");

  first.run();
  ASSERT_TRUE(testkit::eventually([&] { return first.elector->is_leader(); }));
  second.run();
  ASSERT_TRUE(testkit::eventually([&] { return second.elector->leader() == "first"; }));

  EXPECT_EQ(first.check().state(), HealthState::Ok);
  EXPECT_EQ(second.check().state(), HealthState::Standby);
  EXPECT_EQ(second.check().reason(), "first leads");

  first.thread = {};
  EXPECT_TRUE(testkit::eventually([&] { return second.check().state() == HealthState::Ok; }));
}

}  // namespace
}  // namespace kubexx::election
