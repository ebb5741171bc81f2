// update_latency KUBECONFIG UPDATES: updates of one ConfigMap, from before the call to the handler. Prints the median
// and the 99th percentile in milliseconds.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>

#include "kubexx/client/resource_api.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/meta/json.hpp"

namespace {

using namespace kubexx;
using informer::SharedInformerFactory;

const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

int complain(const Error& error) {
  std::cerr << "update_latency: " << error << '\n';
  return 1;
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
  if (argc != 3) return std::cerr << "usage: update_latency KUBECONFIG UPDATES\n", 2;
  rest::LoadOptions load;
  load.kubeconfig = argv[1];
  const auto config = rest::Config::load(load);
  if (!config) return complain(config.error());
  return latency(rest::Client::create(*config).value(), std::max(1UL, std::strtoul(argv[2], nullptr, 10)));
}
