#include "meta/yaml/yaml_scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/internal/parse_number.hpp"
#include "base/internal/text.hpp"
#include "meta/json/json_text.hpp"

namespace kubexx::meta {

namespace {

using Kind = YamlScalar::Kind;

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> kNan = {".nan", ".NaN", ".NAN"};
constexpr std::array<std::string_view, 3> kInfinity = {".inf", ".Inf", ".INF"};

YamlScalar make_bool(bool value) {
  return {Kind::Bool, value, 0, 0};
}
YamlScalar make_int(std::int64_t value) {
  return {Kind::Int, false, value, 0};
}
YamlScalar make_double(double value) {
  return {Kind::Double, false, 0, value};
}

/// Go's ParseInt with base 0, then ParseUint.
std::optional<YamlScalar> parse_yaml_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool positive = text.starts_with('+');
  if (negative || positive) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  if (text.empty()) return std::nullopt;
  const auto parsed = parse_number<std::uint64_t>(text, base);
  if (!parsed) return std::nullopt;
  const std::uint64_t magnitude = *parsed;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude <= kMax + (negative ? 1 : 0)) {
    return make_int(static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude));
  }
  if (negative || positive) return std::nullopt;  // a float then, if it is decimal
  return make_double(static_cast<double>(magnitude));
}

/// [-+]? ( .digits | digits [. digits?] ) ( [eE] [-+]? digits )?
std::optional<YamlScalar> parse_float(std::string_view text) {
  const auto take_digits = [](std::string_view& from) {
    const auto digits = from.substr(0, from.find_first_not_of("0123456789"));
    from.remove_prefix(digits.size());
    return digits;
  };
  auto rest = text;
  if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
  auto whole = take_digits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const auto exponent = rest;
  if (!rest.empty()) {
    if (rest.front() != 'e' && rest.front() != 'E') return std::nullopt;
    rest.remove_prefix(1);
    if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
    if (take_digits(rest).empty() || !rest.empty()) return std::nullopt;
  }
  std::string json = text.starts_with('-') ? "-" : "";
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  json.append(whole.empty() ? "0" : whole).append(".").append(fraction.empty() ? "0" : fraction).append(exponent);
  const auto number = detail::parse_json_number(json);
  if (number.kind != detail::JsonNumber::Kind::Double) return std::nullopt;  // too large: Go leaves it a text
  return make_double(number.real);
}

struct Digits {
  bool negative = false;
  std::string digits;  // first digit, then the others; no point
  int exponent = 0;    // of the first digit
};

template <class Float>
Digits shortest_digits(Float number) {
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific).ptr;
  std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  Digits result;
  result.negative = text.starts_with('-');
  if (result.negative) text.remove_prefix(1);
  const auto e = text.find('e');
  result.digits.assign(1, text.front());
  if (e > 2) result.digits += text.substr(2, e - 2);
  auto exponent = text.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.exponent);
  return result;
}

template <class Float>
std::string format_general(Float number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  auto [negative, digits, exponent] = shortest_digits(number);
  std::string text = negative ? "-" : "";
  if (exponent < -4 || exponent >= 6) {
    text += digits[0];
    if (digits.size() > 1) text.append(".").append(digits, 1, std::string::npos);
    const auto magnitude = std::to_string(std::abs(exponent));
    return text.append(exponent < 0 ? "e-" : "e+").append(magnitude.size() < 2 ? "0" : "").append(magnitude);
  }
  if (exponent < 0) return text.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
  const auto before_point = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= before_point) return text.append(digits).append(before_point - digits.size(), '0');
  return text.append(digits, 0, before_point).append(".").append(digits, before_point, std::string::npos);
}

}  // namespace

YamlScalar through_json(double number) {
  if (!std::isfinite(number) || std::trunc(number) != number || std::abs(number) >= 1e19) return make_double(number);
  const auto [negative, digits, exponent] = shortest_digits(number);
  std::string text = (negative ? "-" : "") + digits;
  text.append(static_cast<std::size_t>(exponent) + 1 - digits.size(), '0');
  std::int64_t integer = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), integer).ec != std::errc()) return make_double(number);
  return make_int(integer);
}

YamlScalar resolve_yaml_scalar(std::string_view text) {
  if (is_one_of(text, kNull)) return {Kind::Null, false, 0, 0};
  if (is_one_of(text, kTrue)) return make_bool(true);
  if (is_one_of(text, kFalse)) return make_bool(false);
  const char first = text.front();
  if (first == '.' || first == '+' || first == '-') {
    if (is_one_of(text, kNan)) return make_double(std::numeric_limits<double>::quiet_NaN());
    if (is_one_of(text.substr(first == '.' ? 0 : 1), kInfinity)) {
      return make_double(first == '-' ? -HUGE_VAL : HUGE_VAL);
    }
  }
  if (first == '.') return parse_float(text).value_or(YamlScalar());
  if (!is_digit(first) && first != '+' && first != '-') return {};
  std::string plain(text);
  std::erase(plain, '_');
  if (const auto integer = parse_yaml_integer(plain)) return *integer;
  return parse_float(plain).value_or(YamlScalar());
}

bool looks_like_yaml_timestamp(std::string_view text) {
  const auto take = [&](std::size_t least, std::size_t most, int low, int high) {
    std::size_t count = 0;
    int value = 0;
    while (count < most && count < text.size() && is_digit(text[count])) value = value * 10 + (text[count++] - '0');
    text.remove_prefix(count);
    return count >= least && value >= low && value <= high;
  };
  const auto skip = [&](char c) {
    const bool there = text.starts_with(c);
    if (there) text.remove_prefix(1);
    return there;
  };
  if (!take(4, 4, 0, 9999) || !skip('-') || !take(1, 2, 1, 12) || !skip('-') || !take(1, 2, 1, 31)) return false;
  if (text.empty()) return true;
  if (!skip('T') && !skip('t') && !skip(' ')) return false;
  return take(1, 2, 0, 23) && skip(':') && take(1, 2, 0, 59) && skip(':') && take(1, 2, 0, 59);
}

bool looks_like_base60(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && is_digit(text.front()) && text.find(':') != std::string_view::npos &&
         text.find_first_not_of("0123456789_:.") == std::string_view::npos;
}

std::string format_yaml_double(double number) {
  return format_general(number);
}
std::string format_yaml_key(double number) {
  return format_general(static_cast<float>(number));
}

}  // namespace kubexx::meta
