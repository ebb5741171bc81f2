#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/object_builder.hpp"

namespace kubexx::meta::detail {

struct DraftStore;

/// One place of a draft. It shows a borrowed value until somebody looks inside; then its members or elements become
/// nodes of their own. A place that was named but has no value is Absent and does not show.
struct DraftNode {
  /// A ValueType by its number, or Borrowed.
  enum class Kind : std::uint8_t { Absent, Null, Bool, Int, Double, String, List, Map, Borrowed };

  DraftStore* store = nullptr;
  DraftNode* parent = nullptr;  // null: the root, or an element that was erased
  std::string_view key;         // of a member; lives in the names, in a borrowed document or in the store
  Kind kind = Kind::Absent;
  bool element = false;  // of a list, not member of a map
  bool pending = false;  // an element that joins the end of its list when it is set
  Value borrowed;
  bool flag = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<DraftNode*> members;   // shown by a Map; Absent ones wait for a value in nodes of any kind
  std::vector<DraftNode*> elements;  // of a List
  std::unique_ptr<std::unordered_map<std::string_view, DraftNode*>> by_key;  // all members, once they are many

  ValueType type() const noexcept;
  std::size_t size() const noexcept;

  /// Makes nodes of the members or elements of a borrowed map or list.
  void expand();
  DraftNode* find_member(std::string_view name);  ///< null when it was never named
  DraftNode* member(std::string_view name);       ///< made, Absent, when it was never named
  DraftNode* element_at(std::size_t index);       ///< null beyond the end
  DraftNode* new_element();                       ///< pending
  DraftNode* insert_element(std::size_t index);   ///< into a List; to be set at once

  /// Takes a new kind, without contents, and makes this place visible: what is above it becomes the map or list it
  /// needs.
  void become(Kind new_kind);
  void borrow(Object object);  ///< shows the root of an object that belongs to the draft from now on
  void remove();               ///< elements behind it move up

  void write(ObjectBuilder& builder) const;
  Object freeze() const;  ///< null when Absent; throws std::length_error for what a document cannot hold

 private:
  void add_member(DraftNode* node);
  void forget();
  void attach();
};

/// Owns the nodes of a draft and what they borrow from. All of it lives as long as the draft, so that no DraftRef
/// dangles before its Draft is gone.
struct DraftStore {
  std::deque<DraftNode> nodes;
  std::deque<std::string> keys;
  std::vector<Object> documents;

  DraftNode* make(DraftNode* parent) {
    DraftNode& node = nodes.emplace_back();
    node.store = this;
    node.parent = parent;
    return &node;
  }
  std::string_view keep(std::string_view key) {
    if (const auto id = find_name(key)) return name_text(*id);
    return keys.emplace_back(key);
  }
};

/// An object made by a builder that only a document of absurd size or depth can make fail.
Object finish_or_throw(ObjectBuilder& builder);

}  // namespace kubexx::meta::detail
