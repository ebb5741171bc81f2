#include "apiserver/schema/schema.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "kubexx/base/error.hpp"
#include "kubexx/codec/schema_text.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
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

std::vector<std::string_view> strings(meta::Value list) {
  std::vector<std::string_view> out;
  for (meta::Value item : list.items()) out.push_back(item.string());
  return out;
}

FieldKind scalar_kind(std::string_view text) {
  if (text == "string") return FieldKind::Quantity;
  if (text == "time") return FieldKind::Time;
  if (text == "int-or-string") return FieldKind::IntOrString;
  return FieldKind::Any;
}

}  // namespace

const FieldInfo* TypeInfo::find(std::string_view field) const noexcept {
  const auto it = std::lower_bound(by_name.begin(), by_name.end(), field,
                                   [](const FieldInfo* info, std::string_view key) { return info->name < key; });
  return it != by_name.end() && (*it)->name == field ? *it : nullptr;
}

const Schema& Schema::get() {
  static const Schema schema;
  return schema;
}

const TypeInfo* Schema::type(std::string_view name) const noexcept {
  const auto it = types_.find(name);
  return it == types_.end() ? nullptr : it->second;
}

TypeInfo* Schema::declare(std::string_view name) {
  TypeInfo*& type = types_[name];
  if (!type) {
    type = &type_storage_.emplace_back();
    type->name = name;
  }
  return type;
}

const FieldType* Schema::field_type(std::string_view text) {
  const FieldType*& known = field_types_[text];
  if (known) return known;
  FieldType& type = field_type_storage_.emplace_back();
  known = &type;
  if (text.starts_with("[]")) {
    type.kind = FieldKind::List;
    type.element = field_type(text.substr(2));
  } else if (text.starts_with("map:")) {
    type.kind = FieldKind::Map;
    type.element = field_type(text.substr(4));
  } else if (text == "string") {
    type.kind = FieldKind::String;
  } else if (text == "int32" || text == "int64") {
    type.kind = FieldKind::Int;
  } else if (text == "bool") {
    type.kind = FieldKind::Bool;
  } else if (text == "double") {
    type.kind = FieldKind::Double;
  } else if (text == "bytes") {
    type.kind = FieldKind::Bytes;
  } else if (const meta::Value facts = facts_["types"][text]; facts.is_map()) {
    if (const auto scalar = facts["scalar"].get_string()) {
      type.kind = scalar_kind(*scalar);
    } else {
      type.kind = FieldKind::Message;
      type.message = declare(text);
    }
  }
  return &type;
}

Schema::Schema() {
  meta::DecodeOptions options;
  options.max_bytes = 64 << 20;
  auto facts = meta::parse_json(codec::schema_json(), options);
  facts_ = facts.value();

  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const TypeInfo*> kinds;
  for (const auto& [name, facts_of_type] : facts_["types"].entries()) {
    TypeInfo& type = *declare(name);
    type.atomic = std::find(std::begin(kAtomicTypes), std::end(kAtomicTypes), name) != std::end(kAtomicTypes);
    if (const auto scalar = facts_of_type["scalar"].get_string()) {
      type.scalar = true;
      type.scalar_type.kind = scalar_kind(*scalar);
    }
    if (const meta::Value gvk = facts_of_type["gvk"]; gvk.is_list())
      kinds[{gvk[0].string(), gvk[1].string(), gvk[2].string()}] = &type;
    const meta::MapView fields = facts_of_type["fields"].entries();
    type.fields.reserve(fields.size());
    for (const auto& [field_name, field] : fields) {
      FieldInfo info;
      info.name = field_name;
      info.type = field_type(field["type"].string());
      const std::string_view presence = field["presence"].string();
      info.presence = presence == "always"    ? Presence::Always
                      : presence == "nonzero" ? Presence::NonZero
                                              : Presence::Set;
      info.required = field["required"].bool_or(false);
      info.merge_key = field["mergeKey"].string();
      info.patch_strategy = field["patchStrategy"].string();
      const std::string_view list_type = field["listType"].string();
      info.list_keys = strings(field["listMapKeys"]);
      info.set = list_type == "set";
      info.atomic = info.type->kind == FieldKind::List && !info.set && list_type != "map";
      for (const auto& [of, atomic_field] : kAtomicFields) info.atomic |= of == name && atomic_field == field_name;
      // "kind" and "apiVersion" come first and have no number; inlined fields have none either and come last.
      const int unnumbered = field_name == "kind" ? -2 : field_name == "apiVersion" ? -1 : 1000;
      info.number = static_cast<int>(field["proto"].int_or(unnumbered));
      type.fields.push_back(std::move(info));
    }
    std::stable_sort(type.fields.begin(), type.fields.end(),
                     [](const FieldInfo& a, const FieldInfo& b) { return a.number < b.number; });
    for (const FieldInfo& info : type.fields) type.by_name.push_back(&info);
    std::sort(type.by_name.begin(), type.by_name.end(),
              [](const FieldInfo* a, const FieldInfo* b) { return a->name < b->name; });
  }
  object_meta_ = type("meta.v1.ObjectMeta");

  for (meta::Value facts_of_resource : facts_["resources"].items()) {
    ResourceFacts resource;
    resource.group = facts_of_resource["group"].string();
    resource.version = facts_of_resource["version"].string();
    resource.kind = facts_of_resource["kind"].string();
    resource.resource = facts_of_resource["resource"].string();
    resource.singular = facts_of_resource["singular"].string();
    resource.namespaced = facts_of_resource["namespaced"].bool_or(false);
    resource.served = facts_of_resource["served"].bool_or(true);
    resource.verbs = strings(facts_of_resource["verbs"]);
    resource.short_names = strings(facts_of_resource["shortNames"]);
    resource.categories = strings(facts_of_resource["categories"]);
    for (const auto& [name, sub] : facts_of_resource["subresources"].entries())
      resource.subresources.push_back(
          {name, sub["group"].string(), sub["version"].string(), sub["kind"].string(), strings(sub["verbs"])});
    const auto kind = kinds.find({resource.group, resource.version, resource.kind});
    if (kind != kinds.end()) resource.type = kind->second;
    resources_.push_back(std::move(resource));
  }
}

}  // namespace kubexx::apiserver
