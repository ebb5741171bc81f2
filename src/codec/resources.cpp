#include "kubexx/codec/resources.hpp"

#include <map>

#include "codec/internal/schema.hpp"

namespace kubexx::codec {
namespace {

struct Table {
  std::vector<BuiltinResource> resources;
  std::map<meta::GroupVersionResource, const BuiltinResource*> by_resource;
  std::map<meta::GroupVersionKind, const BuiltinResource*> by_kind;
};

Table* make_table() {
  auto* table = new Table;  // for the process: handed out by reference
  for (const auto entry : schema()["resources"].items()) {
    BuiltinResource resource;
    resource.info.group = entry["group"].string();
    resource.info.version = entry["version"].string();
    resource.info.kind = entry["kind"].string();
    resource.info.resource = entry["resource"].string();
    resource.info.singular = entry["singular"].string();
    resource.info.namespaced = entry["namespaced"].bool_or(false);
    resource.info.protobuf = true;
    resource.served = entry["served"].bool_or(true);
    resource.informer = entry["informer"].bool_or(false);
    resource.short_names = texts_of(entry["shortNames"]);
    resource.categories = texts_of(entry["categories"]);
    resource.verbs = texts_of(entry["verbs"]);
    for (const auto& [name, sub] : entry["subresources"].entries()) {
      resource.subresources.push_back(
          {name, sub["group"].string(), sub["version"].string(), sub["kind"].string(), texts_of(sub["verbs"])});
    }
    table->resources.push_back(std::move(resource));
  }
  for (const auto& resource : table->resources) {
    table->by_resource.emplace(resource.info.gvr(), &resource);
    if (resource.verbs.size() > 1 || !table->by_kind.contains(resource.info.gvk())) {
      table->by_kind[resource.info.gvk()] = &resource;
    }
  }
  return table;
}

const Table& table() {
  static const Table* const kTable = make_table();
  return *kTable;
}

}  // namespace

std::span<const BuiltinResource> builtin_resources() {
  return table().resources;
}

const BuiltinResource* find_builtin(const meta::GroupVersionResource& resource) {
  const auto found = table().by_resource.find(resource);
  return found == table().by_resource.end() ? nullptr : found->second;
}

const BuiltinResource* find_builtin(const meta::GroupVersionKind& kind) {
  const auto found = table().by_kind.find(kind);
  return found == table().by_kind.end() ? nullptr : found->second;
}

const meta::ResourceInfo* find_resource(const meta::GroupVersionResource& resource) {
  const auto* found = find_builtin(resource);
  return found && found->informer ? &found->info : nullptr;
}

}  // namespace kubexx::codec
