#include "codec/internal/schema.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "codec/packed_schema.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::codec {
namespace {

// Structs that server-side apply treats as one value (x-kubernetes-map-type: atomic in the published API).
constexpr std::string_view kAtomicTypes[] = {"autoscaling.v1.CrossVersionObjectReference",
                                             "core.v1.ConfigMapKeySelector",
                                             "core.v1.ContainerExtendedResourceRequest",
                                             "core.v1.EndpointAddress",
                                             "core.v1.EndpointPort",
                                             "core.v1.FileKeySelector",
                                             "core.v1.LocalObjectReference",
                                             "core.v1.NodeSelector",
                                             "core.v1.NodeSelectorTerm",
                                             "core.v1.ObjectFieldSelector",
                                             "core.v1.ObjectReference",
                                             "core.v1.ResourceFieldSelector",
                                             "core.v1.ScopeSelector",
                                             "core.v1.SecretKeySelector",
                                             "core.v1.SecretReference",
                                             "core.v1.TopologySelectorTerm",
                                             "core.v1.TypedLocalObjectReference",
                                             "discovery.v1.EndpointPort",
                                             "discovery.v1beta1.EndpointPort",
                                             "meta.v1.LabelSelector",
                                             "meta.v1.OwnerReference",
                                             "rbac.v1.RoleRef",
                                             "rbac.v1.Subject",
                                             "admissionregistration.v1.ParamKind",
                                             "admissionregistration.v1.ParamRef"};
// Fields that hold a map of strings owned as one value.
constexpr std::pair<std::string_view, std::string_view> kAtomicFields[] = {
    {"core.v1.PodSpec", "nodeSelector"},
    {"core.v1.ServiceSpec", "selector"},
    {"core.v1.ReplicationControllerSpec", "selector"},
    {"resource.v1.ResourceSliceSpec", "nodeSelector"},
    {"discovery.v1.Endpoint", "deprecatedTopology"}};

FieldKind kind_of(std::string_view text) {
  static constexpr std::pair<std::string_view, FieldKind> kKinds[] = {
      {"string", FieldKind::String}, {"int32", FieldKind::Int},     {"int64", FieldKind::Int},
      {"bool", FieldKind::Bool},     {"double", FieldKind::Double}, {"bytes", FieldKind::Bytes}};
  for (const auto& [name, kind] : kKinds) {
    if (name == text) return kind;
  }
  const auto scalar = schema()["types"][text]["scalar"].string();
  return scalar == "string"          ? FieldKind::Quantity
         : scalar == "time"          ? FieldKind::Time
         : scalar == "int-or-string" ? FieldKind::IntOrString
                                     : FieldKind::Any;
}

/// Makes the types. Everything a type refers to is made with it, so that a finished one is never written again.
class Types {
 public:
  const TypeInfo* find(std::string_view name) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = made_.types.find(name); found != made_.types.end()) return found->second.get();
    }
    const std::unique_lock lock(mutex_);
    fresh_ = {};  // what is half made when memory lacks is made again
    const TypeInfo* const found = type(name);
    made_.types.merge(fresh_.types);
    made_.field_types.merge(fresh_.field_types);
    return found;
  }

 private:
  const TypeInfo* type(std::string_view name) {
    for (const Made* made : {&made_, &fresh_}) {
      if (const auto found = made->types.find(name); found != made->types.end()) return found->second.get();
    }
    const meta::Value facts = schema()["types"][name];
    if (!facts.exists()) return nullptr;
    TypeInfo& out = *fresh_.types.emplace(name, std::make_unique<TypeInfo>()).first->second;
    out.name = name;
    out.atomic = std::find(std::begin(kAtomicTypes), std::end(kAtomicTypes), name) != std::end(kAtomicTypes);
    out.scalar = facts["scalar"].exists();
    out.legacy = facts["legacy"].bool_or(false);
    out.fields.reserve(facts["fields"].size());
    for (const auto& [field_name, field] : facts["fields"].entries())
      insert_by_number(out.fields, info(name, field_name, field));
    for (const FieldInfo& field : out.fields) out.by_name.push_back(&field);
    std::sort(out.by_name.begin(), out.by_name.end(),
              [](const FieldInfo* a, const FieldInfo* b) { return a->name < b->name; });
    return &out;
  }

  /// Behind those of the same number: the order of the facts is kept.
  static void insert_by_number(std::vector<FieldInfo>& fields, FieldInfo field) {
    const auto behind = std::upper_bound(fields.begin(), fields.end(), field,
                                         [](const FieldInfo& a, const FieldInfo& b) { return a.number < b.number; });
    fields.insert(behind, std::move(field));
  }

  FieldInfo info(std::string_view type_name, std::string_view name, meta::Value field) {
    FieldInfo out;
    out.name = json_name(name);
    out.type = field_type(field["type"].string());
    // "kind" and "apiVersion" come first and have no number; inlined fields have none either and come last.
    const int unnumbered = name == "kind" ? -2 : name == "apiVersion" ? -1 : 1000;
    out.number = static_cast<int>(field["proto"].int_or(unnumbered));
    out.proto_type = field["protoType"].string();
    out.presence = presence_of(field);
    out.required = field["required"].bool_or(false);
    out.merge_key = field["mergeKey"].string();
    out.patch_strategy = field["patchStrategy"].string();
    const std::string_view list_type = field["listType"].string();
    out.list_keys = texts_of(field["listMapKeys"]);
    out.set = list_type == "set";
    out.atomic = out.type->kind == FieldKind::List && !out.set && list_type != "map";
    for (const auto& [of, atomic_field] : kAtomicFields) out.atomic |= of == type_name && atomic_field == name;
    return out;
  }

  const FieldType* field_type(std::string_view text) {
    for (const Made* made : {&made_, &fresh_}) {
      if (const auto found = made->field_types.find(text); found != made->field_types.end()) return found->second.get();
    }
    FieldType& out = *fresh_.field_types.emplace(text, std::make_unique<FieldType>()).first->second;
    const bool list = text.starts_with("[]");
    if (list || text.starts_with("map:")) {
      out.kind = list ? FieldKind::List : FieldKind::Map;
      out.element = field_type(text.substr(list ? 2 : 4));
    } else if (schema()["types"][text]["fields"].is_map()) {
      out.kind = FieldKind::Message;
      out.message = type(text);
    } else {
      out.kind = kind_of(text);
    }
    return &out;
  }

  struct Made {
    std::map<std::string, std::unique_ptr<TypeInfo>, std::less<>> types;
    std::map<std::string_view, std::unique_ptr<FieldType>> field_types;  // by texts of the facts
  };
  std::shared_mutex mutex_;
  Made made_;   // guarded by mutex_
  Made fresh_;  // guarded by mutex_; what the call under way has made so far
};

}  // namespace

