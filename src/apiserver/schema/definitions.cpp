#include "apiserver/schema/definitions.hpp"

#include "apiserver/http/status.hpp"
#include "apiserver/schema/schema_rules.hpp"
#include "base/internal/text.hpp"
#include "kubexx/meta/validation.hpp"

namespace kubexx::apiserver {

using meta::Object;
using meta::Value;

bool is_protected_group(std::string_view group) {
  return group == "k8s.io" || group == "kubernetes.io" || group.ends_with(".k8s.io") ||
         group.ends_with(".kubernetes.io");
}

void default_definition(meta::Draft& draft) {
  const meta::DraftRef names = draft["spec"]["names"];
  if (names["singular"].string().empty()) names["singular"].set(to_lower(names["kind"].string()));
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
  if (is_protected_group(group) && definition.annotations()[kApprovalAnnotation].string().empty()) {
    causes.push_back(
        required_value("metadata.annotations[" + std::string(kApprovalAnnotation) + ']',
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

}  // namespace kubexx::apiserver
