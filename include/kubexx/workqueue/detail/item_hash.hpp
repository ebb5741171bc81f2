#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>

#include "kubexx/base/detail/hash.hpp"

namespace kubexx::workqueue::detail {

/// std::hash with a seed of the table's own; strings get a faster one.
template <class T>
std::uint32_t item_hash(const T& item, std::uint64_t seed) {
  std::uint64_t hash = 0;
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    hash = kubexx::detail::hash_bytes(item, seed);
  } else {
    using kubexx::detail::fold;
    using kubexx::detail::kOdd;
    hash = fold(fold(std::hash<T>{}(item) ^ seed, kOdd) ^ seed, kOdd);
  }
  return static_cast<std::uint32_t>(hash >> 32);
}

}  // namespace kubexx::workqueue::detail
