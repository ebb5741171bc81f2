#include "apiserver/schema/validation.hpp"

#include <set>

#include "apiserver/http/status.hpp"
#include "apiserver/limits.hpp"
#include "apiserver/schema/definitions.hpp"
#include "base/internal/text.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/label_selector.hpp"
#include "kubexx/meta/validation.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Complaints;
using meta::Value;

constexpr std::size_t kMaxAnnotationBytes = 256 << 10;

Complaints check_name(const Resource& resource, std::string_view name) {
  if (resource.group == "rbac.authorization.k8s.io") return meta::check_path_segment(name);
  if (resource.group.empty() && resource.resource == "namespaces") return meta::check_dns1123_label(name);
  if (resource.group.empty() && resource.resource == "services") return meta::check_dns1035_label(name);
  return meta::check_dns1123_subdomain(name);
}

void add(std::vector<ErrorCause>& causes, const std::string& field, std::string_view value,
         const Complaints& complaints) {
  if (causes.size() >= kMostComplaints) return;
  for (const std::string& complaint : complaints) causes.push_back(invalid_value(field, in_quotes(value), complaint));
}

void check_metadata(const Resource& resource, const meta::Object& object, std::vector<ErrorCause>& causes) {
  const Value metadata = object.metadata_value();
  if (object.name().empty()) {
    causes.push_back(required_value("metadata.name", "name or generateName is required"));
  } else {
    add(causes, "metadata.name", object.name(), check_name(resource, object.name()));
  }
  for (const auto& [key, value] : object.labels()) {
    add(causes, "metadata.labels", key, meta::check_qualified_name(key));
    add(causes, "metadata.labels", value.string(), meta::check_label_value(value.string()));
  }
  std::size_t annotation_bytes = 0;
  for (const auto& [key, value] : object.annotations()) {
    add(causes, "metadata.annotations", key, meta::check_qualified_name(to_lower(key)));
    annotation_bytes += key.size() + value.string().size();
  }
  if (annotation_bytes > kMaxAnnotationBytes) {
    causes.push_back({"FieldValueTooLong", "Too long: may not be more than 262144 bytes", "metadata.annotations"});
  }
  std::size_t index = 0;
  for (Value finalizer : metadata["finalizers"].items()) {
    add(causes, "metadata.finalizers[" + std::to_string(index++) + ']', finalizer.string(),
        meta::check_qualified_name(finalizer.string()));
  }
  index = 0;
  std::size_t controllers = 0;
  for (Value owner : metadata["ownerReferences"].items()) {
    if (causes.size() >= kMostComplaints) break;
    const std::string field = "metadata.ownerReferences[" + std::to_string(index++) + ']';
    if (owner["apiVersion"].string().empty())
      causes.push_back(invalid_value(field + ".apiVersion", "\"\"", "version must not be empty"));
    if (owner["kind"].string().empty()) causes.push_back(invalid_value(field + ".kind", "\"\"", "must not be empty"));
    if (owner["name"].string().empty()) causes.push_back(invalid_value(field + ".name", "\"\"", "must not be empty"));
    if (owner["uid"].string().empty()) causes.push_back(invalid_value(field + ".uid", "\"\"", "must not be empty"));
    controllers += owner["controller"].bool_or(false) ? 1 : 0;
  }
  if (controllers > 1) {
    causes.push_back(
        invalid_value("metadata.ownerReferences", "[...]", "Only one reference can have Controller set to true."));
  }
}

void check_containers(const std::string& at, Value pod_spec, std::vector<ErrorCause>& causes) {
  if (pod_spec["containers"].size() == 0) causes.push_back(required_value(at + ".containers"));
  for (const char* list : {"initContainers", "containers"}) {
    std::size_t index = 0;
    std::set<std::string_view> seen;
    for (Value container : pod_spec[list].items()) {
      if (causes.size() >= kMostComplaints) return;
      const std::string field = at + '.' + list + '[' + std::to_string(index++) + ']';
      const std::string_view name = container["name"].string();
      if (name.empty()) {
        causes.push_back(required_value(field + ".name"));
      } else {
        add(causes, field + ".name", name, meta::check_dns1123_label(name));
        if (!seen.insert(name).second)
          causes.push_back({"FieldValueDuplicate", "Duplicate value: " + in_quotes(name), field + ".name"});
      }
    }
  }
}

