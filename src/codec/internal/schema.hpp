#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::codec {

// The one reading of the facts file: the tables of protobuf and the embedded server are both made from it.

/// The parsed facts; they live for the process.
KUBEXX_EXPORT_INTERNAL const meta::Object& schema();

struct TypeInfo;

enum class FieldKind : std::uint8_t {
  String,
  Int,
  Bool,
  Double,
  Bytes,
  Time,
  Quantity,
  IntOrString,
  Any,
  Message,
  List,
  Map
};
/// When a field stands in the JSON of an object.
enum class Presence : std::uint8_t { Set, NonZero, Always };

struct FieldType {
  FieldKind kind = FieldKind::Any;
  const TypeInfo* message = nullptr;   ///< of a Message
  const FieldType* element = nullptr;  ///< of a List or Map
};

struct FieldInfo {
  std::string_view name;  ///< in JSON
  const FieldType* type = nullptr;
  int number = 0;               ///< in protobuf; without one it gives the order in JSON only
  std::string_view proto_type;  ///< in protobuf, as the facts write it; empty: it has no place there
  std::optional<Presence> presence;
  bool required = false;
  bool atomic = false;  ///< owned as a whole by server-side apply
  bool set = false;     ///< a list whose items are their own keys
  std::string_view merge_key;
  std::string_view patch_strategy;
  std::vector<std::string_view> list_keys;
};

struct KUBEXX_EXPORT_INTERNAL TypeInfo {
  std::string name;  ///< "core.v1.Pod"
  bool atomic = false;
  bool scalar = false;
  bool legacy = false;                    ///< of a version that servers have no longer: without apiVersion and kind
  std::vector<FieldInfo> fields;          ///< in the order a server writes them
  std::vector<const FieldInfo*> by_name;  ///< sorted
  const FieldInfo* find(std::string_view field) const noexcept;
};

/// Null: there is none. Made when first asked for, with all that it refers to; never changed and never freed.
KUBEXX_EXPORT_INTERNAL const TypeInfo* find_type(std::string_view name);
KUBEXX_EXPORT_INTERNAL const TypeInfo& object_meta_type();

/// The types that are objects or lists of the API, by their name in the schema.
KUBEXX_EXPORT_INTERNAL const std::map<std::string, meta::GroupVersionKind, std::less<>>& kinds_by_type();

/// What the facts say of the presence of a field; none: nothing.
std::optional<Presence> presence_of(meta::Value field);
std::vector<std::string_view> texts_of(meta::Value list);
/// The name of a field in JSON: some old types have the name of the Go field in the schema.
KUBEXX_EXPORT_INTERNAL std::string_view json_name(std::string_view schema_name) noexcept;

}  // namespace kubexx::codec
