#pragma once

#include <string>
#include <string_view>

namespace kubexx::meta {

/// Text from outside for a message: in double quotes, control and non-ASCII bytes escaped, cut after 200 bytes.
inline std::string quote(std::string_view text) {
  constexpr std::size_t kLimit = 200;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text.substr(0, kLimit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append(1, '\\').append(1, c);
    } else if (byte < 0x20 || byte >= 0x7f) {
      out.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    } else {
      out += c;
    }
  }
  out += text.size() > kLimit ? "...\"" : "\"";
  return out;
}

}  // namespace kubexx::meta
