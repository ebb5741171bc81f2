#pragma once

#include <cstddef>
#include <string_view>

namespace kubexx {

/// The name of an enumerator among `names`, which has one for each, in order. `kLast` is the last enumerator: a name
/// too few or too many does not compile. What is no enumerator is `otherwise`.
template <auto kLast, std::size_t kCount>
constexpr std::string_view enum_name(decltype(kLast) value, const std::string_view (&names)[kCount],
                                     std::string_view otherwise = "unknown") noexcept {
  static_assert(kCount == static_cast<std::size_t>(kLast) + 1);
  const auto index = static_cast<std::size_t>(value);
  return index < kCount ? names[index] : otherwise;
}

}  // namespace kubexx
