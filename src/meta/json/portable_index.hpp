#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "meta/json/json_text.hpp"

/// The first stage of reading JSON without simdjson, a byte at a time. Only a build with KUBEXX_JSON_INDEX=portable has
/// it, and the tests, which compare.
namespace kubexx::meta::detail {

enum class JsonByte : std::uint8_t { Value, Space, Structural, Quote };

inline constexpr std::array<JsonByte, 256> kJsonBytes = [] {
  std::array<JsonByte, 256> out{};
  for (const char c : {' ', '\t', '\r', '\n'}) out[static_cast<unsigned char>(c)] = JsonByte::Space;
  for (const char c : {'{', '}', '[', ']', ':', ','}) out[static_cast<unsigned char>(c)] = JsonByte::Structural;
  out['"'] = JsonByte::Quote;
  return out;
}();

/// The offset behind the closing quote, or npos. `seen` gets all bits of its bytes.
inline std::size_t end_of_json_string(std::string_view json, std::size_t at, unsigned& seen) {
  bool escaped = false;
  for (; at < json.size(); ++at) {
    const auto c = static_cast<unsigned char>(json[at]);
    seen |= c;
    if (c < 0x20) break;
    if (c == '"' && !escaped) return at + 1;
    escaped = c == '\\' && !escaped;
  }
  return std::string_view::npos;
}

/// Offsets behind the last one: two of the text's size and a zero, as simdjson has them.
inline constexpr std::size_t kBehindTheLast = 3;

/// What JsonIndex finds with simdjson: where each bracket, colon and comma outside of strings is, and where each string
/// and each other value begins. False: empty, no UTF-8, an unterminated string, or a control character in one.
inline bool index_portably(std::string_view json, std::vector<std::uint32_t>& out) {
  out.clear();
  unsigned seen = 0;
  bool in_value = false;
  for (std::size_t at = 0; at < json.size();) {
    const auto c = static_cast<unsigned char>(json[at]);
    const JsonByte byte = kJsonBytes[c];
    // A quote inside of a value is wrong there, and begins nothing.
    const bool goes_on = in_value && (byte == JsonByte::Value || byte == JsonByte::Quote);
    if (byte != JsonByte::Space && !goes_on) out.push_back(static_cast<std::uint32_t>(at));
    in_value = byte == JsonByte::Value;
    seen |= c;
    at = byte == JsonByte::Quote ? end_of_json_string(json, at + 1, seen) : at + 1;
    if (at == std::string_view::npos) return false;
  }
  if (out.empty() || (seen >= 0x80 && find_invalid_utf8(json) != std::string_view::npos)) return false;
  const auto size = static_cast<std::uint32_t>(json.size());
  out.insert(out.end(), {size, size, 0});
  return true;
}

}  // namespace kubexx::meta::detail
