#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace kubexx {

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// What may stand between the words of JSON and of selectors.
constexpr bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// -1 for what is no hexadecimal digit.
constexpr int hex_digit(char c) noexcept {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string to_lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

inline bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

inline std::string_view trim(std::string_view text) noexcept {
  auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// The parts, or what `text` says of each, with the separator between them.
template <class Parts, class Text = std::identity>
std::string joined(const Parts& parts, std::string_view separator = ",", Text text = {}) {
  std::string out;
  bool first = true;
  for (const auto& part : parts) {
    if (!std::exchange(first, false)) out += separator;
    out += std::invoke(text, part);
  }
  return out;
}

/// A URL's text with its escapes resolved; a percent sign that escapes nothing stands for itself.
inline std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace kubexx
