#include "apiserver/verbs/field_set.hpp"

#include <algorithm>
#include <set>

#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {

using codec::FieldInfo;
using codec::FieldKind;
using codec::FieldType;
using codec::TypeInfo;
using meta::Value;

FieldSet FieldSet::parse(Value fields_v1) {
  FieldSet set;
  for (const auto& [name, child] : fields_v1.entries()) {
    if (name == ".") {
      set.member = true;
    } else {
      FieldSet& at = set.children[std::string(name)];
      at = parse(child);
      if (at.children.empty()) at.member = true;
    }
  }
  return set;
}

void FieldSet::write(meta::ObjectBuilder& out) const {
  out.begin_map();
  if (member && !children.empty()) {
    out.key(".");
    out.begin_map();
    out.end_map();
  }
  for (const auto& [name, child] : children) {
    out.key(name);
    child.write(out);
  }
  out.end_map();
}

void FieldSet::insert(const FieldSet& other) {
  member |= other.member;
  for (const auto& [name, child] : other.children) children[name].insert(child);
}

void FieldSet::remove(const FieldSet& other) {
  if (other.member) member = false;
  for (const auto& [name, child] : other.children) {
    const auto it = children.find(name);
    if (it == children.end()) continue;
    it->second.remove(child);
    if (it->second.empty()) children.erase(it);
  }
}

FieldSet FieldSet::intersection(const FieldSet& other) const {
  FieldSet out;
  out.member = member && other.member;
  for (const auto& [name, child] : children) {
    const auto it = other.children.find(name);
    if (it == other.children.end()) continue;
    FieldSet both = child.intersection(it->second);
    if (!both.empty()) out.children.emplace(name, std::move(both));
  }
  return out;
}

void FieldSet::prune() {
  for (auto it = children.begin(); it != children.end();) {
    it->second.prune();
    it = it->second.empty() ? children.erase(it) : std::next(it);
  }
}

void FieldSet::paths(std::vector<std::string>& out, const std::string& prefix) const {
  if (member) out.push_back(prefix);
  for (const auto& [name, child] : children) {
    std::string path = prefix;
    if (name.starts_with("f:")) {
      path += '.' + name.substr(2);
    } else if (name.starts_with("k:")) {
      // {"name":"x"} reads [name="x"].
      auto key = meta::parse_json(std::string_view(name).substr(2));
      path += '[';
      bool first = true;
      if (key) {
        for (const auto& [field, value] : key->root().entries()) {
          if (!first) path += ',';
          first = false;
          path += std::string(field) + '=' + meta::to_json(value);
        }
      }
      path += ']';
    } else {
      path += "[=" + name.substr(2) + ']';
    }
    child.paths(out, path);
  }
}

TypeNode TypeNode::builtin(const TypeInfo& type) {
  TypeNode node;
  node.message_ = &type;
  return node;
}

TypeNode TypeNode::openapi(Value schema) {
  TypeNode node;
  node.schema_ = schema;
  node.root_ = true;
  return node;
}

TypeNode TypeNode::object_meta() {
  return builtin(codec::object_meta_type());
}

TypeNode TypeNode::child(std::string_view name) const {
  TypeNode node;
  if (root_ && name == "metadata") return object_meta();
  if (message_) {
    if (const FieldInfo* field = message_->find(name)) {
      node.field_ = field;
      node.type_ = field->type;
      node.message_ = field->type->message;
    }
  } else if (type_ && type_->kind == FieldKind::Map) {
    node.type_ = type_->element;
    node.message_ = type_->element->message;
  } else if (schema_.exists()) {
    node.schema_ = schema_["properties"][name];
    if (!node.schema_.exists() && schema_["additionalProperties"].is_map())
      node.schema_ = schema_["additionalProperties"];
  }
  return node;
}

TypeNode TypeNode::item() const {
  TypeNode node;
  if (type_ && type_->kind == FieldKind::List) {
    node.type_ = type_->element;
    node.message_ = type_->element->message;
  } else if (schema_.exists()) {
    node.schema_ = schema_["items"];
  }
  return node;
}

bool TypeNode::atomic(Value value) const {
  if (value.is_list()) return !is_set() && list_keys().empty();
  if (!value.is_map()) return true;
  if (field_ && field_->atomic) return true;
  if (message_) return message_->atomic;
  if (type_) return type_->kind != FieldKind::Map;
  return schema_["x-kubernetes-map-type"].string() == "atomic";
}

bool TypeNode::is_set() const {
  return field_ ? field_->set : schema_["x-kubernetes-list-type"].string() == "set";
}

