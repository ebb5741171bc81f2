#include <gtest/gtest.h>

#include "kubexx/apiserver/server.hpp"
#include "load/http_load.hpp"

namespace kubexx::load {
namespace {

TEST(LoadTest, EveryUpdateReachesItsWatchersInOrderAndMemoryStaysWithinTheHistoryLimit) {
  apiserver::Options options;
  options.history_bytes = 4 << 20;
  apiserver::Server server(options);
  Plan plan;
  plan.objects = 200;
  plan.watchers = 100;
  plan.updates_per_second = 500;
  plan.duration = std::chrono::seconds(3);

  const Outcome outcome = run(server, plan);

  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.updates, 1500u);
  EXPECT_EQ(outcome.expected, 7500u);
  EXPECT_EQ(outcome.delivered, outcome.expected);
  // 9 MB were written: what is kept of it, and what the allocator and the sockets hold.
  EXPECT_LT(outcome.memory_after, outcome.memory_before + (64u << 20));
}

}  // namespace
}  // namespace kubexx::load
