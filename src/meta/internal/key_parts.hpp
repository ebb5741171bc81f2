#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kubexx/base/detail/hash.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// metadata.namespace and metadata.name, found in one pass.
struct KeyParts {
  std::string_view space = {};
  std::string_view name = {};
};
KeyParts key_parts(const Object& object) noexcept;

/// Whether `key` is the default key of the object, without building it.
inline bool has_default_key(const Object& object, std::string_view key) noexcept {
  const auto [space, name] = key_parts(object);
  if (name.empty() || !key.ends_with(name)) return false;
  key.remove_suffix(name.size());
  if (space.empty()) return key.empty();
  return key.size() == space.size() + 1 && key.back() == '/' && key.starts_with(space);
}

/// A hash of a key or an index value, seeded once a process: what one layer hashed another can look up. Tables keep 32
/// bits of it.
inline std::uint32_t short_hash(std::string_view text) noexcept {
  static const std::uint64_t seed = Random::process().next();
  return static_cast<std::uint32_t>(kubexx::detail::hash_bytes(text, seed) >> 32);
}

}  // namespace kubexx::meta
