#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

struct KeyParts;  // src/meta/internal/key_parts.hpp

/// The key of an object with its hash, made once where the object enters and carried from there on. A default key
/// stands in the object itself, which the key keeps alive, and nowhere else; any other has an object made for it. Two
/// words; copying it copies a handle. What was moved from is empty.
class KUBEXX_EXPORT Key {
 public:
  Key() noexcept = default;
  /// Throws std::length_error for a text that no object can hold (256 MB).
  explicit Key(std::string_view text);
  /// The default key, "ns/name" or "name"; empty when the object has no name.
  static Key of(Object object);
  /// That text as the key of the object, whose default key it may be.
  static Key of(const Object& object, std::string_view text);

  /// As "namespace/name".
  std::string text() const;
  bool empty() const noexcept { return !named_; }
  /// Seeded once a process: who chooses names cannot choose collisions.
  std::uint32_t hash() const noexcept { return hash_; }
  bool is_default_of(const Object& object) const noexcept;

  /// The same text.
  friend bool operator==(const Key& a, const Key& b) noexcept;

 private:
  friend KeyParts key_parts(const Key& key) noexcept;

  Object named_;  // whose default key this is
  std::uint32_t hash_ = 0;
};
KUBEXX_EXPORT bool operator==(const Key& a, const Key& b) noexcept;

/// An object and the key it goes by.
struct KeyedObject {
  Key key = {};
  Object object = {};
};

}  // namespace kubexx::meta

template <>
struct std::hash<kubexx::meta::Key> {
  std::size_t operator()(const kubexx::meta::Key& key) const noexcept { return key.hash(); }
};
