#pragma once

namespace kubexx::meta {

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// What may stand between the words of JSON and of selectors.
constexpr bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace kubexx::meta
