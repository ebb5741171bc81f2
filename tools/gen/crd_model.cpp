#include <algorithm>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/yaml.hpp"
#include "model.hpp"
#include "naming.hpp"

namespace kubexx::gen {
namespace {

/// Turns the schema of one version into types. Errors name the path inside the schema.
class Version {
 public:
  Version(PackageModel& package, std::string kind) : package_(package), kind_(std::move(kind)) {
    for (const auto& type : package_.types) class_names_.insert(type.name);
  }

  Result<void> object(meta::Value schema, ResourceModel resource) {
    TypeModel made;
    made.name = class_name(kind_);
    made.kind = kind_;
    made.api_version = package_.group + "/" + package_.version;
    made.resource = std::move(resource);
    for (const auto* suffix : {"Draft", "DraftFields"}) class_names_.insert(made.name + suffix);
    made.description = schema["description"].string();
    auto taken = object_names();
    FieldModel metadata;
    metadata.json = "metadata";
    metadata.name = unique("metadata", taken);
    metadata.kind = FieldKind::View;
    metadata.view = "::kubexx::api::meta::v1::ObjectMeta";
    package_.includes.insert("kubexx/api/meta/v1.hpp");
    made.fields.push_back(std::move(metadata));
    if (auto added = fields(made, schema, taken, made.name, true); !added) return added.error();
    package_.types.push_back(std::move(made));
    return {};
  }

 private:
  std::string class_name(const std::string& wanted) {
    auto name = safe(wanted);
    while (class_names_.contains(name)) name += '_';
    class_names_.insert(name);
    class_names_.insert(name + "Draft");
    return name;
  }

  Error wrong(const std::string& message) const {
    return Error::config("version " + package_.version + ", " + (path_.empty() ? "the schema" : path_) + ": " +
                         message);
  }

  Result<void> fields(TypeModel& made, meta::Value schema, std::set<std::string>& taken, const std::string& prefix,
                      bool root) {
    if (const auto properties = schema["properties"]; properties.exists() && !properties.is_map()) {
      return wrong("properties is not a map");
    }
    for (const auto& [json, property] : schema["properties"].entries()) {
      if (root && (json == "apiVersion" || json == "kind" || json == "metadata")) continue;
      const auto size = path_.size();
      path_.append(path_.empty() ? "" : ".").append(json);
      FieldModel field;
      field.json = json;
      field.name = unique(snake_case(json), taken);
      field.description = property["description"].string();
      if (auto described = describe(field, property, prefix + pascal_case(json), 0); !described) return described;
      constants(field, property, taken);
      made.fields.push_back(std::move(field));
      path_.resize(size);
    }
    return {};
  }

  Result<void> describe(FieldModel& field, meta::Value schema, const std::string& name, int lists) {
    if (!schema.is_map()) return wrong("a schema is an object");
    if (schema["$ref"].exists()) return wrong("$ref is not allowed in a CustomResourceDefinition");
    if (schema["x-kubernetes-int-or-string"].bool_or(false)) return set(field, FieldKind::IntOrString);
    if (schema["x-kubernetes-embedded-resource"].bool_or(false)) return set(field, FieldKind::Any);
    const auto type = schema["type"].string();
    if (type == "string") return set(field, FieldKind::Text);
    if (type == "boolean") return set(field, FieldKind::Bool);
    if (type == "number") return set(field, FieldKind::Double);
    if (type == "integer") {
      return set(field, schema["format"].string() == "int32" ? FieldKind::Int32 : FieldKind::Int64);
    }
    if (type == "array") return list(field, schema["items"], name, lists);
    if (type == "object") return map(field, schema, name);
    if (type.empty() && schema["x-kubernetes-preserve-unknown-fields"].bool_or(false))
      return set(field, FieldKind::Any);
    if (type.empty()) return wrong("no type is given");
    return wrong("the type " + string_literal(type) + " is unknown");
  }

  Result<void> list(FieldModel& field, meta::Value items, const std::string& name, int lists) {
    if (!items.exists()) return wrong("a list without items");
    if (field.shape == FieldShape::One) {
      field.shape = FieldShape::List;
    } else if (field.shape == FieldShape::List) {
      field.shape = FieldShape::ListOfLists;
    } else if (field.shape == FieldShape::Map) {
      field.shape = FieldShape::MapOfLists;
    } else {
      return wrong("lists nested this deep have no C++ type; use x-kubernetes-preserve-unknown-fields");
    }
    const auto size = path_.size();
    path_ += "[]";
    auto described = describe(field, items, name, lists + 1);
    if (described) path_.resize(size);
    return described;
  }

  Result<void> map(FieldModel& field, meta::Value schema, const std::string& name) {
    const auto values = schema["additionalProperties"];
    if (!schema["properties"].empty()) {
      TypeModel made;
      made.name = class_name(name);
      made.description = schema["description"].string();
      auto taken = reserved_names();
      const auto view = made.name;
      if (auto added = fields(made, schema, taken, view, false); !added) return added;
      package_.types.push_back(std::move(made));
      field.kind = FieldKind::View;
      field.view = view;
      return {};
    }
    if (!values.is_map()) return set(field, FieldKind::Any);                // any object, or none
    if (field.shape != FieldShape::One) return set(field, FieldKind::Any);  // a map inside a list or map
    field.shape = FieldShape::Map;
    const auto size = path_.size();
    path_ += "{}";
    auto described = describe(field, values, name, 0);
    if (described) path_.resize(size);
    return described;
  }

  static Result<void> set(FieldModel& field, FieldKind kind) {
    field.kind = kind;
    return {};
  }