const FieldInfo* TypeInfo::find(std::string_view field) const noexcept {
  const auto it = std::lower_bound(by_name.begin(), by_name.end(), field,
                                   [](const FieldInfo* info, std::string_view key) { return info->name < key; });
  return it != by_name.end() && (*it)->name == field ? *it : nullptr;
}

const TypeInfo* find_type(std::string_view name) {
  static auto* const types = new Types;  // for the process
  return types->find(name);
}

const TypeInfo& object_meta_type() {
  static const TypeInfo& type = *find_type("meta.v1.ObjectMeta");
  return type;
}

std::optional<Presence> presence_of(meta::Value field) {
  const std::string_view text = field["presence"].string();
  if (text.empty()) return std::nullopt;
  return text == "always" ? Presence::Always : text == "nonzero" ? Presence::NonZero : Presence::Set;
}

std::vector<std::string_view> texts_of(meta::Value list) {
  std::vector<std::string_view> out;
  for (const auto item : list.items()) out.push_back(item.string());
  return out;
}

const meta::Object& schema() {
  static const auto* const made = new meta::Object(meta::parse_json(unpack_schema()).value());
  return *made;
}

const std::map<std::string, meta::GroupVersionKind, std::less<>>& kinds_by_type() {
  static const auto* const made = [] {
    auto* kinds = new std::map<std::string, meta::GroupVersionKind, std::less<>>;
    const auto types = schema()["types"];
    for (const auto& [name, type] : types.entries()) {
      const auto gvk = type["gvk"];
      if (!gvk.is_list()) continue;
      (*kinds)[std::string(name)] = {std::string(gvk[0].string()), std::string(gvk[1].string()),
                                     std::string(gvk[2].string())};
    }
    // Versions that servers have no longer are only named by their resources.
    for (const auto resource : schema()["resources"].items()) {
      std::string type(resource["goPackage"].string());
      std::replace(type.begin(), type.end(), '/', '.');
      meta::GroupVersionKind gvk{std::string(resource["group"].string()), std::string(resource["version"].string()),
                                 std::string(resource["kind"].string())};
      type += "." + gvk.kind;
      if (types[type].exists()) kinds->emplace(type, gvk);
      gvk.kind += "List";
      if (types[type + "List"].exists()) kinds->emplace(type + "List", gvk);
    }
    return kinds;
  }();
  return *made;
}

std::string_view json_name(std::string_view schema_name) noexcept {
  if (schema_name == "Expression") return "expression";
  if (schema_name == "Webhooks") return "webhooks";
  if (schema_name == "aPIGroup") return "apiGroup";
  return schema_name;
}

}  // namespace kubexx::codec
