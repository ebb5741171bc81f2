#include "apiserver/controllers/definitions.hpp"

#include "apiserver/http/status.hpp"
#include "apiserver/schema/crd.hpp"
#include "apiserver/schema/definitions.hpp"
#include "apiserver/schema/typed.hpp"
#include "apiserver/verbs/deletes.hpp"
#include "apiserver/verbs/managed_fields.hpp"
#include "apiserver/verbs/writes.hpp"
#include "kubexx/meta/conditions.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Object;
using meta::Value;

std::vector<std::string> texts(Value list) {
  std::vector<std::string> out;
  for (Value item : list.items()) out.emplace_back(item.string());
  return out;
}

void serve_definition(Cluster& cluster, const Object& definition) {
  const Value spec = definition["spec"];
  const Value names = spec["names"];
  cluster.resources.remove_custom(spec["group"].string(), names["plural"].string());
  const auto bucket = cluster.storage.bucket(spec["group"].string(), names["plural"].string());
  for (Value version : spec["versions"].items()) {
    if (!version["served"].bool_or(false)) continue;
    auto custom = std::make_shared<CustomVersion>();
    custom->definition = definition;
    custom->version = version;
    custom->schema = version["schema"]["openAPIV3Schema"];
    custom->preserve_unknown = spec["preserveUnknownFields"].bool_or(false) ||
                               custom->schema["x-kubernetes-preserve-unknown-fields"].bool_or(false);
    for (Value field : version["selectableFields"].items()) {
      std::string_view path = field["jsonPath"].string();
      if (path.starts_with('.')) path.remove_prefix(1);
      custom->selectable_fields.emplace_back(path);
    }
    auto resource = std::make_shared<Resource>();
    resource->group = spec["group"].string();
    resource->version = version["name"].string();
    resource->kind = names["kind"].string();
    resource->list_kind = names["listKind"].string();
    resource->resource = names["plural"].string();
    resource->singular = names["singular"].string();
    resource->namespaced = spec["scope"].string() == "Namespaced";
    resource->verbs = {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
    resource->short_names = texts(names["shortNames"]);
    resource->categories = texts(names["categories"]);
    resource->has_generation = true;
    if (version["subresources"]["status"].exists()) {
      resource->has_status = true;
      resource->subresources.push_back({"status", "", "", resource->kind, {"get", "patch", "update"}});
    }
    if (version["subresources"]["scale"].exists()) {
      resource->subresources.push_back({"scale", "autoscaling", "v1", "Scale", {"get", "patch", "update"}});
    }
    resource->bucket = bucket;
    resource->custom = std::move(custom);
    cluster.resources.add(std::move(resource));
  }
}

void establish(Cluster& cluster, const std::string& name) {
  const auto definitions = cluster.resources.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const auto it = definitions->bucket->objects.find(name);
  if (it == definitions->bucket->objects.end() || meta::is_condition_true(it->second, "Established")) return;
  const Object old = it->second;
  const Value names = old["spec"]["names"];
  meta::Draft draft = old.edit();
  const std::string now = cluster.environment.now_text();
  const meta::DraftRef conditions = draft["status"]["conditions"];
  conditions.erase();
  const auto set = [&](const char* type, bool status, std::string reason, std::string message) {
    meta::set_condition(conditions, {type, status ? "True" : "False", std::move(reason), std::move(message), {}},
                        cluster.environment.clock.wall());
  };
  const std::string_view group = old["spec"]["group"].string();
  if (is_protected_group(group)) {
    const std::string_view approval = old.annotations()[kApprovalAnnotation].string();
    const bool approved = !approval.starts_with("unapproved");
    set("KubernetesAPIApprovalPolicyConformant", approved, approved ? "ApprovedAnnotation" : "UnapprovedAnnotation",
        approved ? "approved in " + std::string(approval) : "not approved: " + in_quotes(approval));
  }
  const auto rival = [&](std::string_view field) {
    for (const auto& [other, definition] : definitions->bucket->objects) {
      if (other != name && definition["spec"]["group"].string() == group &&
          meta::is_condition_true(definition, "Established") && definition["spec"]["names"][field] == names[field])
        return true;
    }
    return false;
  };
  const bool accepted = !rival("kind") && !rival("listKind");
  set("NamesAccepted", accepted, accepted ? "NoConflicts" : "KindConflict",
      accepted ? "no conflicts found" : in_quotes(names["kind"].string()) + " is already in use");
  set("Established", accepted, accepted ? "InitialNamesAccepted" : "NotAccepted",
      accepted ? "the initial names have been accepted" : "not all names are accepted");
  if (accepted) draft["status"]["acceptedNames"].set(names);
  Writer writer;
  writer.manager = "kube-apiserver";
  writer.time = now;
  writer.subresource = "status";
  const Object candidate = as_typed(definitions->type, draft.to_object());
  write_managers(after_update(*definitions, managers_of(old), old, candidate, writer), draft);
  const Object final_state = as_typed(definitions->type, draft.to_object());
  const Object stored = cluster.storage.put(*definitions->bucket, name, final_state);
  if (accepted) serve_definition(cluster, stored);
}

}  // namespace

