// trickle create KUBECONFIG: the few small ConfigMaps of which the others speak.
// trickle write KUBECONFIG CHANGES A_SECOND: updates of them, one after the other at an even pace.
// trickle read KUBECONFIG CHANGES [--own-loop]: an informer of them whose handler prints a line for each change. Says
// `ready` on standard error when it is synced, and in the end as JSON what the changes cost.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "corpus/process_cost.hpp"
#include "kubexx/base/loop_executor.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/meta/json.hpp"

namespace {

using namespace kubexx;

constexpr std::size_t kObjects = 20;
const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

int complain(const Error& error) {
  std::cerr << "trickle: " << error << '\n';
  return 1;
}

std::string name_of(std::size_t i) {
  return "drop-" + std::to_string(i);
}

int write(const rest::Client& client, std::size_t changes, double a_second) {
  const client::ResourceApi config_maps(client, kConfigMaps, "default");
  std::vector<meta::Object> objects;
  for (std::size_t i = 0; i < kObjects; ++i) {
    auto made = config_maps.get(name_of(i));
    if (!made) return complain(made.error());
    objects.push_back(std::move(*made));
  }
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < changes; ++i) {
    std::this_thread::sleep_until(start + std::chrono::duration<double>(static_cast<double>(i) / a_second));
    auto& object = objects[i % kObjects];
    auto draft = object.edit();
    draft["data"]["n"].set(std::to_string(i + 1));
    auto changed = config_maps.update(draft.to_object());
    if (!changed) return complain(changed.error());
    object = std::move(*changed);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << static_cast<double>(changes) / took.count() << '\n';
  return 0;
}

int create(const rest::Client& client) {
  const client::ResourceApi config_maps(client, kConfigMaps, "default");
  for (std::size_t i = 0; i < kObjects; ++i) {
    auto made = config_maps.create(*meta::parse_json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" +
                                                     name_of(i) + R"("},"data":{"n":"0"}})"));
    if (!made && !made.error().is_already_exists()) return complain(made.error());
  }
  return 0;
}

int read(const rest::Client& client, LoopExecutor* loop, std::size_t changes) {
  std::atomic<std::size_t> seen{0};
  informer::SharedInformerFactory factory(client);
  const auto informer = factory.core().v1().config_maps().informer();
  const auto registration = informer.add_event_handler({
      .on_update =
          [&](const auto&, const auto& now) {
            std::cout << now.name() << ' ' << now.resource_version() << std::endl;  // a line at a time, as it comes
            seen.fetch_add(1);
          },
  });
  factory.start();
  if (!registration.wait_until_synced()) return 1;
  std::cerr << "ready\n";
  const auto before = bench::ProcessCost::so_far();
  if (loop != nullptr) {
    loop->run_until([&] { return seen >= changes; });
  } else {
    while (seen < changes) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  const auto cost = bench::ProcessCost::so_far() - before;
  const auto each = [&](double total) { return total / static_cast<double>(changes); };
  std::cerr << "{\"userMicroseconds\": " << each(cost.user * 1e6)
            << ", \"systemMicroseconds\": " << each(cost.system * 1e6)
            << ", \"voluntarySwitches\": " << each(static_cast<double>(cost.voluntary_switches))
            << ", \"involuntarySwitches\": " << each(static_cast<double>(cost.involuntary_switches)) << "}\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2) return std::cerr << "usage: trickle create|write|read KUBECONFIG …\n", 2;
  rest::LoadOptions load;
  load.kubeconfig = argv[2];
  const auto config = rest::Config::load(load);
  if (!config) return complain(config.error());
  rest::ClientOptions options;
  std::shared_ptr<LoopExecutor> loop;
  if (arguments.back() == "--own-loop") options.executor = loop = std::make_shared<LoopExecutor>();
  const rest::Client client = rest::Client::create(*config, std::move(options)).value();
  if (arguments[0] == "create") return create(client);
  const std::size_t changes = arguments.size() > 2 ? std::strtoul(argv[3], nullptr, 10) : 0;
  if (arguments[0] == "write" && arguments.size() == 4) return write(client, changes, std::atof(argv[4]));
  return read(client, loop.get(), changes);
}
