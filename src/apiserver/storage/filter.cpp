#include "apiserver/storage/filter.hpp"

#include <algorithm>
#include <vector>

#include "apiserver/http/status.hpp"
#include "apiserver/schema/crd.hpp"

namespace kubexx::apiserver {
namespace {

struct Selectable {
  std::string_view resource;
  std::vector<std::string_view> fields;
};

// The fields a 1.36 server accepts beside metadata.name and metadata.namespace.
const std::vector<Selectable>& selectable() {
  static const std::vector<Selectable> table = {
      {"pods",
       {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
        "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName"}},
      {"nodes", {"spec.unschedulable"}},
      {"namespaces", {"status.phase"}},
      {"secrets", {"type"}},
      {"services", {"spec.clusterIP", "spec.type"}},
      {"events",
       {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
        "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
        "reportingComponent", "source", "type"}},
      {"jobs", {"status.successful"}},
      {"replicasets", {"status.replicas"}},
      {"replicationcontrollers", {"status.replicas"}},
      {"certificatesigningrequests", {"spec.signerName"}}};
  return table;
}

std::string text(meta::Value value) {
  if (const auto string = value.get_string()) return std::string(*string);
  if (const auto boolean = value.get_bool()) return *boolean ? "true" : "false";
  if (const auto number = value.get_int()) return std::to_string(*number);
  return {};
}

bool known_field(const Resource& resource, std::string_view field) {
  if (field == "metadata.name" || (field == "metadata.namespace" && resource.namespaced)) return true;
  if (resource.custom) {
    const auto& fields = resource.custom->selectable_fields;
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  }
  for (const Selectable& entry : selectable()) {
    if (entry.resource == resource.resource)
      return std::find(entry.fields.begin(), entry.fields.end(), field) != entry.fields.end();
  }
  return false;
}

}  // namespace

std::string field_text(const meta::Object& object, std::string_view field) {
  if (field == "metadata.name") return std::string(object.name());
  if (field == "metadata.namespace") return std::string(object.namespace_());
  if (field == "source") {
    const std::string component = text(object["source"]["component"]);
    return component.empty() ? text(object["reportingComponent"]) : component;
  }
  if (field == "status.successful") return std::to_string(object["status"]["succeeded"].int_or(0));
  meta::Value value = object.root();
  std::string_view rest = field;
  while (!rest.empty()) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    value = value[rest.substr(0, dot)];
    rest = dot < rest.size() ? rest.substr(dot + 1) : std::string_view();
  }
  if (!value.exists() && (field == "spec.unschedulable" || field == "spec.hostNetwork")) return "false";
  if (!value.exists() && field == "status.replicas") return "0";
  return text(value);
}

Result<Filter> Filter::make(const Resource& resource, std::string_view namespace_, std::string_view name,
                            const meta::ListOptions& options) {
  Filter filter;
  if (!namespace_.empty()) filter.prefix_ = std::string(namespace_) + '/';
  if (!options.label_selector.empty()) {
    auto labels = meta::LabelSelector::parse(options.label_selector);
    if (!labels) return bad_request(labels.error().message());
    filter.labels_ = std::move(*labels);
  }
  if (!options.field_selector.empty()) {
    auto fields = meta::FieldSelector::parse(options.field_selector);
    if (!fields) return bad_request(fields.error().message());
    for (const meta::FieldRequirement& requirement : fields->requirements()) {
      if (known_field(resource, requirement.field)) continue;
      const std::string known = resource.namespaced ? "\"metadata.name\", \"metadata.namespace\"" : "\"metadata.name\"";
      return bad_request(in_quotes(requirement.field) + " is not a known field selector: only " + known);
    }
    filter.fields_ = std::move(*fields);
  }
  if (!name.empty()) filter.fields_ = filter.fields_.with({"metadata.name", std::string(name), false});
  return filter;
}

bool Filter::matches(const meta::Object& object) const {
  if (!labels_.empty() && !labels_.matches(object)) return false;
  return fields_.empty() || fields_.matches([&](const std::string& field) { return field_text(object, field); });
}

}  // namespace kubexx::apiserver
