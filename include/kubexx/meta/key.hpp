#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// The key of an object with its hash, made once where the object enters and carried from there on. Keys as Kubernetes
/// makes them fit in place, longer ones are allocated. A value; what was moved from is empty.
class Key {
 public:
  Key() noexcept {}
  explicit Key(std::string_view text);
  /// The default key, "ns/name" or "name"; empty when the object has no name.
  static Key of(const Object& object);

  Key(const Key& other) : hash_(other.hash_), size_(other.size_) {
    if (size_ > sizeof near_) {
      copy_far(other);
    } else if (size_ != 0) {
      std::memcpy(near_, other.near_, sizeof near_);
    }
  }
  Key(Key&& other) noexcept { take(other); }
  Key& operator=(const Key& other) { return *this = Key(other); }
  Key& operator=(Key&& other) noexcept {
    if (this == &other) return *this;
    drop();
    take(other);
    return *this;
  }
  ~Key() { drop(); }

  std::string_view view() const noexcept { return {size_ > sizeof near_ ? far_ : near_, size_}; }
  std::string text() const { return std::string(view()); }
  bool empty() const noexcept { return size_ == 0; }
  /// Seeded once a process: who chooses names cannot choose collisions.
  std::uint32_t hash() const noexcept { return hash_; }

  friend bool operator==(const Key& a, const Key& b) noexcept { return a.hash_ == b.hash_ && a.view() == b.view(); }

 private:
  char* make_room(std::size_t size);  // of an empty key
  void copy_far(const Key& other);
  void take(Key& other) noexcept {
    hash_ = std::exchange(other.hash_, 0);
    size_ = std::exchange(other.size_, 0);
    if (size_ != 0) std::memcpy(near_, other.near_, sizeof near_);
  }
  void drop() noexcept {
    if (size_ > sizeof near_) delete[] far_;
  }

  std::uint32_t hash_ = 0;
  std::uint32_t size_ = 0;
  union {
    char near_[48];
    char* far_;
  };
};

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
