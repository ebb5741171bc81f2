#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kubexx::meta {

struct BadYamlByte {
  std::uint32_t line = 0;  // from 0
  std::uint32_t column = 0;
  std::string_view what;
};

/// The first byte that YAML does not allow: no UTF-8, or a control character other than tab and line breaks.
std::optional<BadYamlByte> find_bad_yaml_byte(std::string_view text);

/// The code point that starts at `at` in valid UTF-8, and its length in bytes.
struct CodePoint {
  std::uint32_t value = 0;
  std::uint32_t length = 1;
};
CodePoint code_point_at(std::string_view text, std::size_t at);

}  // namespace kubexx::meta
