// dynamic_watch [--namespace NAMESPACE] RESOURCE...: prints changes of any resources, until SIGINT or SIGTERM.
#include <iostream>
#include <mutex>
#include <string>
#include <vector>

#include "kubexx/base/stop.hpp"
#include "kubexx/client/resource_mapper.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"

using namespace kubexx;

namespace {

/// Handlers of different resources print at the same time.
void print(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << line << std::endl;
}

informer::ResourceEventHandlerFuncs<> printer(const std::string& resource) {
  informer::ResourceEventHandlerFuncs<> functions;
  functions.on_add = [resource](const meta::Object& object, bool initial) {
    print("+ " + resource + ' ' + object.key() + (initial ? " (was there)" : ""));
  };
  functions.on_update = [resource](const meta::Object& object, const informer::EventContext& context) {
    std::string line = "~ " + resource + ' ' + object.key();
    for (const auto& path : context.changed_paths(8)) {
      if (path != "/metadata/resourceVersion") line += ' ' + path;
    }
    print(line);
  };
  functions.on_delete = [resource](const informer::Deleted<meta::Object>& gone) {
    print("- " + resource + ' ' + gone.key());
  };
  return functions;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  std::string in_namespace;
  if (names.size() > 2 && names.front() == "--namespace") {
    in_namespace = names[1];
    names.erase(names.begin(), names.begin() + 2);
  }
  if (names.empty() || names.front().starts_with('-')) {
    return std::cerr << "usage: dynamic_watch [--namespace NAMESPACE] RESOURCE...\n", 2;
  }
  const auto stop = stop_on_signals();
  const auto client = rest::Client::load();
  if (!client) return std::cerr << client.error() << '\n', 1;

  client::ResourceMapper mapper(*client);
  informer::DynamicSharedInformerFactory factory(*client);
  std::vector<informer::Registration> registrations;
  for (const auto& name : names) {
    const auto found = mapper.get(name, {.stop = stop});
    if (stop.stop_requested()) return 0;
    if (!found) return std::cerr << found.error() << '\n', 1;
    informer::Scope scope{.cluster_wide = !found->namespaced};
    if (found->namespaced && !in_namespace.empty()) scope.namespaces = {in_namespace};
    const auto informer = factory.for_resource(found->resource, scope);
    if (!informer) return std::cerr << informer.error() << '\n', 1;
    registrations.push_back(informer->add_event_handler(printer(found->resource.resource)));
  }
  factory.start(stop);
  const auto synced = factory.wait_for_cache_sync(stop, {.fail_fast = true});
  if (!synced && !stop.stop_requested()) return std::cerr << *synced.as_error() << '\n', 1;
  wait_for_stop(stop);
}
