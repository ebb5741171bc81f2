#include "soak/workload.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "kubexx/meta/conditions.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::soak {
namespace {

/// More than a handler or a file may be behind.
constexpr std::size_t kStatesKept = 500;
constexpr std::string_view kNumber = "soak.example/write";

constexpr std::string_view kDefinition =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
    R"("metadata":{"name":"gadgets.soak.example"},"spec":{"group":"soak.example","scope":"Namespaced",)"
    R"("names":{"kind":"Gadget","plural":"gadgets"},"versions":[{"name":"v1","served":true,"storage":true,)"
    R"("schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";

struct Kind {
  const meta::GroupVersionResource& resource;
  const char* kind;
  const char* prefix;
  std::size_t namespaces;  ///< of kNamespaces; 0: it is cluster-wide
  std::size_t names;       ///< in each
};
const Kind kKinds[] = {
    {kConfigMaps, "ConfigMap", "c-", 3, 15},
    {kPods, "Pod", "p-", 1, 20},
    {kNodes, "Node", "n-", 0, 10},
    {kGadgets, "Gadget", "g-", 2, 8},
};
constexpr std::size_t kShares[] = {0, 0, 0, 1, 1, 2, 3};  // of the kinds in what is written

void fill(const meta::Draft& draft, const meta::GroupVersionResource& resource, Random& random) {
  if (resource == kConfigMaps) {
    draft["data"]["v"].set(std::string(random.below(300), 'x'));
  } else if (resource == kPods) {
    draft["spec"]["nodeName"].set(kPodNodes[random.below(std::size(kPodNodes))]);
    const auto container = draft["spec"]["containers"].append();
    container["name"].set("main");
    container["image"].set("registry.example/app:" + std::to_string(random.below(5)));
  } else if (resource == kGadgets) {
    draft["spec"]["size"].set(static_cast<std::int64_t>(random.below(1000)));
  }
}

}  // namespace

std::string journal_key(const meta::GroupVersionResource& resource, const std::string& key) {
  return resource.resource + " " + key;
}

Workload::Workload(apiserver::Core& core, Journal& journal, std::uint64_t seed)
    : core_(core), journal_(journal), random_(seed) {
  core_.seed_json(kDefinition).value();
  // Its kind is served a moment later.
  if (!testkit::eventually([this] {
        const auto now =
            core_.get({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, {"", "gadgets.soak.example"});
        return now && meta::is_condition_true(*now, "Established");
      }))
    throw std::runtime_error("Gadgets are not served");
  for (int i = 0; i < 60; ++i) step();
}

bool Workload::owns(const meta::GroupVersionResource& resource) {
  return std::ranges::any_of(kKinds, [&](const Kind& kind) { return kind.resource == resource; });
}

void Workload::step() {
  const Kind& kind = kKinds[kShares[random_.below(std::size(kShares))]];
  meta::ObjectKey key;
  if (kind.namespaces > 0) key.namespace_ = kNamespaces[random_.below(kind.namespaces)];
  key.name = kind.prefix + std::to_string(random_.below(kind.names));
  if (random_.uniform() >= 0.2) return put(kind.resource, kind.kind, key);
  const std::lock_guard lock(mutex_);
  const auto gone = core_.remove(kind.resource, key);
  if (!gone) return;  // it was not there
  ++writes_;
  journal_.event(journal_key(kind.resource, key.to_string()),
                 "deleted on the server, was @" + std::string(gone->resource_version()));
}

void Workload::put(const meta::GroupVersionResource& resource, const char* kind, const meta::ObjectKey& key) {
  const meta::Draft draft;
  draft["apiVersion"].set(resource.group.empty() ? resource.version : resource.group + "/" + resource.version);
  draft["kind"].set(kind);
  draft["metadata"]["name"].set(key.name);
  if (!key.namespace_.empty()) draft["metadata"]["namespace"].set(key.namespace_);
  draft["metadata"]["labels"]["tier"].set(random_.below(2) == 0 ? "front" : "back");
  fill(draft, resource, random_);
  const std::lock_guard lock(mutex_);
  const auto number = std::to_string(++writes_);
  draft["metadata"]["annotations"][kNumber].set(number);
  const auto made = core_.seed(draft.to_object()).value();
  const auto name = journal_key(resource, key.to_string());
  auto& states = states_[name];
  if (states.size() == kStatesKept) states.pop_front();
  states.push_back({std::string(made.resource_version()), number});
  journal_.event(name, "written on the server @" + states.back().version);
}

std::uint64_t Workload::writes() const {
  const std::lock_guard lock(mutex_);
  return writes_;
}

std::optional<std::string> Workload::unheard_of(const std::string& key, const meta::Object& object) const {
  const std::lock_guard lock(mutex_);
  const auto known = states_.find(key);
  if (known != states_.end()) {
    const auto& states = known->second;
    const auto state = std::find_if(states.rbegin(), states.rend(),
                                    [&](const State& each) { return each.version == object.resource_version(); });
    if (state != states.rend()) {
      const auto number = object.annotations()[kNumber].string();
      if (number == state->write) return std::nullopt;
      return "@" + state->version + " is write " + state->write + ", and not " + std::string(number);
    }
  }
  return "@" + std::string(object.resource_version()) + " was never written";
}

}  // namespace kubexx::soak
