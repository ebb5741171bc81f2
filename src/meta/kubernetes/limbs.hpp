#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubexx::meta::limbs {

/// Natural numbers of any size: base 10^9, least significant first, no zero at the end (zero is empty).
using Limbs = std::vector<std::uint32_t>;
inline constexpr std::uint32_t kBase = 1'000'000'000;

Limbs from_digits(std::string_view digits);
std::string to_digits(const Limbs& limbs);  ///< "0" for zero

std::strong_ordering compare(const Limbs& a, const Limbs& b) noexcept;
void add(Limbs& to, const Limbs& other);
void subtract(Limbs& from, const Limbs& other);  ///< requires from >= other
void multiply(Limbs& limbs, std::uint32_t factor);
std::uint32_t divide(Limbs& limbs, std::uint32_t divisor);  ///< answers the remainder

}  // namespace kubexx::meta::limbs
