#include "kubexx/meta/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/internal/text.hpp"
#include "meta/kubernetes/limbs.hpp"
#include "meta/quote.hpp"

namespace kubexx::meta {

namespace {

using Format = Quantity::Format;
using limbs::Limbs;

constexpr std::size_t kMaxDigits = 1000;  // before the point; also the longest text, suffix aside, that is looked at
constexpr std::uint64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

struct Suffix {
  std::string_view text;
  int exponent;
};
constexpr std::array<Suffix, 10> kDecimal = {
    {{"n", -9}, {"u", -6}, {"m", -3}, {"", 0}, {"k", 3}, {"M", 6}, {"G", 9}, {"T", 12}, {"P", 15}, {"E", 18}}};
constexpr std::array<std::string_view, 7> kBinary = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const auto digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

Error malformed(std::string_view text) {
  return Error::decode("quantity " + quote(text) +
                       " must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

struct Scale {
  Format format = Format::DecimalSI;
  int decimal = 0;         // power of 10
  std::size_t binary = 0;  // power of 1024
};

std::optional<Scale> parse_suffix(std::string_view suffix) {
  for (const auto& known : kDecimal) {
    if (suffix == known.text) return Scale{Format::DecimalSI, known.exponent, 0};
  }
  for (std::size_t i = 1; i < kBinary.size(); ++i) {
    if (suffix == kBinary[i]) return Scale{Format::BinarySI, 0, i};
  }
  if (suffix.front() != 'e' && suffix.front() != 'E') return std::nullopt;
  suffix.remove_prefix(1);
  const bool negative = suffix.starts_with('-');
  if (negative || suffix.starts_with('+')) suffix.remove_prefix(1);
  if (suffix.empty()) return std::nullopt;
  int exponent = 0;
  for (const char c : suffix) {
    if (!is_digit(c)) return std::nullopt;
    exponent = std::min(exponent * 10 + (c - '0'), 1'000'000);  // far outside what is kept
  }
  return Scale{Format::DecimalExponent, negative ? -exponent : exponent, 0};
}

/// digits * 10^exponent, in nano, with what is finer rounded up; nullopt when it has too many digits.
std::optional<Limbs> to_nano(std::string digits, long exponent) {
  const auto first = digits.find_first_not_of('0');
  if (first == std::string::npos) return Limbs{};
  digits.erase(0, first);
  const long shift = exponent + 9;
  if (static_cast<long>(digits.size()) + shift > static_cast<long>(kMaxDigits) + 9) return std::nullopt;
  if (shift >= 0) {
    digits.append(static_cast<std::size_t>(shift), '0');
    return limbs::from_digits(digits);
  }
  const auto cut = std::min(static_cast<std::size_t>(-shift), digits.size());
  const bool rounds = digits.find_first_not_of('0', digits.size() - cut) != std::string::npos ||
                      static_cast<std::size_t>(-shift) > digits.size();
  digits.erase(digits.size() - cut);
  auto result = limbs::from_digits(digits);
  if (rounds) limbs::add(result, {1});
  return result;
}

std::uint64_t clamp_to_u64(const Limbs& number) {
  std::uint64_t result = 0;
  for (auto i = number.size(); i-- > 0;) {
    if (result > (std::numeric_limits<std::uint64_t>::max() - number[i]) / limbs::kBase) {
      return std::numeric_limits<std::uint64_t>::max();
    }
    result = result * limbs::kBase + number[i];
  }
  return result;
}

Limbs nano_of(std::uint64_t whole) {
  auto result = limbs::from_digits(std::to_string(whole));
  if (!result.empty()) result.insert(result.begin(), 0);
  return result;
}

std::string decimal_text(const Limbs& nano, Format format) {
  std::string digits = limbs::to_digits(nano);
  const auto last = digits.find_last_not_of('0');
  const auto zeros = (digits.size() - 1 - last) / 3 * 3;
  digits.resize(digits.size() - zeros);
  const int exponent = static_cast<int>(zeros) - 9;
  if (format == Format::DecimalSI) {
    for (const auto& suffix : kDecimal) {
      if (suffix.exponent == exponent) return digits.append(suffix.text);
    }
  }
  if (exponent != 0) digits.append("e").append(std::to_string(exponent));
  return digits;
}

std::string binary_text(const Limbs& nano) {
  Limbs whole(nano.begin() + 1, nano.end());
  std::size_t power = 0;
  while (power + 1 < kBinary.size()) {
    Limbs next = whole;
    if (limbs::divide(next, 1024) != 0) break;
    whole = std::move(next);
    ++power;
  }
  return limbs::to_digits(whole).append(kBinary[power]);
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

}  // namespace

Quantity Quantity::from_int(std::int64_t value, Format format) {
  Quantity quantity;
  quantity.limbs_ = nano_of(magnitude(value));
  quantity.negative_ = value < 0;
  quantity.format_ = format;
  return quantity;
}

Quantity Quantity::from_milli(std::int64_t value, Format format) {
  Quantity quantity;
  quantity.limbs_ = limbs::from_digits(std::to_string(magnitude(value)) + "000000");
  quantity.negative_ = value < 0;
  quantity.format_ = format;
  return quantity;
}

Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.size() > 2 * kMaxDigits) return Error::decode("quantity " + quote(text) + " is too long");
  auto rest = text;
  Quantity quantity;
  quantity.negative_ = rest.starts_with('-');
  if (quantity.negative_ || rest.starts_with('+')) rest.remove_prefix(1);
  std::string digits(take_digits(rest));
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
    digits += fraction;
  }
  if (digits.empty()) return malformed(text);
  const auto scale = parse_suffix(rest);
  if (!scale) {
    const bool plausible = rest.find_first_not_of("eEinumkKMGTP+-0123456789") == std::string_view::npos;
    return plausible ? Error::decode("unable to parse the suffix of quantity " + quote(text)) : malformed(text);
  }
  quantity.format_ = scale->format;
  if (scale->binary > 0) {  // before rounding: 0.0000000001Ei has no fraction finer than nano
    auto number = limbs::from_digits(digits);
    for (std::size_t i = 0; i < scale->binary; ++i) limbs::multiply(number, 1024);
    digits = limbs::to_digits(number);
  }
  auto nano = to_nano(std::move(digits), scale->decimal - static_cast<long>(fraction.size()));
  if (!nano) return Error::decode("quantity " + quote(text) + " is too large");
  if (scale->format == Format::BinarySI) {
    const auto cap = nano_of(kInt64Max);
    if (limbs::compare(*nano, cap) > 0) *nano = cap;
    if (nano->size() == 1) quantity.format_ = Format::DecimalSI;  // under 1: decimal suffixes say it exactly
  }
  quantity.limbs_ = *std::move(nano);
  if (quantity.limbs_.empty()) quantity.negative_ = false;
  return quantity;
}

Result<Quantity> Quantity::from_value(Value value) {
  switch (value.type()) {
    case ValueType::Absent:
    case ValueType::Null:
      return Quantity();
    case ValueType::String:
      return parse(value.string());
    case ValueType::Int:
      return from_int(value.int_or(0));
    case ValueType::Double: {
      std::array<char, 400> text{};
      const auto end = std::to_chars(text.data(), text.data() + text.size(), value.double_or(0)).ptr;
      return parse(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
    }
    default:
      return Error::decode("a quantity is a string or a number, not a " + std::string(meta::to_string(value.type())));
  }
}

std::string Quantity::to_string() const {
  if (is_zero()) return "0";
  const bool binary = format_ == Format::BinarySI && limbs_[0] == 0 && (limbs_.size() > 2 || limbs_[1] >= 1024);
  const auto text =
      binary ? binary_text(limbs_) : decimal_text(limbs_, format_ == Format::BinarySI ? Format::DecimalSI : format_);
  return negative_ ? "-" + text : text;
}

std::optional<std::int64_t> Quantity::as_int64() const noexcept {
  if (is_zero()) return 0;
  if (limbs_[0] != 0) return std::nullopt;
  const auto whole = scaled_value(0);
  if (limbs_.size() > 4 || limbs::compare(limbs_, nano_of(magnitude(whole))) != 0) return std::nullopt;
  return whole;
}

std::int64_t Quantity::scaled_value(int scale) const noexcept {
  Limbs number = limbs_;
  bool rounds = false;
  for (int i = -9; i < scale; ++i) rounds |= limbs::divide(number, 10) != 0;
  if (rounds) limbs::add(number, {1});
  const auto clamped = std::min(clamp_to_u64(number), kInt64Max + (negative_ ? 1 : 0));
  return negative_ ? static_cast<std::int64_t>(0 - clamped) : static_cast<std::int64_t>(clamped);
}

double Quantity::as_double() const noexcept {
  const auto text = std::string(negative_ ? "-" : "").append(limbs::to_digits(limbs_)).append("e-9");
  double number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc::result_out_of_range) {
    return negative_ ? -HUGE_VAL : HUGE_VAL;
  }
  return number;
}

void Quantity::add_signed(const Limbs& other, bool negative) {
  if (negative_ == negative) {
    limbs::add(limbs_, other);
  } else if (limbs::compare(limbs_, other) >= 0) {
    limbs::subtract(limbs_, other);
  } else {
    Limbs difference = other;
    limbs::subtract(difference, limbs_);
    limbs_ = std::move(difference);
    negative_ = negative;
  }
  if (limbs_.empty()) negative_ = false;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (is_zero()) format_ = other.format_;
  add_signed(Limbs(other.limbs_), other.negative_);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  if (is_zero()) format_ = other.format_;
  add_signed(Limbs(other.limbs_), !other.negative_);
  return *this;
}

Quantity Quantity::operator-() const {
  Quantity negated = *this;
  negated.negative_ = !negative_ && !is_zero();
  return negated;
}

std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) noexcept {
  if (a.sign() != b.sign()) return a.sign() <=> b.sign();
  return a.negative_ ? limbs::compare(b.limbs_, a.limbs_) : limbs::compare(a.limbs_, b.limbs_);
}

}  // namespace kubexx::meta
