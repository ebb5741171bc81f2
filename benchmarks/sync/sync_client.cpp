// sync_client KUBECONFIG typed|dynamic|metadata list|watchlist: one shared informer of all pods without handlers, from
// its start until it is synced. Prints objects, seconds, CPU seconds, resident MB and the most that was resident, with
// tabs between.
//
// sync_client KUBECONFIG latency UPDATES: updates of one ConfigMap, from before the call to the handler. Prints the
// median and the 99th percentile in milliseconds.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>

#include "kubexx/client/resource_api.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/meta/json.hpp"

namespace {

using namespace kubexx;
using informer::FactoryOptions;
using informer::SharedInformerFactory;

const meta::GroupVersionResource kPods{"", "v1", "pods"};
const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// A line of /proc/self/status, in MB.
double memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::strtod(line.c_str() + name.size() + 1, nullptr) / 1024;
  }
  return 0;
}

int complain(const Error& error) {
  std::cerr << "sync_client: " << error << '\n';
  return 1;
}

int sync(const rest::Client& client, const std::string& kind, bool watch_list) {
  FactoryOptions options;
  options.defaults.watch_list = watch_list;
  options.defaults.scope.metadata_only = kind == "metadata";
  const auto start = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  const std::unique_ptr<SharedInformerFactory> factory =
      kind == "dynamic" ? std::make_unique<informer::DynamicSharedInformerFactory>(client, options)
                        : std::make_unique<SharedInformerFactory>(client, options);
  const auto pods = factory->for_resource(kPods);
  if (!pods) return complain(pods.error());
  factory->start();
  const auto synced = factory->wait_for_cache_sync();
  if (!synced) return complain(*synced.stopped_by);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cout << pods->lister().list().size() << '\t' << seconds << '\t' << cpu_seconds() - cpu << '\t' << memory("VmRSS")
            << '\t' << memory("VmHWM") << '\n';
  return 0;
}

/// Lets one thread wait for the version that another has seen.
class Seen {
 public:
  void set(std::string_view version) {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    version_ = version;
    at_ = now;
    changed_.notify_all();
  }
  std::chrono::steady_clock::time_point wait_for(std::string_view version) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return version_ == version; });
    return at_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string version_;
  std::chrono::steady_clock::time_point at_;
};

int latency(const rest::Client& client, std::size_t updates) {
  const client::ResourceApi config_maps(client, kConfigMaps, "default");
  auto object = config_maps.create(
      *meta::parse_json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"clock"},"data":{"n":"0"}})"));
  if (!object) return complain(object.error());
  Seen seen;
  SharedInformerFactory factory(client);
  const auto informer = factory.core().v1().config_maps().informer();
  const auto registration = informer.add_event_handler({
      .on_update = [&](const auto&, const auto& now) { seen.set(now.resource_version()); },
  });
  factory.start();
  if (!registration.wait_until_synced()) return 1;
  std::vector<double> milliseconds;
  for (std::size_t i = 0; i < updates; ++i) {
    auto draft = object->edit();
    draft["data"]["n"].set(std::to_string(i + 1));  // an update of nothing is no event
    const auto start = std::chrono::steady_clock::now();
    object = config_maps.update(draft.to_object());
    if (!object) return complain(object.error());
    const auto arrived = seen.wait_for(object->resource_version());
    milliseconds.push_back(std::chrono::duration<double, std::milli>(arrived - start).count());
  }
  if (const auto gone = config_maps.remove("clock"); !gone) return complain(gone.error());
  std::sort(milliseconds.begin(), milliseconds.end());
  std::cout << milliseconds[updates / 2] << '\t' << milliseconds[updates * 99 / 100] << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::cerr << "usage: sync_client KUBECONFIG KIND list|watchlist | latency UPDATES\n", 2;
  rest::LoadOptions load;
  load.kubeconfig = argv[1];
  const auto config = rest::Config::load(load);
  if (!config) return complain(config.error());
  const auto client = rest::Client::create(*config).value();
  const std::string what = argv[2];
  if (what == "latency") return latency(client, std::max(1UL, std::strtoul(argv[3], nullptr, 10)));
  return sync(client, what, std::string(argv[3]) == "watchlist");
}
