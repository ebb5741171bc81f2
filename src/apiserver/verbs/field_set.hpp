#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codec/internal/schema.hpp"
#include "kubexx/meta/object_builder.hpp"
#include "kubexx/meta/value.hpp"

namespace kubexx::apiserver {

/// A set of field paths as managedFields hold them: path elements are "f:name", "k:{...}" and "v:...".
struct FieldSet {
  bool member = false;  ///< the path that leads here is in the set
  std::map<std::string, FieldSet, std::less<>> children;

  bool empty() const noexcept { return !member && children.empty(); }
  static FieldSet parse(meta::Value fields_v1);
  void write(meta::ObjectBuilder& out) const;  ///< fieldsV1 JSON

  void insert(const FieldSet& other);  ///< union
  void remove(const FieldSet& other);  ///< difference
  FieldSet intersection(const FieldSet& other) const;
  /// Drops branches without members.
  void prune();
  /// ".data.a" for each member, as conflicts name them.
  void paths(std::vector<std::string>& out, const std::string& prefix = {}) const;
  friend bool operator==(const FieldSet&, const FieldSet&) = default;
};

/// What the schema knows about a place in an object: a built-in type, an OpenAPI schema of a custom one, or nothing
/// (then maps are granular and lists atomic).
class TypeNode {
 public:
  TypeNode() = default;
  static TypeNode builtin(const codec::TypeInfo& type);
  static TypeNode openapi(meta::Value schema);
  static TypeNode object_meta();

  TypeNode child(std::string_view name) const;  ///< of a struct or map
  TypeNode item() const;                        ///< of a list
  bool atomic(meta::Value value) const;         ///< owned as a whole
  bool is_set() const;
  /// The keys that identify an item; empty: the list is atomic or a set.
  std::vector<std::string> list_keys() const;
  const codec::FieldInfo* field() const noexcept { return field_; }

 private:
  const codec::FieldInfo* field_ = nullptr;
  const codec::FieldType* type_ = nullptr;
  const codec::TypeInfo* message_ = nullptr;
  meta::Value schema_;
  bool root_ = false;  // of a custom object: metadata is ObjectMeta
};

/// "k:{"name":"x"}" or "v:"x"" of a list item.
std::string item_element(const TypeNode& list, meta::Value item);

struct FieldDiff {
  FieldSet changed;  ///< added or modified
  FieldSet removed;
};
FieldDiff diff_fields(const TypeNode& type, meta::Value before, meta::Value after);
/// The fields that an applied configuration speaks of.
FieldSet fields_of(const TypeNode& type, meta::Value value);

}  // namespace kubexx::apiserver
