#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_builder.hpp"

namespace kubexx::meta {
namespace {

/// Appends the patch between two maps and says whether it has anything in it.
bool append_patch(std::string& out, Value before, Value after) {
  out += '{';
  bool any = false;
  const auto begin_member = [&](std::string_view key) {
    if (any) out += ',';
    append_json_string(out, key);
    out += ':';
  };
  for (const auto& [key, value] : before.entries()) {
    const Value now = after[key];
    const std::size_t rollback = out.size();
    begin_member(key);
    bool changed = true;
    if (!now.exists()) {
      out += "null";
    } else if (value.is_map() && now.is_map()) {
      changed = append_patch(out, value, now);
    } else if (value == now) {
      changed = false;
    } else {
      append_json(out, now);
    }
    if (changed) {
      any = true;
    } else {
      out.resize(rollback);
    }
  }
  for (const auto& [key, value] : after.entries()) {
    if (before[key].exists()) continue;
    begin_member(key);
    append_json(out, value);
    any = true;
  }
  out += '}';
  return any;
}

void write_merged(ObjectBuilder& builder, Value target, Value patch) {
  if (!patch.is_map()) {
    builder.copy(patch);
    return;
  }
  builder.begin_map();
  for (const auto& [key, value] : target.entries()) {
    const Value change = patch[key];
    if (change.is_null()) continue;
    builder.key(key);
    if (change.exists()) {
      write_merged(builder, value, change);
    } else {
      builder.copy(value);
    }
  }
  for (const auto& [key, change] : patch.entries()) {
    if (change.is_null() || (target.is_map() && target[key].exists())) continue;
    builder.key(key);
    write_merged(builder, {}, change);
  }
  builder.end_map();
}

}  // namespace

std::string merge_patch(Value before, Value after) {
  std::string out;
  if (before.is_map() && after.is_map()) {
    append_patch(out, before, after);
  } else if (before == after) {
    out = "{}";
  } else {
    append_json(out, after);
  }
  return out;
}

Result<Object> apply_merge_patch(Value target, Value patch) {
  ObjectBuilder builder;
  write_merged(builder, target, patch);
  return builder.finish();
}

}  // namespace kubexx::meta
