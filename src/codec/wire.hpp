#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "meta/internal/name_table.hpp"

namespace kubexx::codec {

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, GroupBegin = 3, GroupEnd = 4, Fixed32 = 5 };

/// Reads protobuf from a span of bytes; every function is false (and the reader unusable) at malformed input.
struct WireReader {
  const std::uint8_t* at = nullptr;
  const std::uint8_t* end = nullptr;

  WireReader() = default;
  explicit WireReader(std::string_view bytes)
      : at(reinterpret_cast<const std::uint8_t*>(bytes.data())), end(at + bytes.size()) {}

  bool done() const noexcept { return at == end; }
  std::size_t left() const noexcept { return static_cast<std::size_t>(end - at); }

  // Inlined, whatever the compiler thinks of it: three of these are a fifth of decoding.
  [[gnu::always_inline]] bool varint(std::uint64_t& out) noexcept {
    if (at != end && *at < 128) {
      out = *at++;
      return true;
    }
    return long_varint(out);
  }

  [[gnu::noinline]] bool long_varint(std::uint64_t& out) noexcept {
    if (left() > 1 && at[1] < 128) {
      out = (at[0] & 127U) | static_cast<unsigned>(at[1]) << 7;
      at += 2;
      return true;
    }
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at == end) return false;
      const std::uint64_t byte = *at++;
      if (shift == 63 && byte > 1) return false;
      value |= (byte & 127) << shift;
      if (byte < 128) {
        out = value;
        return true;
      }
    }
    return false;
  }

  /// A field's number and wire type.
  [[gnu::always_inline]] bool tag(std::uint32_t& number, WireType& type) noexcept {
    std::uint64_t value = 0;
    if (!varint(value) || value >> 32 != 0) return false;
    number = static_cast<std::uint32_t>(value >> 3);
    const auto low = static_cast<std::uint8_t>(value & 7);
    type = static_cast<WireType>(low);
    return number != 0 && low <= 5;
  }

  [[gnu::always_inline]] bool bytes(std::string_view& out) noexcept {
    std::uint64_t size = 0;
    if (!varint(size) || size > left()) return false;
    out = {reinterpret_cast<const char*>(at), static_cast<std::size_t>(size)};
    at += size;
    return true;
  }

  bool fixed64(std::uint64_t& out) noexcept {
    if (left() < 8) return false;
    out = 0;
    for (unsigned i = 0; i < 8; ++i) out |= static_cast<std::uint64_t>(at[i]) << (8 * i);
    at += 8;
    return true;
  }

  /// Passes over the value of a field, groups with all that is inside.
  bool skip(WireType type) noexcept {
    std::size_t open = 0;
    while (true) {
      std::uint64_t ignored = 0;
      std::string_view payload;
      switch (type) {
        case WireType::Varint:
          if (!varint(ignored)) return false;
          break;
        case WireType::Fixed64:
          if (!fixed64(ignored)) return false;
          break;
        case WireType::Bytes:
          if (!bytes(payload)) return false;
          break;
        case WireType::Fixed32:
          if (left() < 4) return false;
          at += 4;
          break;
        case WireType::GroupBegin:
          ++open;
          break;
        case WireType::GroupEnd:
          if (open == 0) return false;
          --open;
          break;
      }
      if (open == 0) return true;
      std::uint32_t number = 0;
      if (!tag(number, type)) return false;
    }
  }
};

inline void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

inline void append_tag(std::string& out, std::uint32_t number, WireType type) {
  append_varint(out, std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type));
}

inline void append_bytes(std::string& out, std::uint32_t number, std::string_view bytes) {
  append_tag(out, number, WireType::Bytes);
  append_varint(out, bytes.size());
  out.append(bytes);
}

/// Closes a length-delimited field whose contents begin at `begin`: puts their length in front of them.
inline void insert_length(std::string& out, std::size_t begin) {
  std::string length;
  append_varint(length, out.size() - begin);
  out.insert(begin, length);
}

inline constexpr std::string_view kMagic{"k8s\0", 4};

/// Length of the valid UTF-8 at the beginning of a text.
std::size_t valid_utf8_prefix(std::string_view text) noexcept;
/// Every byte that is not part of valid UTF-8 becomes U+FFFD, as Go reads it.
void repair_utf8(std::string_view text, std::string& out);

inline bool is_ascii(std::string_view text) noexcept {
  const auto word = [](const char* at) { return meta::detail::load_text<std::uint64_t>(at); };
  const meta::detail::TextBits bits = meta::detail::text_bits(text.data(), text.size());
  std::uint64_t all = bits.head | bits.tail;  // of 16 bytes and less these are all
  if (text.size() > 16) {
    const char* at = text.data() + 8;
    for (const char* const tail = text.data() + text.size() - 8; at < tail; at += 8) all |= word(at);
  }
  return (all & 0x8080808080808080U) == 0;
}

}  // namespace kubexx::codec
