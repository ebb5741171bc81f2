#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

namespace detail {
struct DraftNode;
}

/// A place in a Draft: read it like a Value, set it, append to it, erase it. A place that does not exist yet may be
/// named and read (Absent); setting it creates it and the maps above it. Borrowed: valid while its Draft lives and the
/// place is not erased. Like a pointer, a const one still leads to what can be set.
class KUBEXX_EXPORT KUBEXX_POINTER DraftRef {
 public:
  DraftRef() = default;  ///< nowhere: reads Absent, writes are ignored

  /// What stands there now: its type, and whether there is anything.
  ValueType type() const noexcept;
  bool exists() const noexcept { return type() != ValueType::Absent; }
  DraftRef operator[](std::string_view key) const;
  DraftRef operator[](NameId key) const;
  DraftRef operator[](const char* key) const { return (*this)[std::string_view(key)]; }
  DraftRef operator[](std::size_t index) const;  ///< beyond the end: nowhere
  DraftRef operator[](int index) const { return index < 0 ? DraftRef() : (*this)[static_cast<std::size_t>(index)]; }
  DraftRef at(std::string_view json_pointer) const;  ///< "-" after a list is its next element

  /// What stands there, if it is of that type.
  std::optional<bool> get_bool() const noexcept;
  std::optional<std::int64_t> get_int() const noexcept;
  std::optional<double> get_double() const noexcept;
  std::optional<std::string_view> get_string() const noexcept;
  /// What stands there, or an empty text, or what the caller says.
  std::string_view string() const noexcept { return get_string().value_or(std::string_view{}); }
  std::int64_t int_or(std::int64_t fallback) const noexcept { return get_int().value_or(fallback); }
  bool bool_or(bool fallback) const noexcept { return get_bool().value_or(fallback); }
  std::size_t size() const noexcept;
  /// Names of a map's entries, in the order of the document.
  std::vector<std::string> keys() const;

  void set(bool value) const;
  void set(std::int64_t value) const;
  void set(int value) const { set(static_cast<std::int64_t>(value)); }
  void set(double value) const;
  void set(std::string_view value) const;
  void set(const char* value) const { set(std::string_view(value)); }
  void set(const std::string& value) const { set(std::string_view(value)); }
  void set(Value value) const;  ///< a deep copy; Absent erases
  void set(DraftRef value) const;
  /// Writes null, which is something else than nothing.
  void set_null() const;
  void set_map() const;     ///< an empty map, unless it is one
  void set_list() const;    ///< an empty list, unless it is one
  DraftRef append() const;  ///< a new, absent element at the end; makes a list of what is not one
  template <class T>
  void append(const T& value) const {
    append().set(value);
  }
  void erase() const;  ///< this place goes; elements behind it in a list move up
  void erase(std::string_view key) const;
  void clear() const;  ///< an empty list or map stays one

 private:
  friend class Draft;
  explicit DraftRef(detail::DraftNode* node) noexcept : node_(node) {}
  detail::DraftNode* node_ = nullptr;
};

/// A mutable document. `Object::edit()` gives one that remembers its original; unknown fields survive. Move-only;
/// `clone()` copies.
///
/// Threads: a draft and the places in it belong to one thread at a time; reading counts too.
/// Errors: none that a program meets; contents that outgrow an object (256 MB) throw std::length_error.
/// Example:
///
///     meta::Draft draft = object.edit();
///     draft["metadata"]["labels"]["tier"].set("front");
///     draft["spec"]["replicas"].set(3);
///     if (draft.changed()) greet(draft.merge_patch());
class KUBEXX_EXPORT KUBEXX_OWNER Draft {
 public:
  Draft();  ///< an empty map without an original
  explicit Draft(Object original);
  Draft(Draft&&) noexcept;
  Draft& operator=(Draft&&) noexcept;
  ~Draft();
  Draft clone() const;

  /// The whole document.
  DraftRef root() const noexcept KUBEXX_LIFETIMEBOUND;
  DraftRef operator[](std::string_view key) const KUBEXX_LIFETIMEBOUND { return root()[key]; }
  DraftRef operator[](NameId key) const KUBEXX_LIFETIMEBOUND { return root()[key]; }
  DraftRef operator[](const char* key) const KUBEXX_LIFETIMEBOUND { return root()[std::string_view(key)]; }
  /// The place that a JSON pointer names; see DraftRef::at().
  DraftRef at(std::string_view json_pointer) const KUBEXX_LIFETIMEBOUND { return root().at(json_pointer); }

  /// The object that the draft was made of; a null handle for a new one.
  const Object& original() const noexcept KUBEXX_LIFETIMEBOUND;
  /// Whether anything was written that differs from it.
  bool changed() const;
  /// Freezes the current contents; the draft stays usable. An object cut by a projection stays marked as such.
  Object to_object() const;
  /// RFC 7386 patch from the original to now; "{}" when nothing changed.
  std::string merge_patch() const;
  /// RFC 6902 patch from the original to now; "[]" when nothing changed.
  std::string json_patch() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The patches as functions on values; apply_* are what a server does with them.
KUBEXX_EXPORT std::string merge_patch(Value before, Value after);
KUBEXX_EXPORT std::string json_patch(Value before, Value after);
KUBEXX_EXPORT Result<Object> apply_merge_patch(Value target, Value patch);
KUBEXX_EXPORT Result<Object> apply_json_patch(Value target, Value patch);

}  // namespace kubexx::meta
