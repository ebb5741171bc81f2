#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kubexx::meta::detail {

/// A JSON number: an integer that fits int64, or a double. Larger integers become double, as in Go.
struct JsonNumber {
  enum class Kind : std::uint8_t { Int, Double, Malformed, OutOfRange };
  Kind kind = Kind::Malformed;
  std::int64_t integer = 0;
  double real = 0;
};
JsonNumber parse_json_number(std::string_view text) noexcept;
/// As Go prints a float64, except that a whole number below 2^63 gets ".0" so that it stays a double when read again.
void append_json_double(std::string& out, double value);

/// Resolves the escapes of a string's inside; lone surrogates become U+FFFD, as in Go.
/// Returns npos, or the offset of the escape that is none.
std::size_t unescape_json(std::string_view text, std::string& out);

/// Offset of the first byte that is not UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text) noexcept;
/// Bytes of the UTF-8 character at the beginning, or 0 when there is none.
std::size_t utf8_length(std::string_view text) noexcept;

/// Why the first stage of decoding rejects a text, found by reading it slowly.
struct TextFault {
  std::size_t offset = 0;
  std::string message;
};
TextFault find_text_fault(std::string_view json);

}  // namespace kubexx::meta::detail
