#pragma once

#include <memory>
#include <vector>

#include "kubexx/client/discovery.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"

namespace kubexx::app {

struct DemoInformer {
  client::ApiResource resource;
  std::shared_ptr<informer::SharedIndexInformer> informer;
};

/// Those of pods, nodes, deployments and, where the cluster has them, Foos; in this order, not started.
Result<std::vector<DemoInformer>> make_demo_informers(informer::DynamicSharedInformerFactory& factory);

}  // namespace kubexx::app