void check_workload(const meta::Object& object, std::vector<ErrorCause>& causes) {
  const Value spec = object["spec"];
  const Value selector = spec["selector"];
  if (selector["matchLabels"].size() + selector["matchExpressions"].size() == 0) {
    causes.push_back(required_value("spec.selector"));
  } else {
    auto parsed = meta::LabelSelector::from_object(selector);
    if (!parsed) {
      causes.push_back(invalid_value("spec.selector", "{...}", parsed.error().message()));
    } else if (!parsed->matches(spec["template"]["metadata"]["labels"].entries())) {
      causes.push_back(invalid_value("spec.template.metadata.labels",
                                     meta::to_json(spec["template"]["metadata"]["labels"]),
                                     "`selector` does not match template `labels`"));
    }
  }
  check_containers("spec.template.spec", spec["template"]["spec"], causes);
  if (spec["replicas"].int_or(0) < 0) {
    causes.push_back(invalid_value("spec.replicas", std::to_string(spec["replicas"].int_or(0)),
                                   "must be greater than or equal to 0"));
  }
}

}  // namespace

std::vector<ErrorCause> validate(const Resource& resource, const meta::Object& object) {
  std::vector<ErrorCause> causes;
  check_metadata(resource, object, causes);
  if (resource.group.empty() && resource.resource == "pods") check_containers("spec", object["spec"], causes);
  if (resource.group == "apps" && resource.resource != "controllerrevisions") check_workload(object, causes);
  if (resource.group == "batch" && resource.resource == "jobs")
    check_containers("spec.template.spec", object["spec"]["template"]["spec"], causes);
  if (resource.group == "apiextensions.k8s.io" && !resource.custom) {
    for (ErrorCause& cause : validate_definition(object)) causes.push_back(std::move(cause));
  }
  if (resource.group.empty() && resource.resource == "configmaps") {
    for (const auto& [key, value] : object["data"].entries()) {
      if (object["binaryData"][key].exists())
        causes.push_back(
            invalid_value("data[" + std::string(key) + ']', in_quotes(key), "duplicate of key present in binaryData"));
    }
  }
  return causes;
}

std::vector<ErrorCause> validate_update(const Resource& resource, const meta::Object& before,
                                        const meta::Object& after) {
  std::vector<ErrorCause> causes;
  if (!before.deletion_timestamp().empty()) {
    std::set<std::string_view> known;
    for (Value old : before.metadata_value()["finalizers"].items()) known.insert(old.string());
    for (Value finalizer : after.metadata_value()["finalizers"].items()) {
      if (!known.contains(finalizer.string()) && causes.size() < kMostComplaints) {
        causes.push_back(forbidden_value(
            "metadata.finalizers",
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{" +
                in_quotes(finalizer.string()) + "}"));
      }
    }
  }
  const bool selects_pods = resource.group == "apps" && resource.resource != "controllerrevisions";
  if (selects_pods && !(before["spec"]["selector"] == after["spec"]["selector"])) {
    causes.push_back(invalid_value("spec.selector", meta::to_json(after["spec"]["selector"]), "field is immutable"));
  }
  if (resource.group.empty() && (resource.resource == "configmaps" || resource.resource == "secrets") &&
      before["immutable"].bool_or(false)) {
    for (const char* field : {"data", "binaryData", "stringData"}) {
      if (!(before[field] == after[field]))
        causes.push_back(forbidden_value(field, "field is immutable when `immutable` is set"));
    }
    if (!after["immutable"].bool_or(false))
      causes.push_back(forbidden_value("immutable", "field is immutable when `immutable` is set"));
  }
  return causes;
}

}  // namespace kubexx::apiserver
