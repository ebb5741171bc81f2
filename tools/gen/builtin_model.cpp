#include <algorithm>
#include <functional>

#include "codec/internal/schema.hpp"
#include "model.hpp"
#include "naming.hpp"

namespace kubexx::gen {
namespace {

struct Split {
  std::string package;  // "core.v1"
  std::string name;     // "Pod"
};

Split split(std::string_view type) {
  const auto dot = type.rfind('.');
  if (dot == std::string_view::npos) return {"", std::string(type)};
  return {std::string(type.substr(0, dot)), std::string(type.substr(dot + 1))};
}

const meta::GroupVersionKind* kind_of(std::string_view type) {
  const auto found = codec::kinds_by_type().find(type);
  return found == codec::kinds_by_type().end() ? nullptr : &found->second;
}

bool is_list_kind(std::string_view name, meta::Value type) {
  return kind_of(name) != nullptr && name.ends_with("List") && type["fields"]["items"].exists();
}

class Builder {
 public:
  std::vector<PackageModel> build() {
    types_ = codec::schema()["types"];
    find_nested();
    for (const auto& [name, type] : types_.entries()) {
      const auto where = split(name);
      if (where.package.find('.') == std::string::npos || is_list_kind(name, type) || type["scalar"].exists()) continue;
      visit(name, type);
    }
    std::vector<PackageModel> out;
    for (auto& [name, package] : packages_) out.push_back(std::move(package));
    return out;
  }

 private:
  void find_nested() {
    for (const auto& [name, type] : types_.entries()) {
      if (is_list_kind(name, type)) continue;
      for (const auto& [json, field] : type["fields"].entries()) {
        const auto used = base(field["type"].string());
        if (kind_of(used) != nullptr) nested_.insert(std::string(used));
      }
    }
  }

  static std::string_view base(std::string_view type) {
    while (true) {
      if (type.starts_with("[]")) {
        type.remove_prefix(2);
      } else if (type.starts_with("map:")) {
        type.remove_prefix(4);
      } else {
        return type;
      }
    }
  }

  PackageModel& package(const std::string& name) {
    auto& out = packages_[name];
    if (out.folder.empty()) {
      const auto dot = name.find('.');
      out.folder = name.substr(0, dot);
      out.version = name.substr(dot + 1);
      out.space = "kubexx::api::" + out.folder + "::" + out.version;
      out.accessor = out.folder == "apiserverinternal" ? "internal" : out.folder;
      out.protobuf = true;
    }
    return out;
  }

  /// Types that this one holds come before it.
  void visit(std::string_view name, meta::Value type) {
    if (!visited_.insert(std::string(name)).second) return;
    const auto where = split(name);
    TypeModel made;
    made.name = where.name;
    made.nested = nested_.contains(std::string(name));
    auto& home = package(where.package);
    if (const auto* gvk = kind_of(name)) {
      home.group = gvk->group;
      made.api_version = gvk->api_version();
      made.kind = gvk->kind;
      made.resource = resource(gvk->group, gvk->version, gvk->kind);
    }
    std::set<std::string> taken = made.kind.empty() ? reserved_names() : object_names();
    add_fields(made, where.package, type, taken);
    package(where.package).types.push_back(std::move(made));
  }

  void add_fields(TypeModel& made, const std::string& home, meta::Value type, std::set<std::string>& taken) {
    for (const auto& [schema_name, field] : type["fields"].entries()) {
      const auto json = codec::json_name(schema_name);
      if (!made.kind.empty() && (json == "apiVersion" || json == "kind")) continue;
      if (json == "ingressRuleValue" && !field["presence"].exists()) {  // its fields stand here
        add_fields(made, home, types_[field["type"].string()], taken);
        continue;
      }
      FieldModel out;
      out.json = json;
      const bool own = json == "apiVersion" || json == "kind";  // of a view: a plain field
      out.name = own ? snake_case(json) : unique(snake_case(json), taken);
      describe(out, home, field["type"].string());
      made.fields.push_back(std::move(out));
    }
  }

  void describe(FieldModel& out, const std::string& home, std::string_view type) {
    if (type.starts_with("map:[]")) {
      out.shape = FieldShape::MapOfLists;
    } else if (type.starts_with("[][]")) {
      out.shape = FieldShape::ListOfLists;
    } else if (type.starts_with("[]")) {
      out.shape = FieldShape::List;
    } else if (type.starts_with("map:")) {
      out.shape = FieldShape::Map;
    }
    type = base(type);
    if (type == "string" || type == "bytes" || type == "time") return;
    if (type == "int32") return set(out, FieldKind::Int32);
    if (type == "int64") return set(out, FieldKind::Int64);
    if (type == "bool") return set(out, FieldKind::Bool);
    if (type == "double") return set(out, FieldKind::Double);
    if (type == "int-or-string" || type == "intstr.IntOrString") return set(out, FieldKind::IntOrString);
    if (type == "meta.v1.Time" || type == "meta.v1.MicroTime" || type == "resource.Quantity") return;
    const auto used = types_[type];
    if (type == "any" || !used.exists() || used["scalar"].exists()) return set(out, FieldKind::Any);
    out.kind = FieldKind::View;
    visit(type, used);
    const auto where = split(type);
    const std::string view = where.name + (kind_of(type) != nullptr ? "View" : "");
    if (where.package == home) {
      out.view = view;
    } else {
      const auto& other = package(where.package);
      out.view = "::" + other.space + "::" + view;
      package(home).includes.insert("kubexx/api/" + other.folder + "/" + other.version + ".hpp");
    }
  }

  static void set(FieldModel& out, FieldKind kind) { out.kind = kind; }

  static std::optional<ResourceModel> resource(std::string_view group, std::string_view version,
                                               std::string_view kind) {
    for (const auto entry : codec::schema()["resources"].items()) {
      if (entry["group"].string() != group || entry["version"].string() != version || entry["kind"].string() != kind) {
        continue;
      }
      ResourceModel out;
      out.resource = entry["resource"].string();
      out.singular = entry["singular"].string();
      out.accessor = plural_accessor(kind, out.resource);
      out.namespaced = entry["namespaced"].bool_or(false);
      out.informer = entry["informer"].bool_or(false);
      out.readable = false;
      for (const auto verb : entry["verbs"].items()) out.readable = out.readable || verb.string() == "list";
      for (const auto& [name, sub] : entry["subresources"].entries()) out.subresources.insert(std::string(name));
      return out;
    }
    return std::nullopt;
  }

  meta::Value types_;
  std::set<std::string> nested_;
  std::set<std::string> visited_;
  std::map<std::string, PackageModel> packages_;
};

}  // namespace

Result<std::vector<PackageModel>> builtin_packages() {
  return Builder().build();
}

}  // namespace kubexx::gen
