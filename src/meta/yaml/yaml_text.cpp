#include "meta/yaml/yaml_text.hpp"

#include "meta/json/json_text.hpp"

namespace kubexx::meta {

namespace {

/// The code point at `at`, or length 0 when the bytes there are no UTF-8.
CodePoint decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const auto length = static_cast<std::uint32_t>(detail::utf8_length(text.substr(at)));
  if (length <= 1) return {byte(at), length};
  std::uint32_t value = byte(at) & (0x7fU >> length);
  for (std::uint32_t i = 1; i < length; ++i) value = value << 6 | (byte(at + i) & 0x3f);
  return {value, length};
}

}  // namespace

std::optional<BadYamlByte> find_bad_yaml_byte(std::string_view text) {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto point = decode(text, i);
    if (point.length == 0) return BadYamlByte{line, column, "the text is not valid UTF-8"};
    const auto c = point.value;
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f || (c >= 0x80 && c < 0xa0 && c != 0x85)) {
      return BadYamlByte{line, column, "control characters are not allowed"};
    }
    if (c == '\n') {
      ++line;
      column = 0;
    } else {
      ++column;
    }
    i += point.length;
  }
  return std::nullopt;
}

CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto point = decode(text, at);
  return point.length == 0 ? CodePoint{0xfffd, 1} : point;
}

}  // namespace kubexx::meta
