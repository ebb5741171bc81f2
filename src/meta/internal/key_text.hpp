#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
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

/// The default key of an object, "ns/name" or "name", built on the stack. Empty when the object has no name.
/// The same text as meta_namespace_key(), for paths that ask for millions of keys.
class KeyText {
 public:
  explicit KeyText(const Object& object) {
    const auto [space, name] = key_parts(object);
    if (name.empty()) return;
    const std::size_t prefix = space.empty() ? 0 : space.size() + 1;
    size_ = prefix + name.size();
    char* out = near_;
    if (size_ > sizeof near_) {
      far_.resize(size_);
      out = far_.data();
    }
    if (prefix != 0) {
      std::memcpy(out, space.data(), space.size());
      out[prefix - 1] = '/';
    }
    std::memcpy(out + prefix, name.data(), name.size());
  }

  std::string_view view() const noexcept { return {size_ > sizeof near_ ? far_.data() : near_, size_}; }
  bool empty() const noexcept { return size_ == 0; }

 private:
  std::size_t size_ = 0;
  char near_[192];
  std::string far_;  // of longer keys
};

/// Whether `key` is the default key of the object, without building it.
inline bool has_default_key(const Object& object, std::string_view key) noexcept {
  const auto [space, name] = key_parts(object);
  if (name.empty() || !key.ends_with(name)) return false;
  key.remove_suffix(name.size());
  if (space.empty()) return key.empty();
  return key.size() == space.size() + 1 && key.back() == '/' && key.starts_with(space);
}

/// A hash of a key or an index value, seeded once a process: what one layer hashed another can look up.
inline std::uint64_t hash_key(std::string_view text) noexcept {
  static const std::uint64_t seed = Random::process().next();
  return kubexx::detail::hash_bytes(text, seed);
}

}  // namespace kubexx::meta
