#include "apiserver/verbs/writes.hpp"

#include <algorithm>

#include "apiserver/controllers/definitions.hpp"
#include "apiserver/controllers/namespaces.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/http/view.hpp"
#include "apiserver/limits.hpp"
#include "apiserver/schema/custom.hpp"
#include "apiserver/schema/defaults.hpp"
#include "apiserver/schema/typed.hpp"
#include "apiserver/schema/validation.hpp"
#include "apiserver/verbs/admission.hpp"
#include "apiserver/verbs/deletes.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Object;
using meta::Value;

// The order of fields a server writes, whatever was done to the object.
Object canonical(const Resource& resource, const Object& object) {
  if (resource.custom) {
    auto sorted = to_custom(*resource.custom, object.root());
    return sorted ? sorted->object : object;
  }
  return as_typed(resource.type, object);
}

// Go writes structs in their order and the maps of custom objects sorted.
void set_kind(const Resource& resource, meta::Draft& draft) {
  if (resource.custom) draft["apiVersion"].set(resource.api_version());
  draft["kind"].set(resource.kind);
  if (!resource.custom) draft["apiVersion"].set(resource.api_version());
}

std::vector<ErrorCause> complaints(const Resource& resource, const Object& candidate) {
  std::vector<ErrorCause> causes = validate(resource, candidate);
  if (!resource.custom) return causes;
  for (ErrorCause& cause : validate_custom(*resource.custom, candidate)) causes.push_back(std::move(cause));
  return causes;
}

// Spec and the like: everything the generation counts.
bool content_differs(const Resource& resource, const Object& a, const Object& b) {
  for (const Object* side : {&a, &b}) {
    const Object& other = side == &a ? b : a;
    for (const auto& [name, value] : side->root().entries()) {
      if (name == "metadata" || name == "status" || name == "kind" || name == "apiVersion") continue;
      if (!(other[name] == value)) return true;
    }
  }
  // Endpoint slices count label changes as well.
  return resource.resource == "endpointslices" && !(a.metadata_value()["labels"] == b.metadata_value()["labels"]);
}

// Equal maps, the named keys left out.
bool same_except(Value a, Value b, std::initializer_list<std::string_view> ignored) {
  const auto skipped = [&](std::string_view name) {
    return std::find(ignored.begin(), ignored.end(), name) != ignored.end();
  };
  for (const auto& [name, value] : a.entries()) {
    if (!skipped(name) && !(b[name] == value)) return false;
  }
  for (const auto& [name, value] : b.entries()) {
    if (!skipped(name) && !a[name].exists()) return false;
  }
  return true;
}

bool same_but_for_ownership_times(const Object& a, const Object& b) {
  if (!same_except(a.root(), b.root(), {"metadata"})) return false;
  if (!same_except(a.metadata_value(), b.metadata_value(), {"managedFields", "resourceVersion"})) return false;
  std::vector<Manager> left = managers_of(a);
  std::vector<Manager> right = managers_of(b);
  if (left.size() != right.size()) return false;
  for (const Manager& manager : left) {
    const auto twin = std::find_if(right.begin(), right.end(), [&](const Manager& other) {
      return other.same_as(manager) && other.fields == manager.fields;
    });
    if (twin == right.end()) return false;
  }
  return true;
}

Result<void> check_namespace(const Cluster& cluster, const Call& call) {
  if (!call.resource->namespaced) return {};
  const auto namespaces = cluster.storage.find("", "namespaces");
  const auto it = namespaces->objects.find(call.route.namespace_);
  if (it == namespaces->objects.end()) return not_found("", "namespaces", call.route.namespace_);
  if (it->second.deletion_timestamp().empty()) return {};
  const std::string name = std::string(call.body.name());
  StatusDetails details;
  details.name = name;
  details.group = call.resource->group;
  details.kind = call.resource->resource;
  details.causes.push_back(
      {"NamespaceTerminating", "namespace " + call.route.namespace_ + " is being terminated", "metadata.namespace"});
  return Error::api(403, "Forbidden",
                    call.resource->resource + ' ' + in_quotes(name) +
                        " is forbidden: unable to create new content in namespace " + call.route.namespace_ +
                        " because it is being terminated")
      .with_details(std::move(details));
}

}  // namespace

Writer writer_of(const Environment& environment, const Call& call) {
  Writer writer;
  writer.manager = call.route.query.get("fieldManager");
  if (writer.manager.empty()) {
    const std::string_view agent = call.request.header("user-agent");
    writer.manager = agent.substr(0, agent.find('/'));
    if (writer.manager.size() > 128) writer.manager.resize(128);
    if (writer.manager.empty()) writer.manager = "unknown";
  }
  writer.time = environment.now_text();
  writer.subresource = call.route.subresource;
  return writer;
}

meta::Object store(Cluster& cluster, const Resource& resource, const std::string& key, const Object& object) {
  const Object stored = cluster.storage.put(*resource.bucket, key, object);
  if (resource.resource == "customresourcedefinitions" && resource.group == "apiextensions.k8s.io")
    definition_changed(cluster, stored);
  return stored;
}

