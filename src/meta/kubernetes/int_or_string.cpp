#include "kubexx/meta/int_or_string.hpp"

#include <limits>
#include <optional>

#include "base/internal/parse_number.hpp"
#include "meta/quote.hpp"

namespace kubexx::meta {

IntOrString IntOrString::parse(std::string_view text) {
  if (const auto number = parse_number<std::int32_t>(text)) return IntOrString(*number);
  return IntOrString(std::string(text));
}

Result<IntOrString> IntOrString::from_value(Value value) {
  if (const auto text = value.get_string()) return IntOrString(std::string(*text));
  const auto number = value.get_int();
  if (!number) return Error::decode("an integer or a string, not a " + std::string(meta::to_string(value.type())));
  if (*number < std::numeric_limits<std::int32_t>::min() || *number > std::numeric_limits<std::int32_t>::max()) {
    return Error::decode(std::to_string(*number) + " does not fit into 32 bits");
  }
  return IntOrString(static_cast<std::int32_t>(*number));
}

std::int32_t IntOrString::int_or(std::int32_t fallback) const noexcept {
  const auto* number = std::get_if<std::int32_t>(&state_);
  return number ? *number : fallback;
}

std::string IntOrString::to_string() const {
  const auto* text = std::get_if<std::string>(&state_);
  return text ? *text : std::to_string(int_or(0));
}

Result<std::int64_t> IntOrString::scaled(std::int64_t total, bool round_up) const {
  if (is_int()) return static_cast<std::int64_t>(int_or(0));
  std::string_view text = *std::get_if<std::string>(&state_);
  const auto percent = text.ends_with('%') ? parse_number<std::int32_t>(text.substr(0, text.size() - 1)) : std::nullopt;
  if (!percent) return Error::decode("invalid value " + quote(text) + ": neither an integer nor a percentage");
  std::int64_t product = 0;
  if (__builtin_mul_overflow(total, static_cast<std::int64_t>(*percent), &product)) {
    return Error::decode(quote(text) + " of " + std::to_string(total) + " does not fit into 64 bits");
  }
  auto share = product / 100;
  const auto rest = product % 100;
  if (round_up && rest > 0) ++share;
  if (!round_up && rest < 0) --share;
  return share;
}

}  // namespace kubexx::meta
