// The embedded server over HTTP on loopback: 10,000 objects of 6 KB, then 2,000 updates a second for 20 s, each seen by
// 10 of 200 watchers. Server and clients share the process and its cores. Fails when a delivery is lost or out of
// order, the rate is not reached, or memory grows by more than twice the history limit.

#include <cstdio>
#include <cstdlib>

#include "kubexx/apiserver/server.hpp"
#include "load/http_load.hpp"

int main(int argc, char** argv) {
  using namespace kubexx;
  load::Plan plan;
  if (argc > 1) plan.duration = std::chrono::seconds(std::max(1, std::atoi(argv[1])));
  apiserver::Options options;
  options.history_bytes = 64 << 20;
  apiserver::Server server(options);
  const load::Outcome outcome = load::run(server, plan);
  std::printf("creates %.0f/s, updates %.0f/s (%llu), deliveries %.0f/s\n", outcome.creates_per_second,
              outcome.updates_per_second, static_cast<unsigned long long>(outcome.updates),
              outcome.updates_per_second * static_cast<double>(plan.watchers) / static_cast<double>(plan.namespaces));
  std::printf("delivered %llu of %llu, the last one %.3f s after the last answer\n",
              static_cast<unsigned long long>(outcome.delivered), static_cast<unsigned long long>(outcome.expected),
              std::chrono::duration<double>(outcome.drain).count());
  std::printf("resident %zu MB before the updates, %zu MB after, history limit 64 MB\n", outcome.memory_before >> 20,
              outcome.memory_after >> 20);
  std::string failure = outcome.failure;
  if (failure.empty() && outcome.delivered != outcome.expected) failure = "deliveries are missing";
  if (failure.empty() && outcome.updates_per_second < 0.99 * static_cast<double>(plan.updates_per_second))
    failure = "fewer updates a second than planned";
  if (failure.empty() && outcome.memory_after > outcome.memory_before + 2 * options.history_bytes)
    failure = "memory outgrew the history limit";
  if (!failure.empty()) std::printf("FAILED: %s\n", failure.c_str());
  return failure.empty() ? 0 : 1;
}
