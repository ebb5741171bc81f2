#include "apiserver/verbs/strategic.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "apiserver/verbs/field_set.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

using codec::FieldInfo;
using meta::DraftRef;
using meta::Value;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kSetOrder = "$setElementOrder/";
constexpr std::string_view kDeletePrimitive = "$deleteFromPrimitiveList/";

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

  void map(const TypeNode& node, DraftRef target, Value patch) {
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
      std::unordered_set<std::string_view> kept;
      for (Value name : retain.items()) kept.insert(name.string());
      for (const std::string& key : target.keys()) {
        if (!kept.contains(key)) target.erase(key);
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
        order(node.child(name.substr(kSetOrder.size())).field(), target[name.substr(kSetOrder.size())], value);
    }
  }

 private:
  void field(const TypeNode& node, DraftRef target, std::string_view name, Value value) {
    if (value.is_null()) return target.erase(name);
    const TypeNode below = node.child(name);
    const FieldInfo* info = below.field();
    const DraftRef place = target[name];
    if (value.is_map()) {
      const bool replace = info && info->patch_strategy == "replace";
      if (replace) place.erase();
      // An absent place is merged into, so that directives inside the patch do not end up in the object.
      return map(below, target[name], value);
    }
    if (value.is_list() && info && info->patch_strategy.find("merge") != std::string_view::npos) {
      return list(*info, below.item(), place, value);
    }
    place.set(value);
  }

  void list(const FieldInfo& info, const TypeNode& item_node, DraftRef target, Value patch) {
    for (Value item : patch.items()) {
      if (item[kDirective].string() == "replace") {
        target.erase();
        target.set_list();
      }
    }
    if (target.type() != meta::ValueType::List) target.set_list();
    if (info.merge_key.empty()) {
      std::unordered_set<std::string> known;
      for (std::size_t i = 0; i < target.size(); ++i) known.insert(key_text(target[i]));
      for (Value item : patch.items()) {
        if (!item.is_map() && known.insert(key_text(item)).second) target.append().set(item);
      }
      return;
    }
    std::unordered_map<std::string, std::size_t> places;  // the first of each key; those deleted go at the end
    for (std::size_t i = 0; i < target.size(); ++i) places.emplace(key_text(target[i][info.merge_key]), i);
    std::vector<std::size_t> deleted;
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
      const auto place = places.find(key_text(key));
      if (directive == "delete") {
        if (place == places.end()) continue;
        deleted.push_back(place->second);
        places.erase(place);
      } else if (place != places.end()) {
        map(item_node, target[place->second], item);
      } else {
        places.emplace(key_text(key), target.size());
        const DraftRef added = target.append();
        added.set_map();
        map(item_node, added, item);
      }
    }
    std::sort(deleted.rbegin(), deleted.rend());
    for (const std::size_t i : deleted) target[i].erase();
  }

  static void remove_values(DraftRef list, Value values) {
    std::unordered_set<std::string> gone;
    for (Value value : values.items()) gone.insert(key_text(value));
    for (std::size_t i = list.size(); i-- > 0;) {
      if (gone.contains(key_text(list[i]))) list[i].erase();
    }
  }

  // Items named by the directive come in its order; others keep their place relative to each other, behind them.
  static void order(const FieldInfo* info, DraftRef list, Value wanted) {
    if (list.type() != meta::ValueType::List) return;
    const bool keyed = info && !info->merge_key.empty();
    std::unordered_map<std::string, std::size_t> sequence;
    for (Value item : wanted.items()) sequence.emplace(key_text(keyed ? item[info->merge_key] : item), sequence.size());
    std::vector<std::pair<std::size_t, std::size_t>> places;  // where it is to be, where it is
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto place = sequence.find(key_text(keyed ? list[i][info->merge_key] : list[i]));
      places.emplace_back(place == sequence.end() ? sequence.size() : place->second, i);
    }
    std::sort(places.begin(), places.end());
    meta::Draft sorted;
    for (const auto& [wish, i] : places) sorted["items"].append().set(list[i]);
    if (!places.empty()) list.set(sorted["items"]);
  }
};

}  // namespace

Result<meta::Object> apply_strategic_patch(const codec::TypeInfo& type, Value target, Value patch) {
  meta::Draft draft;
  for (const auto& [name, value] : target.entries()) draft[name].set(value);
  Merger merger;
  merger.map(TypeNode::builtin(type), draft.root(), patch);
  if (merger.failed) return Error::decode("the patch does not fit the object");
  return draft.to_object();
}

}  // namespace kubexx::apiserver
