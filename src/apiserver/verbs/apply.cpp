#include "apiserver/verbs/apply.hpp"

#include <algorithm>
#include <unordered_map>

#include "apiserver/http/codecs.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/http/view.hpp"
#include "apiserver/verbs/writes.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::apiserver {
namespace {

using meta::DraftRef;
using meta::Object;
using meta::Value;

std::string element_of(const TypeNode& list, DraftRef item) {
  // The item as a document of its own: path elements are made from values.
  meta::Draft copy;
  copy["item"].set(item);
  const Object object = copy.to_object();
  return item_element(list, object["item"]);
}

void merge(const TypeNode& type, DraftRef target, Value config) {
  if (type.atomic(config) || (!config.is_map() && !config.is_list())) return target.set(config);
  if (config.is_map()) {
    if (target.type() != meta::ValueType::Map) target.set_map();
    for (const auto& [name, value] : config.entries()) merge(type.child(name), target[name], value);
    return;
  }
  if (target.type() != meta::ValueType::List) {
    target.erase();
    target.set_list();
  }
  const TypeNode item_type = type.item();
  std::unordered_map<std::string, std::size_t> places;  // the first of each
  for (std::size_t i = 0; i < target.size(); ++i) places.emplace(element_of(type, target[i]), i);
  for (Value item : config.items()) {
    const auto [place, added] = places.emplace(item_element(type, item), target.size());
    if (added) {
      const DraftRef last = target.append();
      type.is_set() ? last.set(item) : merge(item_type, last, item);
    } else if (!type.is_set()) {
      merge(item_type, target[place->second], item);
    }
  }
}

// Removes from the draft what the set names, leaves first; containers that were named go when nothing is left in them.
void remove_fields(const TypeNode& type, DraftRef target, const FieldSet& fields, const FieldSet& keep) {
  std::vector<std::size_t> gone;
  std::unordered_multimap<std::string, std::size_t> places;
  if (target.type() == meta::ValueType::List) {
    for (std::size_t i = 0; i < target.size(); ++i) places.emplace(element_of(type, target[i]), i);
  }
  for (const auto& [name, below] : fields.children) {
    const auto kept = keep.children.find(name);
    static const FieldSet kNone;
    const FieldSet& keep_below = kept == keep.children.end() ? kNone : kept->second;
    if (name.starts_with("f:")) {
      const std::string field = name.substr(2);
      const DraftRef place = target[field];
      if (!place.exists()) continue;
      if (!below.children.empty()) remove_fields(type.child(field), place, below, keep_below);
      const bool container = place.type() == meta::ValueType::Map || place.type() == meta::ValueType::List;
      const bool atomic = below.children.empty();
      if (below.member && keep_below.empty() && (!container || atomic || place.size() == 0)) {
        target.erase(field);
      } else if (!below.member && container && place.size() == 0 && !below.children.empty() && keep_below.empty()) {
        // A map that only the removed fields filled: real servers drop it as well.
        target.erase(field);
      }
      continue;
    }
    const auto [begin, end] = places.equal_range(name);
    for (auto place = begin; place != end; ++place) {
      if (below.member && keep_below.empty()) {
        gone.push_back(place->second);
      } else {
        remove_fields(type.item(), target[place->second], below, keep_below);
      }
    }
  }
  std::sort(gone.rbegin(), gone.rend());  // the places before the last stay what they are
  for (const std::size_t i : gone) target[i].erase();
}

Error conflict_error(const std::vector<std::pair<const Manager*, FieldSet>>& conflicts) {
  std::vector<ErrorCause> causes;
  std::string lines;
  for (const auto& [manager, fields] : conflicts) {
    std::vector<std::string> paths;
    fields.paths(paths);
    std::string who = "conflict with " + in_quotes(manager->manager);
    if (!manager->subresource.empty()) who += " with subresource " + in_quotes(manager->subresource);
    if (manager->operation == "Update") {
      who += " using " + manager->api_version;
      if (!manager->time.empty()) who += " at " + manager->time;
    }
    for (const std::string& path : paths) causes.push_back({"FieldManagerConflict", who, path});
    if (conflicts.size() == 1 && paths.size() == 1) {
      lines = who + ": " + paths.front();
    } else {
      lines += (lines.empty() ? "" : "\n") + ("conflicts with " + who.substr(14)) + ':';
      for (const std::string& path : paths) lines += "\n- " + path;
    }
  }
  StatusDetails details;
  details.causes = causes;
  const std::string count = std::to_string(causes.size()) + (causes.size() == 1 ? " conflict" : " conflicts");
  return Error::api(409, "Conflict", "Apply failed with " + count + ": " + lines).with_details(std::move(details));
}

}  // namespace

