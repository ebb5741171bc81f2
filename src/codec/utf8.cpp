#include "codec/wire.hpp"

namespace kubexx::codec {
namespace {

/// Bytes of the character at the beginning, 0 when it is no valid one.
std::size_t character(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
    if (first == 0xED && byte(1) > 0x9F) return 0;  // surrogate
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t size = character(text.substr(at));
    if (size == 0) break;
    at += size;
  }
  return at;
}

void repair_utf8(std::string_view text, std::string& out) {
  while (true) {
    const std::size_t valid = valid_utf8_prefix(text);
    out.append(text.substr(0, valid));
    if (valid == text.size()) return;
    out.append("\xEF\xBF\xBD");
    text.remove_prefix(valid + 1);
  }
}

}  // namespace kubexx::codec
