// Look-ups among the 200 pods of a node, by one thread and by two. client-go has nothing to compare with.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "kubexx/agent/node_pods.hpp"
#include "kubexx/testkit/client.hpp"
#include "unit/agent/node_objects.hpp"

namespace {

using kubexx::agent::Attribution;
using kubexx::agent::NodePods;

constexpr int kPods = 200;

struct Node {
  Node() {
    for (int i = 0; i < kPods; ++i) {
      const auto number = std::to_string(i);
      const auto pod = kubexx::agent::pod_of(
          {.name = "web-1-" + number, .number = i, .address = "10.0.0." + number, .controller = "ReplicaSet/web-1"});
      server.seed(pod.to_object()).value();
      uids.push_back(kubexx::agent::uid_of(i));
      ids.push_back("containerd://" + kubexx::agent::id_of(i));
      addresses.push_back("10.0.0." + number);
      auto escaped = uids.back();
      for (char& c : escaped) c = c == '-' ? '_' : c;
      paths.push_back("0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + escaped +
                      ".slice/cri-containerd-" + kubexx::agent::id_of(i) + ".scope");
    }
    pods->start();
    pods->wait_until_synced().value();
  }
  static kubexx::apiserver::Options without_collection() {
    kubexx::apiserver::Options options;
    options.garbage_collection = false;  // their ReplicaSet is not there
    return options;
  }
  kubexx::apiserver::Server server{without_collection()};
  std::vector<std::string> uids;
  std::vector<std::string> ids;
  std::vector<std::string> addresses;
  std::vector<std::string> paths;
  std::unique_ptr<NodePods> pods =
      std::move(NodePods::create(kubexx::testkit::client(server), {.node_name = "here"}).value());
};

const Node& node() {
  static const Node all;
  return all;
}

void look_up(benchmark::State& state, const std::vector<std::string>& keys,
             Attribution (NodePods::*find)(std::string_view) const noexcept) {
  const NodePods& pods = *node().pods;
  std::size_t at = static_cast<std::size_t>(state.thread_index()) * 7;
  std::size_t found = 0;
  for (auto _ : state) {
    found += (pods.*find)(keys[at]) ? 1 : 0;
    at = at + 1 == keys.size() ? 0 : at + 1;
  }
  if (found != static_cast<std::size_t>(state.iterations())) state.SkipWithError("a pod was not found");
}

void by_uid(benchmark::State& state) {
  look_up(state, node().uids, &NodePods::find_by_uid);
}
void by_container_id(benchmark::State& state) {
  look_up(state, node().ids, &NodePods::find_by_container_id);
}
void by_cgroup(benchmark::State& state) {
  look_up(state, node().paths, &NodePods::find_by_cgroup);
}
void by_ip(benchmark::State& state) {
  look_up(state, node().addresses, &NodePods::find_by_ip);
}

BENCHMARK(by_uid)->Name("agent_find_by_uid")->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(by_container_id)->Name("agent_find_by_container_id")->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(by_cgroup)->Name("agent_find_by_cgroup")->ThreadRange(1, 2)->UseRealTime();
BENCHMARK(by_ip)->Name("agent_find_by_ip")->ThreadRange(1, 2)->UseRealTime();

}  // namespace