std::vector<std::string> TypeNode::list_keys() const {
  if (field_) {
    if (field_->atomic) return {};
    return {field_->list_keys.begin(), field_->list_keys.end()};
  }
  std::vector<std::string> keys;
  if (schema_["x-kubernetes-list-type"].string() == "map") {
    for (Value key : schema_["x-kubernetes-list-map-keys"].items()) keys.emplace_back(key.string());
  }
  return keys;
}

std::string item_element(const TypeNode& list, Value item) {
  if (list.is_set()) return "v:" + meta::to_json(item);
  std::vector<std::string> keys = list.list_keys();
  std::sort(keys.begin(), keys.end());
  std::string out = "k:{";
  bool first = true;
  for (const std::string& key : keys) {
    const Value value = item[key];
    if (!value.exists()) continue;
    if (!first) out += ',';
    first = false;
    meta::append_json_string(out, key);
    out += ':';
    meta::append_json(out, value);
  }
  return out + '}';
}

namespace {

void add_item(const TypeNode& list, Value item, FieldSet& at);

void add_all(const TypeNode& type, Value value, FieldSet& set) {
  set.member = true;
  if (type.atomic(value)) return;
  if (value.is_map()) {
    for (const auto& [name, child] : value.entries())
      add_all(type.child(name), child, set.children["f:" + std::string(name)]);
  } else {
    for (Value item : value.items()) add_item(type, item, set.children[item_element(type, item)]);
  }
}

void add_item(const TypeNode& list, Value item, FieldSet& at) {
  at.member = true;
  if (!list.is_set()) add_all(list.item(), item, at);
}

void diff(const TypeNode& type, Value before, Value after, FieldSet& changed, FieldSet& removed) {
  if (!before.exists()) return add_all(type, after, changed);
  if (!after.exists()) return add_all(type, before, removed);
  const bool containers = (before.is_map() || before.is_null()) && (after.is_map() || after.is_null());
  const bool lists = (before.is_list() || before.is_null()) && (after.is_list() || after.is_null());
  const Value shape = after.is_null() ? before : after;
  if ((!containers && !lists) || shape.is_null() || type.atomic(shape)) {
    if (!(before == after)) changed.member = true;
    return;
  }
  const auto diff_below = [&](const TypeNode& below, Value old, Value fresh, const std::string& element) {
    FieldSet added;
    FieldSet gone;
    diff(below, old, fresh, added, gone);
    if (!added.empty()) changed.children[element].insert(added);
    if (!gone.empty()) removed.children[element].insert(gone);
  };
  if (containers) {
    for (const auto& [name, child] : after.entries())
      diff_below(type.child(name), before[name], child, "f:" + std::string(name));
    for (const auto& [name, child] : before.entries()) {
      if (!after[name].exists()) add_all(type.child(name), child, removed.children["f:" + std::string(name)]);
    }
    return;
  }
  std::map<std::string, Value> old_items;
  for (Value item : before.items()) old_items.emplace(item_element(type, item), item);
  std::set<std::string> seen;
  const TypeNode item_type = type.item();
  for (Value item : after.items()) {
    const std::string element = item_element(type, item);
    seen.insert(element);
    const auto old = old_items.find(element);
    if (old == old_items.end()) {
      add_item(type, item, changed.children[element]);
    } else if (!type.is_set()) {
      diff_below(item_type, old->second, item, element);
    }
  }
  for (const auto& [element, item] : old_items) {
    if (!seen.count(element)) add_item(type, item, removed.children[element]);
  }
}

void collect(const TypeNode& type, Value value, FieldSet& set) {
  if (type.atomic(value) || value.size() == 0) {
    set.member = true;
  } else if (value.is_map()) {
    for (const auto& [name, child] : value.entries())
      collect(type.child(name), child, set.children["f:" + std::string(name)]);
  } else {
    const TypeNode item_type = type.item();
    for (Value item : value.items()) {
      FieldSet& at = set.children[item_element(type, item)];
      if (!type.is_set()) collect(item_type, item, at);
      at.member = true;
    }
  }
}

}  // namespace

FieldDiff diff_fields(const TypeNode& type, Value before, Value after) {
  FieldDiff out;
  diff(type, before, after, out.changed, out.removed);
  return out;
}

FieldSet fields_of(const TypeNode& type, Value value) {
  FieldSet set;
  if (value.is_map() && value.size()) {
    for (const auto& [name, child] : value.entries())
      collect(type.child(name), child, set.children["f:" + std::string(name)]);
  }
  return set;
}

}  // namespace kubexx::apiserver
