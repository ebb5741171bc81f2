#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kubexx/base/detail/hash.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/meta/key.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// A key without building its text, "space/name" or "name". A text is a key of a name alone.
struct KeyParts {
  std::string_view space = {};
  std::string_view name = {};

  std::size_t size() const noexcept { return name.size() + (space.empty() ? 0 : space.size() + 1); }
  char* write(char* out) const noexcept;  ///< size() bytes; returns their end
  std::string text() const;
};
/// metadata.namespace and metadata.name, found in one pass.
KeyParts key_parts(const Object& object) noexcept;
KeyParts key_parts(const Key& key) noexcept;

namespace detail {
inline bool joins_to(const KeyParts& parts, std::string_view text) noexcept {
  return text.size() == parts.size() && text[parts.space.size()] == '/' && text.starts_with(parts.space) &&
         text.ends_with(parts.name);
}
bool same_bytes(const KeyParts& a, const KeyParts& b) noexcept;
}  // namespace detail

/// Whether both have the same text, wherever it is cut.
inline bool same_text(const KeyParts& a, const KeyParts& b) noexcept {
  if (a.space.size() == b.space.size()) return a.name == b.name && a.space == b.space;
  if (b.space.empty()) return detail::joins_to(a, b.name);
  if (a.space.empty()) return detail::joins_to(b, a.name);
  return detail::same_bytes(a, b);
}

/// A hash of a key or an index value, seeded once a process: what one layer hashed another can look up. Tables keep 32
/// bits of it.
inline std::uint32_t short_hash(std::string_view text) noexcept {
  static const std::uint64_t seed = Random::process().next();
  return static_cast<std::uint32_t>(kubexx::detail::hash_bytes(text, seed) >> 32);
}

}  // namespace kubexx::meta
