#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

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

/// KUBEXX_LOAD=full, as ./dev test-long load has it: 2,000 watchers.
TEST(LoadTest, WatchersThatDoNotReadAreCutAndTheOthersMissNothing) {
  const char* const asked = std::getenv("KUBEXX_LOAD");
  const bool full = asked && std::string_view(asked) == "full";
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = descriptors.rlim_max;
  setrlimit(RLIMIT_NOFILE, &descriptors);
  apiserver::Options options;
  options.history_bytes = 4 << 20;
  options.watch_backlog = 1 << 20;
  apiserver::Server server(options);
  Plan plan;
  plan.namespaces = full ? 20 : 1;
  plan.objects = full ? 10'000 : 50;
  plan.watchers = full ? 1'800 : 20;
  plan.silent = full ? 200 : 5;
  plan.writers = full ? 10 : 1;
  plan.updates_per_second = full ? 1'000 : 500;
  plan.duration = std::chrono::seconds(full ? 60 : 4);

  const Outcome outcome = run(server, plan);

  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.delivered, outcome.expected);
  EXPECT_EQ(outcome.silent_cut, plan.silent);
  // What is kept of history, and what may wait: for those that do not read a backlog each, until they are cut.
  EXPECT_LT(outcome.memory_after, outcome.memory_before + (64U << 20) + (plan.watchers + plan.silent) * (2U << 20));
  if (full) {
    std::cout << "load: " << outcome.updates << " updates at " << outcome.updates_per_second << " a second, "
              << outcome.delivered << " delivered to " << plan.watchers << " watchers, the last "
              << std::chrono::duration<double>(outcome.drain).count() << " s after the last answer; "
              << outcome.silent_cut << " cut; memory " << (outcome.memory_before >> 20) << " MB, then "
              << (outcome.memory_after >> 20) << " MB" << std::endl;
  }
}

}  // namespace
}  // namespace kubexx::load