Result<Applied> apply_configuration(const Resource& resource, const Object& live, const Object& config,
                                    const Writer& writer, bool force) {
  const TypeNode type = type_node(resource);
  FieldSet wanted = fields_of(type, config.root());
  strip_foreign_fields(resource, writer.subresource, wanted);

  std::vector<Manager> managers = managers_of(live);
  Manager mine;
  mine.manager = writer.manager;
  mine.operation = "Apply";
  mine.api_version = resource.api_version();
  mine.subresource = writer.subresource;
  FieldSet before;
  for (const Manager& manager : managers) {
    if (manager.same_as(mine)) before = manager.fields;
  }
  std::erase_if(managers, [&](const Manager& manager) { return manager.same_as(mine); });

  meta::Draft draft = live ? live.edit() : meta::Draft();
  for (const auto& [name, value] : config.root().entries()) merge(type.child(name), draft[name], value);
  const Object merged = draft.to_object();

  // Others' fields that this would change.
  FieldSet changed = diff_fields(type, live.root(), merged.root()).changed;
  strip_foreign_fields(resource, writer.subresource, changed);
  if (!live) changed = FieldSet();
  std::vector<std::pair<const Manager*, FieldSet>> conflicts;
  for (const Manager& manager : managers) {
    FieldSet both = manager.fields.intersection(changed);
    both.prune();
    if (!both.empty()) conflicts.emplace_back(&manager, std::move(both));
  }
  if (!conflicts.empty() && !force) return conflict_error(conflicts);
  for (Manager& manager : managers) {
    manager.fields.remove(changed);
    manager.fields.prune();
  }

  // What this manager applied before, names no longer, and nobody else owns.
  FieldSet dropped = before;
  dropped.remove(wanted);
  FieldSet owned_by_others;
  for (const Manager& manager : managers) owned_by_others.insert(manager.fields);
  owned_by_others.insert(wanted);
  dropped.prune();
  FieldSet leaves = dropped;
  leaves.remove(owned_by_others);
  leaves.prune();
  if (!leaves.empty()) remove_fields(type, draft.root(), leaves, owned_by_others);

  mine.fields = wanted;
  mine.time = writer.time;
  if (!wanted.empty()) managers.push_back(std::move(mine));
  return Applied{draft.to_object(), std::move(managers)};
}

Result<Answer> serve_apply(Cluster& cluster, Call& call) {
  const Resource& resource = *call.resource;
  const Query& query = call.route.query;
  if (query.get("fieldManager").empty()) {
    return invalid("meta.k8s.io", "PatchOptions", "", {required_value("fieldManager", "is required for apply patch")});
  }
  auto config = decode_body(Format::Yaml, call.request.body);
  if (!config || !config->root().is_map())
    return bad_request("error decoding YAML: " + (config ? std::string("not an object") : config.error().message()));
  if (config->kind().empty() || config->api_version().empty()) {
    return bad_request("invalid object type: " +
                       in_quotes(std::string(config->api_version()) + ", Kind=" + std::string(config->kind())));
  }
  if (auto fine = check_identity(call, *config); !fine) return fine.error();
  if (!config->name().empty() && config->name() != call.route.name) {
    return bad_request("the name of the object (" + std::string(config->name()) +
                       ") does not match the name on the URL (" + call.route.name + ")");
  }
  if (config->metadata_value()["managedFields"].size()) return bad_request("metadata.managedFields must be nil");
  meta::Draft named = config->edit();
  named["metadata"]["name"].set(call.route.name);
  const Object wanted = named.to_object();

  const auto it = resource.bucket->objects.find(storage_key(call.route.namespace_, call.route.name));
  const bool exists = it != resource.bucket->objects.end();
  if (!exists && !call.route.subresource.empty()) return not_found(resource.group, resource.resource, call.route.name);
  const Object live = exists ? as_version(it->second, resource) : Object();
  if (!wanted.resource_version().empty() && (!exists || wanted.resource_version() != live.resource_version()))
    return modified_conflict(resource.group, resource.resource, call.route.name);
  auto applied = apply_configuration(resource, live, wanted, writer_of(cluster.environment, call), query.flag("force"));
  if (!applied) return applied.error();
  auto accepted = accept(call, applied->object.root());
  if (!accepted) return accepted.error();
  if (exists) return replace_object(cluster, call, it->second, *accepted, std::move(applied->managers));
  call.body = wanted;
  return create_object(cluster, call, *accepted, std::move(applied->managers));
}

}  // namespace kubexx::apiserver