  static void constant(FieldModel& field, const std::string& name, meta::Value value) {
    if (value.is_string()) {
      field.constants.push_back({name, "std::string_view", string_literal(value.string())});
    } else if (const auto flag = value.get_bool()) {
      field.constants.push_back({name, "bool", *flag ? "true" : "false"});
    } else if (value.type() == meta::ValueType::Int) {
      field.constants.push_back({name, "std::int64_t", std::to_string(value.int_or(0))});
    } else if (value.type() == meta::ValueType::Double) {
      field.constants.push_back({name, "double", meta::to_json(value)});
    }
  }

  static void constants(FieldModel& field, meta::Value schema, std::set<std::string>& taken) {
    const auto base = std::string("k").append(pascal_case(field.json));
    for (const auto value : schema["enum"].items()) {
      const auto text = value.is_string() ? std::string(value.string()) : meta::to_json(value);
      constant(field, unique(base + (text.empty() ? "Empty" : pascal_case(text)), taken), value);
    }
    if (schema["default"].exists())
      constant(field, unique("kDefault" + pascal_case(field.json), taken), schema["default"]);
  }

  PackageModel& package_;
  std::string kind_;
  std::set<std::string> class_names_;
  std::string path_;
};

/// The C++ namespace of a group's versions; an Error that says how to choose another.
Result<std::string> namespace_of(const std::string& group, std::string_view chosen) {
  if (chosen.empty()) {
    auto label = safe(snake_case(group.substr(0, group.find('.'))));
    if (label == "std" || label == "posix" || label == "kubexx") {
      return Error::config("the group " + group + " cannot have the namespace " + label + "; choose one: --namespace");
    }
    return label;
  }
  const auto wrong = Error::config(string_literal(chosen) + " is no namespace for generated code");
  for (std::string_view rest = chosen;;) {
    const auto end = rest.find("::");
    const std::string name(rest.substr(0, end));
    const bool first = rest.data() == chosen.data();
    const bool letters =
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
    if (name.empty() || !letters || safe(name) != name || name.starts_with('_') ||
        name.find("__") != std::string::npos || (first && (name == "std" || name == "posix" || name == "kubexx"))) {
      return wrong;
    }
    if (end == std::string_view::npos) return std::string(chosen);
    rest.remove_prefix(end + 2);
  }
}

/// The package of a group version, made when it is not there. Two groups in one namespace would overwrite each other.
Result<PackageModel*> package_of(const std::string& group, const std::string& version, std::string_view chosen,
                                 std::vector<PackageModel>& out) {
  for (auto& package : out) {
    if (package.group == group && package.version == version) return &package;
  }
  if (safe(snake_case(version)) != version)
    return Error::config("the version " + string_literal(version) + " is no name in C++");
  const auto space = namespace_of(group, chosen);
  if (!space) return space.error();
  PackageModel made;
  made.group = group;
  made.version = version;
  made.space = *space + "::" + version;
  for (const auto& package : out) {
    if (package.group == group || package.space.substr(0, package.space.rfind("::")) != *space) continue;
    return Error::config("the groups " + package.group + " and " + group + " would both have the namespace " + *space +
                         "; generate each by itself, with a namespace of its own: kubexx-gen --namespace, "
                         "kubexx_generate(... NAMESPACE)");
  }
  for (std::size_t at = 0; at != std::string::npos;) {
    const auto end = space->find("::", at);
    made.accessor = space->substr(at, end - at);
    made.folder += (at == 0 ? "" : "/") + made.accessor;
    at = end == std::string::npos ? end : end + 2;
  }
  out.push_back(std::move(made));
  return &out.back();
}

Result<void> add_definition(meta::Value crd, std::string_view space, std::vector<PackageModel>& out) {
  const auto spec = crd["spec"];
  const auto names = spec["names"];
  const std::string group(spec["group"].string());
  const std::string kind(names["kind"].string());
  const std::string plural(names["plural"].string());
  if (group.empty()) return Error::config("spec.group is missing");
  if (kind.empty()) return Error::config("spec.names.kind is missing");
  if (plural.empty()) return Error::config("spec.names.plural is missing");
  bool any = false;
  for (const auto version : spec["versions"].items()) {
    if (!version["served"].bool_or(false)) continue;
    any = true;
    const std::string name(version["name"].string());
    if (name.empty()) return Error::config("a version without a name");
    const auto found = package_of(group, name, space, out);
    if (!found) return found.error();
    ResourceModel resource;
    resource.resource = plural;
    resource.singular = names["singular"].string();
    resource.accessor = plural_accessor(kind, plural);
    resource.namespaced = spec["scope"].string() != "Cluster";
    for (const auto& [sub, value] : version["subresources"].entries()) resource.subresources.insert(std::string(sub));
    if (auto added = Version(**found, pascal_case(kind)).object(version["schema"]["openAPIV3Schema"], resource);
        !added) {
      return added.error();
    }
  }
  if (!any) return Error::config("no version is served");
  return {};
}

}  // namespace

Result<void> add_crd_packages(std::string_view yaml, std::string_view space, std::vector<PackageModel>& out) {
  auto documents = meta::parse_yaml(yaml);
  if (!documents) return documents.error();
  bool any = false;
  for (const auto& document : *documents) {
    if (document.kind() != "CustomResourceDefinition") continue;
    any = true;
    if (document.api_version() != "apiextensions.k8s.io/v1") {
      return Error::config(std::string(document.name()) + ": only apiextensions.k8s.io/v1 is understood, not " +
                           std::string(document.api_version()));
    }
    if (auto added = add_definition(document.root(), space, out); !added) {
      return added.error().with_context(std::string(document.name()));
    }
  }
  if (!any) return Error::config("no CustomResourceDefinition in this file");
  return {};
}

}  // namespace kubexx::gen
