#include <algorithm>

#include "apiserver/core_impl.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/schema/custom.hpp"
#include "apiserver/schema/definitions.hpp"
#include "apiserver/schema/schema_rules.hpp"
#include "kubexx/meta/validation.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Object;
using meta::Value;

constexpr std::string_view kApproval = "api-approved.kubernetes.io";

bool is_protected(std::string_view group) {
  return group == "k8s.io" || group == "kubernetes.io" || group.ends_with(".k8s.io") ||
         group.ends_with(".kubernetes.io");
}

bool has_condition(const Object& definition, std::string_view type) {
  for (Value condition : definition["status"]["conditions"].items()) {
    if (condition["type"].string() == type) return condition["status"].string() == "True";
  }
  return false;
}

std::vector<std::string> texts(Value list) {
  std::vector<std::string> out;
  for (Value item : list.items()) out.emplace_back(item.string());
  return out;
}

void add_condition(const meta::DraftRef& list, std::string_view type, std::string_view status, const std::string& time,
                   std::string_view reason, std::string_view message) {
  const meta::DraftRef entry = list.append();
  entry["type"].set(type);
  entry["status"].set(status);
  entry["lastTransitionTime"].set(time);
  entry["reason"].set(reason);
  entry["message"].set(message);
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

void default_definition(meta::Draft& draft) {
  const meta::DraftRef names = draft["spec"]["names"];
  if (names["singular"].string().empty()) names["singular"].set(lower(names["kind"].string()));
  if (names["listKind"].string().empty() && !names["kind"].string().empty())
    names["listKind"].set(std::string(names["kind"].string()) + "List");
  if (draft["spec"]["conversion"]["strategy"].string().empty()) draft["spec"]["conversion"]["strategy"].set("None");
  if (draft["status"]["storedVersions"].size() == 0) {
    draft["status"]["storedVersions"].set_list();
    const meta::DraftRef versions = draft["spec"]["versions"];
    for (std::size_t i = 0; i < versions.size(); ++i) {
      if (versions[i]["storage"].bool_or(false))
        draft["status"]["storedVersions"].append(std::string(versions[i]["name"].string()));
    }
  }
}

std::vector<ErrorCause> validate_definition(const Object& definition) {
  std::vector<ErrorCause> causes;
  const Value spec = definition["spec"];
  const std::string_view group = spec["group"].string();
  const std::string_view plural = spec["names"]["plural"].string();
  const auto check = [&](const std::string& field, std::string_view text, const meta::Complaints& complaints) {
    if (text.empty()) {
      causes.push_back(required_value(field));
      return;
    }
    for (const std::string& complaint : complaints) causes.push_back(invalid_value(field, in_quotes(text), complaint));
  };
  if (is_protected(group) && definition.annotations()[kApproval].string().empty()) {
    causes.push_back(
        required_value("metadata.annotations[" + std::string(kApproval) + ']',
                       "protected groups must have approval annotation \"api-approved.kubernetes.io\", see "
                       "https://github.com/kubernetes/enhancements/pull/1111"));
  }
  check("spec.group", group, meta::check_dns1123_subdomain(group));
  check("spec.names.plural", plural, meta::check_dns1035_label(plural));
  if (spec["names"]["kind"].string().empty()) causes.push_back(required_value("spec.names.kind"));
  if (!plural.empty() && !group.empty() && definition.name() != std::string(plural) + '.' + std::string(group)) {
    causes.push_back(
        invalid_value("metadata.name", in_quotes(definition.name()), "must be spec.names.plural+\".\"+spec.group"));
  }
  const std::string_view scope = spec["scope"].string();
  if (scope.empty()) {
    causes.push_back(required_value("spec.scope"));
  } else if (scope != "Namespaced" && scope != "Cluster") {
    causes.push_back({"FieldValueNotSupported",
                      "Unsupported value: " + in_quotes(scope) + ": supported values: \"Cluster\", \"Namespaced\"",
                      "spec.scope"});
  }
  std::size_t storage_versions = 0;
  std::size_t index = 0;
  for (Value version : spec["versions"].items()) {
    const std::string field = "spec.versions[" + std::to_string(index++) + ']';
    storage_versions += version["storage"].bool_or(false) ? 1 : 0;
    check(field + ".name", version["name"].string(), meta::check_dns1035_label(version["name"].string()));
    if (!version["schema"]["openAPIV3Schema"].is_map()) {
      causes.push_back(required_value(field + ".schema.openAPIV3Schema", "schemas are required"));
    } else if (version["schema"]["openAPIV3Schema"]["type"].string() != "object") {
      causes.push_back(version["schema"]["openAPIV3Schema"]["type"].string().empty()
                           ? required_value(field + ".schema.openAPIV3Schema.type", "must not be empty at the root")
                           : invalid_value(field + ".schema.openAPIV3Schema.type",
                                           in_quotes(version["schema"]["openAPIV3Schema"]["type"].string()),
                                           "must be object at the root"));
    }
    const Path root;
    const std::string place = field + ".schema.openAPIV3Schema";
    const Path schema{&root, place};
    check_schema(version["schema"]["openAPIV3Schema"], &schema, causes);
  }
  if (storage_versions != 1) {
    causes.push_back(
        invalid_value("spec.versions", "[...]", "must have exactly one version marked as storage version"));
  }
  if (spec["conversion"]["strategy"].string() == "Webhook") {
    causes.push_back({"FieldValueNotSupported", "Unsupported value: \"Webhook\": supported values: \"None\"",
                      "spec.conversion.strategy"});
  }
  return causes;
}

void CoreImpl::definition_changed(const Object& definition) {
  const std::string name(definition.name());
  if (has_condition(definition, "Established")) {
    serve_definition(definition);
  } else if (definition.deletion_timestamp().empty()) {
    post([this, name] { establish(name); });
  }
}

void CoreImpl::establish(const std::string& name) {
  const auto definitions = table_.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const auto it = definitions->bucket->objects.find(name);
  if (it == definitions->bucket->objects.end() || has_condition(it->second, "Established")) return;
  const Object old = it->second;
  const Value names = old["spec"]["names"];
  meta::Draft draft = old.edit();
  const std::string now = now_text();
  const meta::DraftRef conditions = draft["status"]["conditions"];
  conditions.erase();
  conditions.set_list();
  const std::string_view group = old["spec"]["group"].string();
  if (is_protected(group)) {
    const std::string_view approval = old.annotations()[kApproval].string();
    const bool approved = !approval.starts_with("unapproved");
    add_condition(conditions, "KubernetesAPIApprovalPolicyConformant", approved ? "True" : "False", now,
                  approved ? "ApprovedAnnotation" : "UnapprovedAnnotation",
                  approved ? "approved in " + std::string(approval) : "not approved: " + in_quotes(approval));
  }
  const auto rival = [&](std::string_view field) {
    for (const auto& [other, definition] : definitions->bucket->objects) {
      if (other != name && definition["spec"]["group"].string() == group && has_condition(definition, "Established") &&
          definition["spec"]["names"][field] == names[field])
        return true;
    }
    return false;
  };
  const bool accepted = !rival("kind") && !rival("listKind");
  add_condition(conditions, "NamesAccepted", accepted ? "True" : "False", now,
                accepted ? "NoConflicts" : "KindConflict",
                accepted ? "no conflicts found" : in_quotes(names["kind"].string()) + " is already in use");
  add_condition(conditions, "Established", accepted ? "True" : "False", now,
                accepted ? "InitialNamesAccepted" : "NotAccepted",
                accepted ? "the initial names have been accepted" : "not all names are accepted");
  if (accepted) draft["status"]["acceptedNames"].set(names);
  Writer writer;
  writer.manager = "kube-apiserver";
  writer.time = now;
  writer.subresource = "status";
  const Object candidate =
      to_typed(*definitions->type, draft.to_object().root()).value_or(TypedResult{draft.to_object(), {}}).object;
  write_managers(after_update(*definitions, managers_of(old), old, candidate, writer), draft);
  const Object final_state =
      to_typed(*definitions->type, draft.to_object().root()).value_or(TypedResult{draft.to_object(), {}}).object;
  const Object stored = storage_.put(*definitions->bucket, name, final_state);
  if (accepted) serve_definition(stored);
}

void CoreImpl::serve_definition(const Object& definition) {
  const Value spec = definition["spec"];
  const Value names = spec["names"];
  table_.remove_custom(spec["group"].string(), names["plural"].string());
  const auto bucket = storage_.bucket(spec["group"].string(), names["plural"].string());
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
    table_.add(std::move(resource));
  }
}

