#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

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
/// When a field stands in the JSON of a built-in object.
enum class Presence : std::uint8_t { Set, NonZero, Always };

struct FieldType {
  FieldKind kind = FieldKind::Any;
  const TypeInfo* message = nullptr;   ///< of a Message
  const FieldType* element = nullptr;  ///< of a List or Map
};

struct FieldInfo {
  std::string_view name;
  const FieldType* type = nullptr;
  Presence presence = Presence::Set;
  bool required = false;
  bool atomic = false;  ///< owned as a whole by server-side apply
  bool set = false;     ///< a list whose items are their own keys
  std::string_view merge_key;
  std::string_view patch_strategy;
  std::vector<std::string_view> list_keys;
  int number = 0;
};

struct TypeInfo {
  std::string_view name;  ///< "core.v1.Pod"
  bool atomic = false;
  bool scalar = false;
  FieldType scalar_type;
  std::vector<FieldInfo> fields;          ///< in the order a server writes them
  std::vector<const FieldInfo*> by_name;  ///< sorted
  const FieldInfo* find(std::string_view field) const noexcept;
};

struct SubresourceFacts {
  std::string_view name;
  std::string_view group;  ///< "" with version "": that of the resource
  std::string_view version;
  std::string_view kind;
  std::vector<std::string_view> verbs;
};

struct ResourceFacts {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view resource;
  std::string_view singular;
  bool namespaced = false;
  bool served = true;
  std::vector<std::string_view> verbs;
  std::vector<std::string_view> short_names;
  std::vector<std::string_view> categories;
  std::vector<SubresourceFacts> subresources;
  const TypeInfo* type = nullptr;
};

/// The facts file, compiled for the server's questions. One per process, made at first use, never changed.
class Schema {
 public:
  static const Schema& get();
  const std::vector<ResourceFacts>& resources() const noexcept { return resources_; }
  const TypeInfo* type(std::string_view name) const noexcept;
  const TypeInfo& object_meta() const noexcept { return *object_meta_; }
  template <class F>
  void for_each_type(F&& visit) const {
    for (const TypeInfo& type : type_storage_) visit(type);
  }

 private:
  Schema();
  const FieldType* field_type(std::string_view text);
  TypeInfo* declare(std::string_view name);

  meta::Object facts_;
  std::unordered_map<std::string_view, TypeInfo*> types_;
  std::unordered_map<std::string_view, const FieldType*> field_types_;
  std::deque<TypeInfo> type_storage_;
  std::deque<FieldType> field_type_storage_;
  std::vector<ResourceFacts> resources_;
  const TypeInfo* object_meta_ = nullptr;
};

}  // namespace kubexx::apiserver