Result<Object> accept(Call& call, Value content) {
  const Resource& resource = *call.resource;
  auto typed = resource.custom ? to_custom(*resource.custom, content)
               : resource.type ? to_typed(*resource.type, content)
                               : Result<TypedResult>(internal_error("no schema for " + resource.kind));
  if (!typed) {
    if (typed.error().code() == 413) return typed.error();
    return bad_request(resource.kind + " in version " + in_quotes(resource.version) + " cannot be handled as a " +
                       resource.kind + ": " + typed.error().message());
  }
  if (exceeds(typed->object.root(), kMaxObjectBytes)) return object_too_large();
  const std::string_view policy = call.route.query.get("fieldValidation");
  if (policy == "Strict" && !typed->unknown.empty()) {
    std::string message = resource.kind + " in version " + in_quotes(resource.version) + " cannot be handled as a " +
                          resource.kind + ": strict decoding error: ";
    for (std::size_t i = 0; i < typed->unknown.size(); ++i)
      message += (i ? ", " : "") + ("unknown field " + in_quotes(typed->unknown[i]));
    return bad_request(std::move(message));
  }
  if (policy != "Ignore") {
    for (const std::string& path : typed->unknown) call.warnings.push_back("unknown field " + in_quotes(path));
  }
  return typed->object;
}

Result<void> check_identity(const Call& call, const Object& object) {
  const Resource& resource = *call.resource;
  const std::string_view kind = object.kind();
  const std::string_view api_version = object.api_version();
  if ((!kind.empty() && kind != resource.kind) || (!api_version.empty() && api_version != resource.api_version())) {
    if (!kind.empty() && kind != resource.kind && (api_version.empty() || api_version == resource.api_version())) {
      return bad_request(std::string(kind) + " in version " + in_quotes(resource.version) + " cannot be handled as a " +
                         resource.kind + ": converting (" + resource.version + '.' + std::string(kind) + ") to (" +
                         (resource.group.empty() ? "core" : resource.group) + '.' + resource.kind +
                         "): unknown conversion");
    }
    return bad_request("the API version in the data (" + std::string(api_version) +
                       ") does not match the expected API version (" + resource.api_version() + ")");
  }
  if (!object.namespace_().empty() && resource.namespaced && object.namespace_() != call.route.namespace_) {
    return bad_request("the namespace of the provided object does not match the namespace sent on the request");
  }
  return {};
}

Result<Answer> serve_create(Cluster& cluster, Call& call) {
  if (auto fine = check_identity(call, call.body); !fine) return fine.error();
  if (!call.body.resource_version().empty())
    return bad_request("resourceVersion should not be set on objects to be created");
  auto accepted = accept(call, call.body.root());
  if (!accepted) return accepted.error();
  return create_object(cluster, call, *accepted, std::nullopt);
}

Result<Answer> create_object(Cluster& cluster, Call& call, const Object& accepted,
                             std::optional<std::vector<Manager>> managers) {
  const Resource& resource = *call.resource;
  if (auto fine = check_namespace(cluster, call); !fine) return fine.error();
  meta::Draft draft = accepted.edit();
  const meta::DraftRef metadata = draft["metadata"];
  set_kind(resource, draft);
  for (const char* field : {"uid", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds", "generation",
                            "managedFields", "resourceVersion"})
    metadata.erase(field);
  if (resource.namespaced) {
    metadata["namespace"].set(call.route.namespace_);
  } else {
    metadata.erase("namespace");
  }
  if (metadata["name"].string().empty() && !metadata["generateName"].string().empty()) {
    std::string base(metadata["generateName"].string().substr(0, 58));
    std::string name = base + cluster.environment.random_suffix();
    while (resource.bucket->objects.count(storage_key(call.route.namespace_, name)))
      name = base + cluster.environment.random_suffix();
    metadata["name"].set(name);
  }
  // Nodes register with their status; every other kind with a status subresource starts without one.
  if (resource.has_status && resource.resource != "nodes") draft.root().erase("status");
  set_defaults(resource, draft);
  const Object candidate = draft.to_object();
  std::vector<ErrorCause> causes = complaints(resource, candidate);
  if (!causes.empty()) return invalid(resource.group, resource.kind, candidate.name(), std::move(causes));
  const std::string key = storage_key(candidate.namespace_(), candidate.name());
  if (resource.bucket->objects.count(key)) return already_exists(resource.group, resource.resource, candidate.name());

  if (!managers)
    managers = after_update(resource, {}, empty_object(resource), canonical(resource, candidate),
                            writer_of(cluster.environment, call));
  if (resource.has_generation || resource.custom) metadata["generation"].set(1);
  metadata["uid"].set(cluster.environment.make_uid());
  metadata["creationTimestamp"].set(cluster.environment.now_text());
  admit_create(cluster, resource, draft);
  write_managers(std::move(*managers), draft);
  Answer out;
  out.status = 201;
  out.resource = call.resource;
  if (call.dry_run) {
    out.object = canonical(resource, draft.to_object());
    return out;
  }
  metadata["resourceVersion"].set(std::to_string(cluster.storage.version() + 1));
  out.object = store(cluster, resource, key, canonical(resource, draft.to_object()));
  return out;
}

