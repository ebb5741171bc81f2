// One replica of a program under test: replica_program leader|shards NAME URL, with the token in KUBEXX_TOKEN.
// Each write is an apply of a ConfigMap whose name says who wrote it, in which term, and until when its guard allowed
// it.
#include <sys/prctl.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>

#include "kubexx/base/stop.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/election/shard_membership.hpp"
#include "kubexx/meta/draft.hpp"

using namespace kubexx;
using std::chrono::milliseconds;

namespace {

constexpr Duration kLease = milliseconds(1500);
constexpr Duration kRenew = milliseconds(1000);
constexpr Duration kRetry = milliseconds(200);

void write(const rest::Client& client, const election::LeaderGuard& guard, const std::string& key,
           const std::string& name, int term, int number) {
  meta::Draft map;
  map["apiVersion"].set("v1");
  map["kind"].set("ConfigMap");
  map["metadata"]["namespace"].set("default");
  map["metadata"]["name"].set(key + "." + name + "." + std::to_string(term) + "." + std::to_string(number) + "." +
                              std::to_string(guard.deadline().time_since_epoch().count()));
  const client::ResourceApi maps(guard.guarded(client), {"", "v1", "configmaps"}, "default");
  client::WriteOptions options;
  options.field_manager = "replica";
  options.timeout = milliseconds(500);
  static_cast<void>(maps.apply(map.to_object(), options));  // faults are the point; what arrived is in the server's log
}

void run_leader(const rest::Client& client, const std::string& name, const std::stop_token& stop) {
  int term = 0;
  election::LeaderElectionOptions options;
  options.name = "replicas";
  options.identity = name;
  options.lease_duration = kLease;
  options.renew_deadline = kRenew;
  options.retry_period = kRetry;
  election::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [&](const election::LeaderGuard& guard) {
    ++term;
    int number = 0;
    // Goes on for a while after the token fired: only the guard stands between these writes and the server.
    int after = 0;
    while (after < 30) {
      write(client, guard, "leader", name, term, ++number);
      if (guard.stop_token().stop_requested()) ++after;
      wait_for_stop(stop, milliseconds(10));
    }
  };
  auto elector = election::LeaderElector::create(client, options, callbacks);
  while (!stop.stop_requested()) (*elector)->run(stop);
}

void run_shards(const rest::Client& client, const std::string& name, const std::stop_token& stop) {
  election::ShardOptions options;
  options.group = "replicas";
  options.identity = name;
  options.lease_duration = kLease;
  options.renew_deadline = kRenew;
  options.retry_period = kRetry;
  auto membership = election::ShardMembership::create(client, options);
  (*membership)->start();
  std::map<int, int> terms;
  std::map<int, bool> owned;
  int number = 0;
  while (!stop.stop_requested()) {
    for (int k = 0; k < 16; ++k) {
      const auto key = "key-" + std::to_string(k);
      const auto work = (*membership)->begin(key);
      if (work && !owned[k]) ++terms[k];
      owned[k] = static_cast<bool>(work);
      if (work) write(client, work.guard(), key, name, terms[k], ++number);
    }
    wait_for_stop(stop, milliseconds(40));
  }
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const char* token = std::getenv("KUBEXX_TOKEN");
  if (argc != 4 || !token) {
    std::cerr << "usage: replica_program leader|shards NAME URL, with KUBEXX_TOKEN\n";
    return 2;
  }
  const auto stop = stop_on_signals();
  const std::string name = argv[2];
  rest::Config config;
  config.host = argv[3];
  config.bearer_token = token;
  config.allow_insecure_credentials = true;  // to loopback
  config.user_agent = name;
  const auto client = rest::Client::create(config).value();
  if (std::string(argv[1]) == "leader") {
    run_leader(client, name, stop);
  } else {
    run_shards(client, name, stop);
  }
  return 0;
}
