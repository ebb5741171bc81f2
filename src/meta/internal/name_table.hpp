#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "kubexx/meta/name.hpp"

namespace kubexx::meta::detail {

/// The first and last bytes of a text, read without leaving it. Texts of equal length up to 16 are equal exactly when
/// these are, so short names and strings are compared without a call.
struct TextBits {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  friend constexpr bool operator==(const TextBits&, const TextBits&) = default;
};

template <class Int>
constexpr Int load_text(const char* text) noexcept {
  Int value = 0;
  if (std::is_constant_evaluated()) {
    for (std::size_t i = 0; i < sizeof(Int); ++i) {
      const std::size_t at = std::endian::native == std::endian::little ? i : sizeof(Int) - 1 - i;
      value |= static_cast<Int>(static_cast<Int>(static_cast<unsigned char>(text[i])) << (8 * at));
    }
  } else {
    std::memcpy(&value, text, sizeof(Int));
  }
  return value;
}

constexpr TextBits text_bits(const char* text, std::size_t size) noexcept {
  if (size >= 8) return {load_text<std::uint64_t>(text), load_text<std::uint64_t>(text + size - 8)};
  if (size >= 4) return {load_text<std::uint32_t>(text), load_text<std::uint32_t>(text + size - 4)};
  if (size == 0) return {};
  return {static_cast<unsigned char>(text[0]), static_cast<std::uint64_t>(static_cast<unsigned char>(text[size / 2]))
                                                       << 8 |
                                                   static_cast<unsigned char>(text[size - 1])};
}

constexpr std::uint64_t mix(TextBits bits, std::size_t size) noexcept {
  const std::uint64_t h = (bits.head ^ (bits.tail * 0x9e3779b97f4a7c15ULL) ^ size) * 0xd6e8feb86659fd93ULL;
  return h ^ (h >> 32);
}

struct NameSlot {
  std::uint16_t id_plus_one = 0;  // 0: free
  std::uint16_t size = 0;
};
inline constexpr std::size_t kNameSlots = 4096;
extern const std::array<NameSlot, kNameSlots> kNameTable;  // open addressing
extern const TextBits* const kNameBits;                    // by id
extern const std::string_view* const kNameTexts;           // by id

/// The id of a known name, or -1.
inline int find_name_id(const char* text, std::size_t size) noexcept {
  const TextBits bits = text_bits(text, size);
  for (std::size_t at = mix(bits, size) % kNameSlots;; at = (at + 1) % kNameSlots) {
    const NameSlot slot = kNameTable[at];
    if (slot.id_plus_one == 0) return -1;
    const int id = slot.id_plus_one - 1;
    if (slot.size == size && kNameBits[id] == bits &&
        (size <= 16 || std::memcmp(kNameTexts[id].data() + 8, text + 8, size - 16) == 0)) {
      return id;
    }
  }
}

}  // namespace kubexx::meta::detail
