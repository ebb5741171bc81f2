#include "demo_informers.hpp"

#include <string>

#include "targets.hpp"

namespace kubexx::app {

Result<std::vector<DemoInformer>> make_demo_informers(informer::DynamicSharedInformerFactory& factory) {
  client::ResourceMapper mapper(factory.client());
  std::vector<DemoInformer> made;
  for (const std::string name : {"pods", "nodes", "deployments.apps", "foos.samplecontroller.k8s.io"}) {
    auto found = resolve_resource(mapper, name);
    if (!found && name.starts_with("foos")) continue;  // a cluster may well have none
    if (!found) return found.error();
    auto informer = factory.for_resource(found->resource, {.cluster_wide = !found->namespaced});
    if (!informer) return informer.error();
    made.push_back({*found, informer->shared()});
  }
  return made;
}

}  // namespace kubexx::app
