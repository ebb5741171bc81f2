#include "apiserver/strategic.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "kubexx/base/error.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

using meta::DraftRef;
using meta::Value;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kSetOrder = "$setElementOrder/";
constexpr std::string_view kDeletePrimitive = "$deleteFromPrimitiveList/";

struct Node {
  const TypeInfo* message = nullptr;
  const FieldType* type = nullptr;

  const FieldInfo* field(std::string_view name) const { return message ? message->find(name) : nullptr; }
  Node child(std::string_view name) const {
    if (const FieldInfo* info = field(name)) return {info->type->message, info->type};
    if (type && type->kind == FieldKind::Map) return {type->element->message, type->element};
    return {};
  }
};

std::string key_text(Value value) {
  return meta::to_json(value);
}

// DraftRef has no Value; compare through the scalar readers.
std::string key_text(DraftRef ref) {
  std::string out;
  if (const auto text = ref.get_string()) {
    meta::append_json_string(out, *text);
  } else if (const auto number = ref.get_int()) {
    out = std::to_string(*number);
  } else if (const auto flag = ref.get_bool()) {
    out = *flag ? "true" : "false";
  }
  return out;
}

class Merger {
 public:
  bool failed = false;

  void map(const Node& node, DraftRef target, Value patch) {
    const std::string_view directive = patch[kDirective].string();
    if (directive == "delete") return target.erase();
    if (directive == "replace") {
      target.clear();
      target.set_map();
    } else if (!directive.empty() && directive != "merge") {
      failed = true;
      return;
    }
    if (target.type() != meta::ValueType::Map) target.set_map();
    if (const Value retain = patch[kRetainKeys]; retain.is_list()) {
      for (const std::string& key : target.keys()) {
        bool kept = false;
        for (Value name : retain.items()) kept |= name.string() == key;
        if (!kept) target.erase(key);
      }
    }
    for (const auto& [name, value] : patch.entries()) {
      if (name == kDirective || name == kRetainKeys) continue;
      if (name.starts_with(kDeletePrimitive)) {
        remove_values(target[name.substr(kDeletePrimitive.size())], value);
        continue;
      }
      if (name.starts_with(kSetOrder)) continue;
      field(node, target, name, value);
    }
    for (const auto& [name, value] : patch.entries()) {
      if (name.starts_with(kSetOrder))
        order(node.field(name.substr(kSetOrder.size())), target[name.substr(kSetOrder.size())], value);
    }
  }

 private:
  void field(const Node& node, DraftRef target, std::string_view name, Value value) {
    if (value.is_null()) return target.erase(name);
    const FieldInfo* info = node.field(name);
    const Node below = node.child(name);
    const DraftRef place = target[name];
    if (value.is_map()) {
      const bool replace = info && info->patch_strategy == "replace";
      if (replace) place.erase();
      // An absent place is merged into, so that directives inside the patch do not end up in the object.
      return map(below, target[name], value);
    }
    if (value.is_list() && info && info->patch_strategy.find("merge") != std::string_view::npos) {
      return list(*info, {below.type ? below.type->element->message : nullptr, nullptr}, place, value);
    }
    place.set(value);
  }

  void list(const FieldInfo& info, const Node& item_node, DraftRef target, Value patch) {
    for (Value item : patch.items()) {
      if (item[kDirective].string() == "replace") {
        target.erase();
        target.set_list();
      }
    }
    if (target.type() != meta::ValueType::List) target.set_list();
    if (info.merge_key.empty()) {
      for (Value item : patch.items()) {
        if (item.is_map()) continue;
        if (!find_value(target, item)) target.append().set(item);
      }
      return;
    }
    for (Value item : patch.items()) {
      if (!item.is_map()) {
        failed = true;
        return;
      }
      const std::string_view directive = item[kDirective].string();
      const Value key = item[info.merge_key];
      if (!key.exists()) {
        if (directive == "replace") continue;
        failed = true;
        return;
      }
      const std::optional<std::size_t> at = find_key(target, info.merge_key, key);
      if (directive == "delete") {
        if (at) target[*at].erase();
        continue;
      }
      if (at) {
        map(item_node, target[*at], item);
      } else {
        const DraftRef added = target.append();
        added.set_map();
        map(item_node, added, item);
      }
    }
  }

  static std::optional<std::size_t> find_key(DraftRef list, std::string_view merge_key, Value key) {
    const std::string wanted = key_text(key);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (key_text(list[i][merge_key]) == wanted) return i;
    }
    return std::nullopt;
  }

  static bool find_value(DraftRef list, Value value) {
    const std::string wanted = key_text(value);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (key_text(list[i]) == wanted) return true;
    }
    return false;
  }

  static void remove_values(DraftRef list, Value values) {
    for (Value value : values.items()) {
      const std::string gone = key_text(value);
      for (std::size_t i = list.size(); i-- > 0;) {
        if (key_text(list[i]) == gone) list[i].erase();
      }
    }
  }

  // Items named by the directive come in its order; others keep their place relative to each other, behind them.
  static void order(const FieldInfo* info, DraftRef list, Value wanted) {
    if (list.type() != meta::ValueType::List) return;
    std::vector<std::string> sequence;
    for (Value item : wanted.items())
      sequence.push_back(key_text(info && !info->merge_key.empty() ? item[info->merge_key] : item));
    const auto position = [&](std::size_t i) {
      const DraftRef key = info && !info->merge_key.empty() ? list[i][info->merge_key] : list[i];
      return std::find(sequence.begin(), sequence.end(), key_text(key)) - sequence.begin();
    };
    std::vector<std::size_t> indexes(list.size());
    for (std::size_t i = 0; i < indexes.size(); ++i) indexes[i] = i;
    std::stable_sort(indexes.begin(), indexes.end(),
                     [&](std::size_t a, std::size_t b) { return position(a) < position(b); });
    meta::Draft sorted;
    for (const std::size_t i : indexes) sorted["items"].append().set(list[i]);
    if (!indexes.empty()) list.set(sorted["items"]);
  }
};

}  // namespace

Result<meta::Object> apply_strategic_patch(const TypeInfo& type, Value target, Value patch) {
  meta::Draft draft;
  for (const auto& [name, value] : target.entries()) draft[name].set(value);
  Merger merger;
  merger.map({&type, nullptr}, draft.root(), patch);
  if (merger.failed) return Error::decode("the patch does not fit the object");
  return draft.to_object();
}

}  // namespace kubexx::apiserver
