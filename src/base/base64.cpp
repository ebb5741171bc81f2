#include "base/internal/base64.hpp"

#include <array>
#include <cstdint>

namespace kubexx {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr auto kValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  return values;
}();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

}  // namespace

void base64_append(std::string& out, std::string_view bytes) {
  out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
  std::size_t i = 0;
  for (; i + 2 < bytes.size(); i += 3) {
    const auto word = byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
    for (int shift = 18; shift >= 0; shift -= 6) out += kAlphabet[word >> shift & 63];
  }
  const auto rest = bytes.size() - i;
  if (rest == 0) return;
  const auto word = byte_at(bytes, i) << 16 | (rest == 2 ? byte_at(bytes, i + 1) << 8 : 0);
  out += kAlphabet[word >> 18 & 63];
  out += kAlphabet[word >> 12 & 63];
  out += rest == 2 ? kAlphabet[word >> 6 & 63] : '=';
  out += '=';
}

std::string base64_encode(std::string_view bytes) {
  std::string out;
  base64_append(out, bytes);
  return out;
}

Result<std::string> base64_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t word = 0;
  int digits = 0;
  int padding = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const auto value = kValues[static_cast<unsigned char>(c)];
    if (value < 0 || padding > 0) return Error::decode("illegal base64 data at byte " + std::to_string(i));
    word = word << 6 | static_cast<std::uint32_t>(value);
    if (++digits == 4) {
      out += static_cast<char>(word >> 16);
      out += static_cast<char>(word >> 8);
      out += static_cast<char>(word);
      word = 0;
      digits = 0;
    }
  }
  if (digits + padding != (digits == 0 ? 0 : 4) || digits == 1)
    return Error::decode("illegal base64 data: wrong length");
  if (digits == 2) out += static_cast<char>(word >> 4);
  if (digits == 3) {
    out += static_cast<char>(word >> 10);
    out += static_cast<char>(word >> 2);
  }
  return out;
}

}  // namespace kubexx
