#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

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

namespace detail {
__extension__ using Wide = unsigned __int128;

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t key_seed() noexcept {
  static const std::uint64_t seed = Random::process().next();
  return seed;
}
}  // namespace detail

/// A hash of a key or an index value, seeded once a process: who chooses names cannot choose collisions.
inline std::uint64_t hash_key(std::string_view text) noexcept {
  constexpr std::uint64_t kOdd = 0x9fb21c651e98df25U;
  std::uint64_t hash = detail::key_seed() ^ (text.size() * kOdd);
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t word = 0;
  for (; left >= 8; left -= 8, at += 8) {
    std::memcpy(&word, at, 8);
    hash = detail::fold(hash ^ word, kOdd);
  }
  if (left != 0) {
    word = 0;
    std::memcpy(&word, at, left);
    hash = detail::fold(hash ^ word, kOdd);
  }
  return detail::fold(hash, hash ^ kOdd);
}

}  // namespace kubexx::meta
