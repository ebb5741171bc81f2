#include "apiserver/verbs/managed_fields.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "apiserver/schema/crd.hpp"
#include "apiserver/schema/typed.hpp"

namespace kubexx::apiserver {
namespace {

constexpr std::size_t kMaxUpdaters = 10;
constexpr const char* kOldUpdates = "ancient-changes";

// A real server keeps ten managers that updated; beyond them the oldest of each version become one. Otherwise everybody
// who writes under another name makes every later write dearer.
void merge_old_updates(std::vector<Manager>& managers) {
  std::vector<Manager*> updaters;
  for (Manager& manager : managers) {
    if (manager.operation == "Update") updaters.push_back(&manager);
  }
  if (updaters.size() <= kMaxUpdaters) return;
  std::stable_sort(updaters.begin(), updaters.end(),
                   [](const Manager* a, const Manager* b) { return a->time < b->time; });
  std::size_t left = updaters.size();
  std::map<std::string_view, Manager*> oldest;  // by version
  for (Manager* manager : updaters) {
    if (left <= kMaxUpdaters) break;
    const auto [it, first] = oldest.emplace(manager->api_version, manager);
    if (first) continue;
    Manager& bucket = *it->second;
    bucket.manager = kOldUpdates;
    bucket.subresource.clear();
    bucket.fields.insert(manager->fields);
    bucket.time = manager->time;
    manager->fields = FieldSet();
    --left;
  }
  std::erase_if(managers, [](const Manager& manager) { return manager.fields.empty(); });
}

}  // namespace

std::vector<Manager> managers_of(const meta::Object& object) {
  std::vector<Manager> out;
  for (meta::Value entry : object.metadata_value()["managedFields"].items()) {
    Manager manager;
    manager.manager = entry["manager"].string();
    manager.operation = entry["operation"].string();
    manager.api_version = entry["apiVersion"].string();
    manager.time = entry["time"].string();
    manager.subresource = entry["subresource"].string();
    manager.fields = FieldSet::parse(entry["fieldsV1"]);
    if (!manager.operation.empty()) out.push_back(std::move(manager));
  }
  return out;
}

void write_managers(std::vector<Manager> managers, meta::Draft& draft) {
  std::erase_if(managers, [](const Manager& manager) { return manager.fields.empty(); });
  std::sort(managers.begin(), managers.end(), [](const Manager& a, const Manager& b) {
    return std::tie(a.operation, a.time, a.manager, a.api_version, a.subresource) <
           std::tie(b.operation, b.time, b.manager, b.api_version, b.subresource);
  });
  const meta::DraftRef list = draft["metadata"]["managedFields"];
  list.erase();
  for (const Manager& manager : managers) {
    meta::ObjectBuilder fields;
    manager.fields.write(fields);
    const meta::Object document = fields.finish().value_or(meta::Object());
    const meta::DraftRef entry = draft["metadata"]["managedFields"].append();
    entry["manager"].set(manager.manager);
    entry["operation"].set(manager.operation);
    entry["apiVersion"].set(manager.api_version);
    if (!manager.time.empty()) entry["time"].set(manager.time);
    entry["fieldsType"].set("FieldsV1");
    entry["fieldsV1"].set(document.root());
    if (!manager.subresource.empty()) entry["subresource"].set(manager.subresource);
  }
}

TypeNode type_node(const Resource& resource) {
  if (resource.type) return TypeNode::builtin(*resource.type);
  return TypeNode::openapi(resource.custom ? resource.custom->schema : meta::Value());
}

meta::Object empty_object(const Resource& resource) {
  if (resource.type) {
    auto typed = to_typed(*resource.type, meta::Value());
    if (typed) return typed->object;
  }
  meta::ObjectBuilder out;
  out.begin_map();
  out.end_map();
  return out.finish().value_or(meta::Object());
}

void strip_system_fields(FieldSet& fields) {
  fields.children.erase("f:apiVersion");
  fields.children.erase("f:kind");
  const auto metadata = fields.children.find("f:metadata");
  if (metadata == fields.children.end()) return;
  metadata->second.member = false;
  for (const char* name :
       {"f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid", "f:generation", "f:managedFields",
        "f:resourceVersion", "f:deletionTimestamp", "f:deletionGracePeriodSeconds"})
    metadata->second.children.erase(name);
  if (metadata->second.empty()) fields.children.erase(metadata);
}

void strip_foreign_fields(const Resource& resource, std::string_view subresource, FieldSet& fields) {
  strip_system_fields(fields);
  if (!resource.has_status) return;
  if (subresource.empty()) {
    fields.children.erase("f:status");
  } else if (subresource == "status") {
    std::erase_if(fields.children, [](const auto& entry) { return entry.first != "f:status"; });
  }
}

std::vector<Manager> after_update(const Resource& resource, std::vector<Manager> managers, const meta::Object& before,
                                  const meta::Object& after, const Writer& writer) {
  FieldDiff diff = diff_fields(type_node(resource), before.root(), after.root());
  strip_foreign_fields(resource, writer.subresource, diff.changed);
  strip_foreign_fields(resource, writer.subresource, diff.removed);
  if (diff.changed.empty() && diff.removed.empty()) return managers;
  Manager mine;
  mine.manager = writer.manager;
  mine.operation = "Update";
  mine.api_version = resource.api_version();
  mine.subresource = writer.subresource;
  bool found = false;
  for (Manager& manager : managers) {
    manager.fields.remove(diff.removed);
    if (manager.same_as(mine)) {
      found = true;
      manager.fields.insert(diff.changed);
      manager.time = writer.time;
    } else {
      manager.fields.remove(diff.changed);
    }
  }
  if (!found) {
    mine.fields = diff.changed;
    mine.time = writer.time;
    managers.push_back(std::move(mine));
    merge_old_updates(managers);
  }
  return managers;
}

}  // namespace kubexx::apiserver
