#include "meta/kubernetes/limbs.hpp"

#include <charconv>

namespace kubexx::meta::limbs {

namespace {

constexpr std::size_t kDigits = 9;

void trim(Limbs& limbs) {
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
}

}  // namespace

Limbs from_digits(std::string_view digits) {
  Limbs limbs;
  limbs.reserve(digits.size() / kDigits + 1);
  while (!digits.empty()) {
    const auto take = digits.size() < kDigits ? digits.size() : kDigits;
    const auto part = digits.substr(digits.size() - take);
    std::uint32_t limb = 0;
    std::from_chars(part.data(), part.data() + part.size(), limb);
    limbs.push_back(limb);
    digits.remove_suffix(take);
  }
  trim(limbs);
  return limbs;
}

std::string to_digits(const Limbs& limbs) {
  if (limbs.empty()) return "0";
  std::string digits = std::to_string(limbs.back());
  for (auto i = limbs.size() - 1; i-- > 0;) {
    const auto part = std::to_string(limbs[i]);
    digits.append(kDigits - part.size(), '0').append(part);
  }
  return digits;
}

std::strong_ordering compare(const Limbs& a, const Limbs& b) noexcept {
  if (a.size() != b.size()) return a.size() <=> b.size();
  for (auto i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] <=> b[i];
  }
  return std::strong_ordering::equal;
}

void add(Limbs& to, const Limbs& other) {
  if (to.size() < other.size()) to.resize(other.size());
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto sum = to[i] + carry + (i < other.size() ? other[i] : 0);  // below 2 * 10^9 + 1: fits
    carry = sum >= kBase ? 1 : 0;
    to[i] = sum - carry * kBase;
  }
  if (carry != 0) to.push_back(carry);
}

void subtract(Limbs& from, const Limbs& other) {
  std::uint32_t borrow = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto taken = borrow + (i < other.size() ? other[i] : 0);
    borrow = from[i] < taken ? 1 : 0;
    from[i] = from[i] + borrow * kBase - taken;
  }
  trim(from);
}

void multiply(Limbs& limbs, std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (auto& limb : limbs) {
    carry += static_cast<std::uint64_t>(limb) * factor;
    limb = static_cast<std::uint32_t>(carry % kBase);
    carry /= kBase;
  }
  for (; carry != 0; carry /= kBase) limbs.push_back(static_cast<std::uint32_t>(carry % kBase));
  trim(limbs);
}

std::uint32_t divide(Limbs& limbs, std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (auto i = limbs.size(); i-- > 0;) {
    rest = rest * kBase + limbs[i];
    limbs[i] = static_cast<std::uint32_t>(rest / divisor);
    rest %= divisor;
  }
  trim(limbs);
  return static_cast<std::uint32_t>(rest);
}

}  // namespace kubexx::meta::limbs
