// many create KUBECONFIG COUNT: as many definitions of custom resources.
// many informers KUBECONFIG COUNT SECONDS: an informer of each of them, which then have nothing to do for so long.
// many handlers KUBECONFIG COUNT SECONDS: as many handlers on one informer; for so long nothing changes.
// The last two print as JSON how many threads there are, how much is resident, and which share of a core was used
// meanwhile.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "corpus/process_cost.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/meta/json.hpp"

namespace {

using namespace kubexx;

const meta::GroupVersionResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
constexpr const char* kGroup = "many.example.com";

int complain(const Error& error) {
  std::cerr << "many: " << error << '\n';
  return 1;
}

std::string plural(std::size_t i) {
  return "things" + std::to_string(i);
}

std::string definition(std::size_t i) {
  const std::string kind = "Thing" + std::to_string(i);
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":")" +
         plural(i) + "." + kGroup + R"("},"spec":{"group":")" + kGroup + R"(","scope":"Namespaced","names":{"kind":")" +
         kind + R"(","plural":")" + plural(i) + R"("},"versions":[{"name":"v1","served":true,"storage":true,)" +
         R"("schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";
}

int create(const rest::Client& client, std::size_t count) {
  const client::ResourceApi definitions(client, kDefinitions);
  for (std::size_t i = 0; i < count; ++i) {
    auto made = definitions.create(meta::parse_json(definition(i)).value());
    if (!made && !made.error().is_already_exists()) return complain(made.error());
  }
  return 0;
}

/// Nothing happens for a while; then what there is, and what that while cost.
void print_idle(std::chrono::seconds idle) {
  const auto before = bench::ProcessCost::so_far();
  std::this_thread::sleep_for(idle);
  const auto cost = bench::ProcessCost::so_far() - before;
  std::cout << "{\"threads\": " << bench::of_this_process("Threads")
            << ", \"rssMegabytes\": " << static_cast<double>(bench::of_this_process("VmRSS")) / 1024
            << ", \"corePercent\": " << 100 * cost.cpu() / static_cast<double>(idle.count()) << "}\n";
}

int informers(const rest::Client& client, std::size_t count, std::chrono::seconds idle) {
  informer::DynamicSharedInformerFactory factory(client);
  for (std::size_t i = 0; i < count; ++i) {
    const auto made = factory.for_resource({kGroup, "v1", plural(i)});
    if (!made) return complain(made.error());
  }
  factory.start();
  const auto synced = factory.wait_for_cache_sync({}, {.fail_fast = true, .timeout = std::chrono::minutes(2)});
  if (!synced) return complain(*synced.as_error());
  print_idle(idle);
  return 0;
}

int handlers(const rest::Client& client, std::size_t count, std::chrono::seconds idle) {
  informer::SharedInformerFactory factory(client);
  const auto informer = factory.core().v1().config_maps().informer();
  std::vector<informer::Registration> registrations;
  for (std::size_t i = 0; i < count; ++i)
    registrations.push_back(informer.add_event_handler({.on_add = [](const auto&) {}}));
  factory.start();
  for (const auto& each : registrations) {
    if (!each.wait_until_synced()) return 1;
  }
  print_idle(idle);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::cerr << "usage: many create|informers|handlers KUBECONFIG COUNT [SECONDS]\n", 2;
  rest::LoadOptions load;
  load.kubeconfig = argv[2];
  const auto config = rest::Config::load(load);
  if (!config) return complain(config.error());
  const auto client = rest::Client::create(*config);
  if (!client) return complain(client.error());
  const std::string what = argv[1];
  const std::size_t count = std::strtoul(argv[3], nullptr, 10);
  const std::chrono::seconds idle(argc > 4 ? std::strtol(argv[4], nullptr, 10) : 10);
  if (what == "create") return create(*client, count);
  return what == "informers" ? informers(*client, count, idle) : handlers(*client, count, idle);
}
