#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kubexx::detail {

inline constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t load_word(const char* from, std::size_t bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

/// The hash of every table whose keys strangers choose: who does not know the seed cannot choose collisions. 16 bytes a
/// step, because keys are some tens of bytes and are hashed once for each event.
inline std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed) noexcept {
  const std::uint64_t other = (seed << 32 | seed >> 32) ^ kOdd;  // as secret as the seed
  std::uint64_t state = seed ^ (text.size() * kOdd);
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left > 16; at += 16, left -= 16) {
    state = fold(load_word(at, 8) ^ state, load_word(at + 8, 8) ^ other);
  }
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (left >= 8) {
    low = load_word(at, 8);
    high = load_word(at + left - 8, 8);
  } else if (left >= 4) {
    low = load_word(at, 4);
    high = load_word(at + left - 4, 4);
  } else if (left > 0) {
    low = (static_cast<std::uint64_t>(static_cast<unsigned char>(at[0])) << 16) |
          (static_cast<std::uint64_t>(static_cast<unsigned char>(at[left >> 1])) << 8) |
          static_cast<unsigned char>(at[left - 1]);
  }
  return fold(fold(low ^ state, high ^ other) ^ seed, kOdd);
}

}  // namespace kubexx::detail
