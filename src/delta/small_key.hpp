#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "meta/internal/key_text.hpp"

namespace kubexx::delta {

/// A key with its hash. Keys as Kubernetes makes them fit in place, longer ones are allocated.
class SmallKey {
 public:
  SmallKey() noexcept {}
  explicit SmallKey(std::string_view text) : hash_(hash_of(text)), size_(static_cast<std::uint32_t>(text.size())) {
    char* to = near_;
    if (size_ > sizeof near_) to = far_ = new char[size_];
    std::memcpy(to, text.data(), text.size());
  }
  SmallKey(SmallKey&& other) noexcept { take(other); }
  SmallKey& operator=(SmallKey&& other) noexcept {
    if (this == &other) return *this;
    drop();
    take(other);
    return *this;
  }
  ~SmallKey() { drop(); }

  std::string_view text() const noexcept { return {size_ > sizeof near_ ? far_ : near_, size_}; }
  std::uint32_t hash() const noexcept { return hash_; }

  static std::uint32_t hash_of(std::string_view text) noexcept {
    return static_cast<std::uint32_t>(meta::hash_key(text));
  }

 private:
  void take(SmallKey& other) noexcept {
    hash_ = other.hash_;
    size_ = other.size_;
    std::memcpy(near_, other.near_, sizeof near_);
    other.size_ = 0;
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

}  // namespace kubexx::delta
