#include "apiserver/schema/resource.hpp"

#include <algorithm>

#include "kubexx/codec/resources.hpp"

namespace kubexx::apiserver {
namespace {

// Kinds whose objects carry a generation (the twins of a 1.36 server show which).
constexpr std::string_view kGenerations[] = {"pods",
                                             "replicationcontrollers",
                                             "deployments",
                                             "replicasets",
                                             "statefulsets",
                                             "daemonsets",
                                             "jobs",
                                             "cronjobs",
                                             "ingresses",
                                             "networkpolicies",
                                             "poddisruptionbudgets",
                                             "endpointslices",
                                             "priorityclasses",
                                             "validatingwebhookconfigurations",
                                             "mutatingwebhookconfigurations",
                                             "validatingadmissionpolicies",
                                             "validatingadmissionpolicybindings",
                                             "mutatingadmissionpolicies",
                                             "mutatingadmissionpolicybindings",
                                             "flowschemas",
                                             "prioritylevelconfigurations",
                                             "customresourcedefinitions",
                                             "deviceclasses",
                                             "resourceslices"};

// Groups in the order in which a 1.36 server lists them; others follow by name.
constexpr std::string_view kGroupOrder[] = {"apiregistration.k8s.io",
                                            "apps",
                                            "events.k8s.io",
                                            "authentication.k8s.io",
                                            "authorization.k8s.io",
                                            "autoscaling",
                                            "batch",
                                            "certificates.k8s.io",
                                            "networking.k8s.io",
                                            "policy",
                                            "rbac.authorization.k8s.io",
                                            "storage.k8s.io",
                                            "admissionregistration.k8s.io",
                                            "apiextensions.k8s.io",
                                            "scheduling.k8s.io",
                                            "coordination.k8s.io",
                                            "node.k8s.io",
                                            "discovery.k8s.io",
                                            "resource.k8s.io",
                                            "flowcontrol.apiserver.k8s.io"};

// Versions a default server does not switch on.
bool on_by_default(const codec::BuiltinResource& facts) {
  const std::string_view version = facts.info.version;
  return facts.served && version.find("alpha") == std::string_view::npos &&
         version.find("beta") == std::string_view::npos;
}

// GA over beta over alpha, then the higher number: how the API ranks versions.
struct Rank {
  int stage = 0;
  int major = 0;
  int minor = 0;
};
Rank rank(std::string_view version) {
  Rank out;
  std::size_t i = 1;
  while (i < version.size() && version[i] >= '0' && version[i] <= '9')
    out.major = out.major * 10 + (version[i++] - '0');
  if (version.substr(i).starts_with("alpha")) {
    out.stage = 2;
    i += 5;
  } else if (version.substr(i).starts_with("beta")) {
    out.stage = 1;
    i += 4;
  } else if (i != version.size() || i == 1 || version[0] != 'v') {
    out.stage = 3;
  }
  while (i < version.size() && version[i] >= '0' && version[i] <= '9')
    out.minor = out.minor * 10 + (version[i++] - '0');
  return out;
}
bool preferred(const std::string& a, const std::string& b) {
  const Rank x = rank(a);
  const Rank y = rank(b);
  if (x.stage != y.stage) return x.stage < y.stage;
  if (x.stage == 3) return a < b;
  if (x.major != y.major) return x.major > y.major;
  return x.minor > y.minor;
}

std::vector<std::string> copy(const std::vector<std::string_view>& from) {
  return {from.begin(), from.end()};
}

std::string path_key(std::string_view group, std::string_view version, std::string_view resource) {
  std::string key;
  key.append(group).append(1, '/').append(version).append(1, '/').append(resource);
  return key;
}

}  // namespace

bool Resource::allows(std::string_view verb) const noexcept {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

const Subresource* Resource::subresource(std::string_view wanted) const noexcept {
  for (const Subresource& sub : subresources) {
    if (sub.name == wanted) return &sub;
  }
  return nullptr;
}

ResourceTable::ResourceTable(Storage& storage, bool all_versions) {
  std::map<meta::GroupVersionKind, const codec::TypeInfo*> types;
  for (const auto& [name, gvk] : codec::kinds_by_type()) {
    if (const codec::TypeInfo* type = codec::find_type(name); !type->legacy) types[gvk] = type;
  }
  for (const codec::BuiltinResource& facts : codec::builtin_resources()) {
    if (!all_versions && !on_by_default(facts)) continue;
    const meta::ResourceInfo& info = facts.info;
    auto resource = std::make_shared<Resource>();
    resource->group = info.group;
    resource->version = info.version;
    resource->kind = info.kind;
    resource->list_kind = std::string(info.kind) + "List";
    resource->resource = info.resource;
    resource->singular = info.singular;
    resource->namespaced = info.namespaced;
    resource->verbs = copy(facts.verbs);
    resource->short_names = copy(facts.short_names);
    resource->categories = copy(facts.categories);
    for (const codec::BuiltinSubresource& sub : facts.subresources) {
      resource->subresources.push_back({std::string(sub.name), std::string(sub.group), std::string(sub.version),
                                        std::string(sub.kind), copy(sub.verbs)});
    }
    if (const auto type = types.find(info.gvk()); type != types.end()) resource->type = type->second;
    resource->has_status = resource->subresource("status") != nullptr;
    resource->has_generation =
        std::find(std::begin(kGenerations), std::end(kGenerations), info.resource) != std::end(kGenerations);
    // The two event APIs show the same objects; so do the old extensions group and its successors.
    std::string_view home = info.group;
    if (info.resource == "events") home = "";
    if (info.group == "extensions")
      home = info.resource == "ingresses" || info.resource == "networkpolicies" ? "networking.k8s.io" : "apps";
    if (resource->allows("list")) resource->bucket = storage.bucket(home, info.resource);
    add(std::move(resource));
  }
}

void ResourceTable::add(std::shared_ptr<Resource> resource) {
  resource->id = next_id_++;
  by_path_[path_key(resource->group, resource->version, resource->resource)] = resource;
  if (!resource->kind.empty()) by_kind_.emplace(resource->api_version() + '|' + resource->kind, resource);
  resources_.push_back(std::move(resource));
}

void ResourceTable::remove_custom(std::string_view group, std::string_view resource) {
  const auto goes = [&](const std::shared_ptr<const Resource>& candidate) {
    return candidate->custom && candidate->group == group && candidate->resource == resource;
  };
  std::erase_if(by_path_, [&](const auto& entry) { return goes(entry.second); });
  std::erase_if(by_kind_, [&](const auto& entry) { return goes(entry.second); });
  std::erase_if(resources_, goes);
}

std::shared_ptr<const Resource> ResourceTable::find(std::string_view group, std::string_view version,
                                                    std::string_view resource) const {
  const auto it = by_path_.find(path_key(group, version, resource));
  return it == by_path_.end() ? nullptr : it->second;
}

std::shared_ptr<const Resource> ResourceTable::find_kind(std::string_view api_version, std::string_view kind) const {
  const auto it = by_kind_.find(std::string(api_version) + '|' + std::string(kind));
  return it == by_kind_.end() ? nullptr : it->second;
}

std::shared_ptr<const Resource> ResourceTable::of_bucket(const Bucket& bucket) const {
  std::shared_ptr<const Resource> found;
  for (const auto& resource : resources_) {
    if (resource->bucket.get() != &bucket) continue;
    if (!found || resource->group == bucket.group) found = resource;
    if (resource->group == bucket.group && resource->version.find("alpha") == std::string::npos &&
        resource->version.find("beta") == std::string::npos)
      return resource;
  }
  return found;
}

bool ResourceTable::has_group_version(std::string_view group, std::string_view version) const {
  const std::string prefix = path_key(group, version, "");
  const auto it = by_path_.lower_bound(prefix);
  return it != by_path_.end() && it->first.starts_with(prefix);
}

std::vector<ResourceTable::Group> ResourceTable::groups() const {
  std::vector<Group> out;
  for (const auto& resource : resources_) {
    if (resource->group.empty()) continue;
    auto it = std::find_if(out.begin(), out.end(), [&](const Group& group) { return group.name == resource->group; });
    if (it == out.end()) it = out.insert(out.end(), Group{resource->group, {}});
    if (std::find(it->versions.begin(), it->versions.end(), resource->version) == it->versions.end())
      it->versions.push_back(resource->version);
  }
  const auto position = [](const std::string& name) {
    return std::find(std::begin(kGroupOrder), std::end(kGroupOrder), name) - std::begin(kGroupOrder);
  };
  std::stable_sort(out.begin(), out.end(), [&](const Group& a, const Group& b) {
    return position(a.name) != position(b.name) ? position(a.name) < position(b.name) : a.name < b.name;
  });
  for (Group& group : out) std::stable_sort(group.versions.begin(), group.versions.end(), preferred);
  return out;
}

std::vector<std::shared_ptr<const Resource>> ResourceTable::of(std::string_view group, std::string_view version) const {
  std::vector<std::shared_ptr<const Resource>> out;
  for (const auto& resource : resources_) {
    if (resource->group == group && resource->version == version) out.push_back(resource);
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a->resource < b->resource; });
  return out;
}

}  // namespace kubexx::apiserver