Result<Answer> serve_update(Cluster& cluster, Call& call) {
  const Resource& resource = *call.resource;
  if (auto fine = check_identity(call, call.body); !fine) return fine.error();
  if (!call.body.name().empty() && call.body.name() != call.route.name) {
    return bad_request("the name of the object (" + std::string(call.body.name()) +
                       ") does not match the name on the URL (" + call.route.name + ")");
  }
  const auto it = resource.bucket->objects.find(storage_key(call.route.namespace_, call.route.name));
  if (it == resource.bucket->objects.end()) return not_found(resource.group, resource.resource, call.route.name);
  auto accepted = accept(call, call.body.root());
  if (!accepted) return accepted.error();
  const Object old = it->second;
  if (resource.custom && accepted->resource_version().empty()) {
    return invalid(resource.group, resource.kind, call.route.name,
                   {invalid_value("metadata.resourceVersion", "0x0", "must be specified for an update")});
  }
  return replace_object(cluster, call, old, *accepted, std::nullopt);
}

Result<Answer> replace_object(Cluster& cluster, Call& call, const Object& old_stored, const Object& accepted,
                              std::optional<std::vector<Manager>> managers) {
  const Resource& resource = *call.resource;
  const Object old = as_version(old_stored, resource);
  const std::string key = storage_key(old.namespace_(), old.name());
  if (!accepted.resource_version().empty() && accepted.resource_version() != old.resource_version())
    return modified_conflict(resource.group, resource.resource, old.name());
  if (!accepted.uid().empty() && accepted.uid() != old.uid()) {
    return conflict(resource.group, resource.resource, old.name(),
                    "Precondition failed: UID in precondition: " + std::string(accepted.uid()) +
                        ", UID in object meta: " + std::string(old.uid()));
  }
  const bool status_only = call.route.subresource == "status";
  meta::Draft draft = status_only ? old.edit() : accepted.edit();
  const meta::DraftRef metadata = draft["metadata"];
  if (status_only) {
    draft["status"].set(accepted["status"]);
  } else {
    set_kind(resource, draft);
    const Value kept = old.metadata_value();
    for (const char* field : {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp",
                              "deletionGracePeriodSeconds", "generation", "selfLink", "managedFields"})
      metadata[field].set(kept[field]);
    if (resource.has_status) draft["status"].set(old["status"]);
    set_defaults(resource, draft);
    keep_on_update(resource, old, draft);
  }
  metadata["resourceVersion"].set(old.resource_version());
  Object candidate = canonical(resource, draft.to_object());
  std::vector<ErrorCause> causes = complaints(resource, candidate);
  for (const ErrorCause& cause : validate_update(resource, old, candidate)) causes.push_back(cause);
  if (!causes.empty()) return invalid(resource.group, resource.kind, old.name(), std::move(causes));

  if (!managers) {
    const bool reset = !status_only && accepted.metadata_value()["managedFields"].is_list() &&
                       accepted.metadata_value()["managedFields"].size() <= 1 &&
                       accepted.metadata_value()["managedFields"][0].empty();
    managers = after_update(resource, reset ? std::vector<Manager>() : managers_of(old), old, candidate,
                            writer_of(cluster.environment, call));
  }
  draft = candidate.edit();
  if (!status_only && (resource.has_generation || resource.custom) && resource.resource != "priorityclasses" &&
      content_differs(resource, old, candidate)) {
    draft["metadata"]["generation"].set(old.generation() + 1);
  }
  write_managers(std::move(*managers), draft);
  if (!call.dry_run) draft["metadata"]["resourceVersion"].set(std::to_string(cluster.storage.version() + 1));
  candidate = canonical(resource, draft.to_object());

  Answer out;
  out.resource = call.resource;
  if (call.dry_run) {
    out.object = candidate;
    return out;
  }
  const bool released = !old.deletion_timestamp().empty() && candidate.finalizers().empty() &&
                        !old.finalizers().empty() && old.metadata_value()["deletionGracePeriodSeconds"].int_or(0) == 0;
  if (released && !(resource.resource == "namespaces" && resource.group.empty())) {
    out.object = with_version(candidate, std::stoull(std::string("0").append(old.resource_version())));
    // The last holder let go: watchers see the deletion, not the update.
    remove_now(cluster, resource, key);
    return out;
  }
  if (same_but_for_ownership_times(old, candidate)) {
    out.object = old;
    return out;
  }
  out.object = store(cluster, resource, key, candidate);
  if (released) finalize_namespace(cluster, std::string(old.name()));
  return out;
}

}  // namespace kubexx::apiserver