void CoreImpl::clean_up_definition(const std::string& name) {
  const auto definitions = table_.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const auto it = definitions->bucket->objects.find(name);
  if (it == definitions->bucket->objects.end() || it->second.deletion_timestamp().empty()) return;
  const Object definition = it->second;
  const Value spec = definition["spec"];
  if (const auto bucket = storage_.find(spec["group"].string(), spec["names"]["plural"].string())) {
    const auto resource = resource_of_bucket(*bucket);
    std::vector<std::string> keys;
    for (const auto& [key, object] : bucket->objects) keys.push_back(key);
    for (const std::string& key : keys) {
      if (resource) (void)delete_object(*resource, key, {}).has_value();
    }
    if (!bucket->objects.empty()) return;  // held by finalizers; the last one to go comes back here
  }
  const auto again = definitions->bucket->objects.find(name);
  meta::Draft draft = again->second.edit();
  const meta::DraftRef finalizers = draft["metadata"]["finalizers"];
  for (std::size_t i = finalizers.size(); i-- > 0;) {
    if (finalizers[i].string() == kDefinitionFinalizer) finalizers[i].erase();
  }
  if (finalizers.size() > 0) {
    store(*definitions, name, draft.to_object());
  } else {
    remove_now(*definitions, name);
  }
}

void CoreImpl::definition_removed(const Object& definition) {
  const Value spec = definition["spec"];
  const auto bucket = storage_.find(spec["group"].string(), spec["names"]["plural"].string());
  table_.remove_custom(spec["group"].string(), spec["names"]["plural"].string());
  if (!bucket) return;
  // Objects that a forced removal leaves behind go with their kind, and the watches see it.
  std::vector<std::string> keys;
  for (const auto& [key, object] : bucket->objects) keys.push_back(key);
  for (const std::string& key : keys) storage_.erase(*bucket, key);
  for (const auto& watcher : hub_.of(*bucket)) hub_.finish(watcher->id);
  storage_.drop(bucket);
}

void CoreImpl::load_definitions() {
  const auto definitions = table_.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  std::vector<std::pair<std::string, std::string>> served;
  for (const auto& resource : table_.all()) {
    if (resource->custom) served.emplace_back(resource->group, resource->resource);
  }
  for (const auto& [group, resource] : served) table_.remove_custom(group, resource);
  for (const auto& [name, definition] : definitions->bucket->objects) definition_changed(definition);
}

}  // namespace kubexx::apiserver
