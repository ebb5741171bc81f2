#include "soak/plans.hpp"

#include <algorithm>

#include "kubexx/api/core/v1/views.hpp"
#include "sample/resources.hpp"

namespace kubexx::soak {
namespace {

using api::core::v1::ConfigMap;
using api::core::v1::Pod;
using informer::DynamicSharedInformerFactory;
using informer::Scope;
using std::chrono::milliseconds;
using std::chrono::seconds;

template <class T>
InformerPlan typed_plan(std::string label, Scope scope, std::function<bool(const meta::Object&)> wanted) {
  InformerPlan plan;
  plan.label = std::move(label);
  plan.make = [scope = std::move(scope)](DynamicSharedInformerFactory& factory) {
    return factory.informer_for<T>(scope).shared();
  };
  plan.wanted = std::move(wanted);
  return plan;
}

InformerPlan dynamic_plan(std::string label, const meta::GroupVersionResource& resource, Scope scope,
                          std::function<bool(const meta::Object&)> wanted = {}) {
  InformerPlan plan;
  plan.label = std::move(label);
  plan.make = [resource, scope = std::move(scope)](DynamicSharedInformerFactory& factory) {
    return factory.for_resource(resource, scope).value().shared();
  };
  plan.wanted = std::move(wanted);
  return plan;
}

/// One whose namespaces change: it begins with those it had last.
InformerPlan moving_plan() {
  InformerPlan plan;
  plan.label = "configmaps of some namespaces";
  plan.namespaces = std::make_shared<std::vector<std::string>>(1, kNamespaces[1]);
  plan.make = [namespaces = plan.namespaces](DynamicSharedInformerFactory& factory) {
    return factory.for_resource(kConfigMaps, {.namespaces = *namespaces}).value().shared();
  };
  plan.wanted = [namespaces = plan.namespaces](const meta::Object& object) {
    return std::ranges::find(*namespaces, object.namespace_()) != namespaces->end();
  };
  return plan;
}

informer::FactoryOptions quick_options(const std::string& name) {
  informer::FactoryOptions options;
  options.name = name;
  options.defaults.backoff = Backoff{.initial = milliseconds(20), .cap = milliseconds(500)};
  options.defaults.mutation_detector = true;
  return options;
}

}  // namespace

std::vector<InformerPlan> steady_plans() {
  Scope front;
  front.label_selector = meta::LabelSelector::equals("tier", "front");
  Scope first_node;
  first_node.field_selector = meta::FieldSelector::equals("spec.nodeName", kPodNodes[0]);
  Scope nodes;
  nodes.cluster_wide = true;
  return {
      typed_plan<ConfigMap>("configmaps", {}, {}),
      typed_plan<ConfigMap>(
          "configmaps tier=front", front,
          [selector = *front.label_selector](const auto& object) { return selector.matches(object); }),
      typed_plan<Pod>("pods of a node", first_node,
                      [](const auto& object) { return object.at("/spec/nodeName").string() == kPodNodes[0]; }),
      moving_plan(),
      dynamic_plan("nodes", kNodes, nodes),
  };
}

std::vector<InformerPlan> restarted_plans() {
  Scope metadata;
  metadata.metadata_only = true;
  metadata.cluster_wide = true;
  return {
      typed_plan<ConfigMap>("configmaps of default", {.namespaces = {"default"}},
                            [](const auto& object) { return object.namespace_() == "default"; }),
      typed_plan<Pod>("pods", {}, {}),
      dynamic_plan("gadgets", kGadgets, {}),
      dynamic_plan("deployments", test::kDeployments, {}),
      dynamic_plan("metadata of nodes", kNodes, metadata),
  };
}

informer::FactoryOptions steady_options() {
  return quick_options("steady");
}

informer::FactoryOptions restarted_options(const std::string& cache_directory) {
  auto options = quick_options("restarted");
  options.cache_directory = cache_directory;
  options.defaults.cache_interval = seconds(1);
  options.defaults.queue = informer::QueueKind::PerKey;
  options.defaults.watch_list = false;
  options.defaults.page_size = 7;
  return options;
}

}  // namespace kubexx::soak
