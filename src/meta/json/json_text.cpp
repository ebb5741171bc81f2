#include "meta/json/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/internal/text.hpp"

namespace kubexx::meta::detail {
namespace {

/// Decimal exponent of the first digit that is not 0, for numbers that from_chars calls out of range.
bool is_tiny(std::string_view text) noexcept {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  bool negative_exponent = false;
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::size_t at = e + 1;
    if (text[at] == '-' || text[at] == '+') negative_exponent = text[at++] == '-';
    for (; at < text.size() && exponent < 1'000'000'000; ++at) exponent = exponent * 10 + (text[at] - '0');
  }
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const auto position = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  return position + (negative_exponent ? -exponent : exponent) < 0;
}

JsonNumber parse_double(std::string_view text) noexcept {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(text)) return {JsonNumber::Kind::OutOfRange};
    value = text.front() == '-' ? -0.0 : 0.0;
  } else if (error != std::errc()) {
    return {};
  }
  if (!std::isfinite(value)) return {JsonNumber::Kind::OutOfRange};
  return {JsonNumber::Kind::Double, 0, value};
}

/// 1.25e+17 as 125000000000000000.
void append_digits(std::string& out, std::string_view scientific) {
  const std::size_t e = scientific.find('e');
  int exponent = 0;
  std::from_chars(scientific.data() + e + 2, scientific.data() + scientific.size(), exponent);
  int after_point = -1;  // digits behind the first one
  for (const char c : scientific.substr(0, e)) {
    if (c == '.') continue;
    if (c != '-' && after_point++ == exponent) out += '.';
    out += c;
  }
  out.append(static_cast<std::size_t>(std::max(0, exponent - after_point)), '0');
}

/// Four hex digits at the position, or -1.
int hex4(std::string_view text, std::size_t at) noexcept {
  if (at + 4 > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

}  // namespace

JsonNumber parse_json_number(std::string_view text) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  const char* const digits = at;
  std::uint64_t value = 0;
  while (at != end && is_digit(*at)) value = value * 10 + static_cast<std::uint64_t>(*at++ - '0');
  const auto count = at - digits;
  if (count == 0 || (count > 1 && *digits == '0')) return {};
  if (at == end) {
    if (count <= 18) {
      const auto whole = static_cast<std::int64_t>(value);
      return {JsonNumber::Kind::Int, negative ? -whole : whole};
    }
    std::int64_t whole = 0;
    if (std::from_chars(text.data(), end, whole).ec == std::errc()) return {JsonNumber::Kind::Int, whole};
    return parse_double(text);
  }
  if (*at == '.') {
    const char* const fraction = ++at;
    while (at != end && is_digit(*at)) ++at;
    if (at == fraction) return {};
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    const char* const exponent = at;
    while (at != end && is_digit(*at)) ++at;
    if (at == exponent) return {};
  }
  return at == end ? parse_double(text) : JsonNumber();
}

void append_json_double(std::string& out, double value) {
  if (!std::isfinite(value)) {  // JSON has no word for it; decoders never make one
    out += "null";
    return;
  }
  char buffer[64];
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e21);
  const bool large = plain && size >= 1e15;  // to_chars would print digits that are not significant
  const auto format = plain && !large ? std::chars_format::fixed : std::chars_format::scientific;
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, format);
  (void)error;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  if (large) {
    append_digits(out, text);
    if (size < 9223372036854775808.0 && size == std::trunc(size)) out += ".0";
  } else if (plain) {
    out.append(text);
    if (text.find('.') == std::string_view::npos) out += ".0";
  } else {
    // Go writes e-9 where C++ writes e-09.
    const std::size_t exponent = text.find('e') + 2;
    out.append(text.substr(0, exponent));
    out.append(text.substr(text.size() == exponent + 2 && text[exponent] == '0' ? exponent + 1 : exponent));
  }
}

std::size_t unescape_json(std::string_view text, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t slash = text.find('\\', at);
    out.append(text.substr(at, slash - at));
    if (slash == std::string_view::npos) break;
    if (slash + 1 == text.size()) return slash;
    at = slash + 2;
    switch (text[slash + 1]) {
      case '"':
      case '\\':
      case '/':
        out += text[slash + 1];
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u': {
        const int unit = hex4(text, at);
        if (unit < 0) return slash;
        at += 4;
        auto c = static_cast<std::uint32_t>(unit);
        if (c >= 0xd800 && c < 0xe000) {
          const int second = c < 0xdc00 && text.substr(at, 2) == "\\u" ? hex4(text, at + 2) : -1;
          if (second >= 0xdc00 && second < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (static_cast<std::uint32_t>(second) - 0xdc00);
            at += 6;
          } else {
            c = 0xfffd;
          }
        }
        append_utf8(out, c);
        break;
      }
      default:
        return slash;
    }
  }
  return std::string_view::npos;
}

std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  if (text.empty()) return 0;
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    return follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    return follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

std::size_t find_invalid_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

TextFault find_text_fault(std::string_view json) {
  if (json.find_first_not_of(" \t\r\n") == std::string_view::npos) return {json.size(), "empty input"};
  if (const std::size_t at = find_invalid_utf8(json); at != std::string_view::npos) return {at, "invalid UTF-8"};
  std::size_t open = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      in_string = !in_string;
      open = at;
    } else if (in_string && c == '\\') {
      ++at;
    } else if (in_string && static_cast<unsigned char>(c) < 0x20) {
      return {at, "control character in a string"};
    }
  }
  if (in_string) return {open, "unterminated string"};
  return {0, "not JSON"};
}

}  // namespace kubexx::meta::detail