void definition_changed(Cluster& cluster, const Object& definition) {
  const std::string name(definition.name());
  if (meta::is_condition_true(definition, "Established")) {
    serve_definition(cluster, definition);
  } else if (definition.deletion_timestamp().empty()) {
    cluster.post([&cluster, name] { establish(cluster, name); });
  }
}

void clean_up_definition(Cluster& cluster, const std::string& name) {
  const auto definitions = cluster.resources.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const auto it = definitions->bucket->objects.find(name);
  if (it == definitions->bucket->objects.end() || it->second.deletion_timestamp().empty()) return;
  const Object definition = it->second;
  const Value spec = definition["spec"];
  if (const auto bucket = cluster.storage.find(spec["group"].string(), spec["names"]["plural"].string())) {
    const auto resource = cluster.resources.of_bucket(*bucket);
    std::vector<std::string> keys;
    for (const auto& [key, object] : bucket->objects) keys.push_back(key);
    for (const std::string& key : keys) {
      if (resource) (void)delete_object(cluster, *resource, key, {}).has_value();
    }
    if (!bucket->objects.empty()) return;  // held by finalizers; the last one to go comes back here
  }
  const auto again = definitions->bucket->objects.find(name);
  meta::Draft draft = again->second.edit();
  drop_finalizer(draft, kDefinitionFinalizer);
  if (draft["metadata"]["finalizers"].size() > 0) {
    store(cluster, *definitions, name, draft.to_object());
  } else {
    remove_now(cluster, *definitions, name);
  }
}

void definition_removed(Cluster& cluster, const Object& definition) {
  const Value spec = definition["spec"];
  const auto bucket = cluster.storage.find(spec["group"].string(), spec["names"]["plural"].string());
  cluster.resources.remove_custom(spec["group"].string(), spec["names"]["plural"].string());
  if (!bucket) return;
  // Objects that a forced removal leaves behind go with their kind, and the watches see it.
  std::vector<std::string> keys;
  for (const auto& [key, object] : bucket->objects) keys.push_back(key);
  for (const std::string& key : keys) cluster.storage.erase(*bucket, key);
  for (const auto& watcher : cluster.hub.of(*bucket)) cluster.hub.finish(watcher->id);
  cluster.storage.drop(bucket);
}

void load_definitions(Cluster& cluster) {
  const auto definitions = cluster.resources.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  std::vector<std::pair<std::string, std::string>> served;
  for (const auto& resource : cluster.resources.all()) {
    if (resource->custom) served.emplace_back(resource->group, resource->resource);
  }
  for (const auto& [group, resource] : served) cluster.resources.remove_custom(group, resource);
  for (const auto& [name, definition] : definitions->bucket->objects) definition_changed(cluster, definition);
}

}  // namespace kubexx::apiserver
