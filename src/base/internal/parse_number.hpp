#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace kubexx {

/// The number that the whole text is; nothing for other text and for a number that T cannot hold.
template <class T>
std::optional<T> parse_number(std::string_view text, int base = 10) noexcept {
  T number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace kubexx
