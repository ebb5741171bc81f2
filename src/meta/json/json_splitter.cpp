#include "meta/json/json_splitter.hpp"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kubexx::meta::detail {
namespace {

constexpr std::size_t kBlock = 64;

/// One bit for each byte of a block.
struct Masks {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t opens = 0;
  std::uint64_t closes = 0;
};

#if defined(__SSE2__)

Masks read_block(const char* block) noexcept {
  __m128i lanes[4];
  for (std::size_t i = 0; i < 4; ++i) lanes[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + i);
  const auto match = [&lanes](char c) {
    const __m128i wanted = _mm_set1_epi8(c);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto part = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(lanes[i], wanted)));
      bits |= static_cast<std::uint64_t>(part) << (16 * i);
    }
    return bits;
  };
  return {match('"'), match('\\'), match('{'), match('}')};
}

#else

Masks read_block(const char* block) noexcept {
  Masks masks;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (block[i] == '"') masks.quotes |= bit;
    if (block[i] == '\\') masks.backslashes |= bit;
    if (block[i] == '{') masks.opens |= bit;
    if (block[i] == '}') masks.closes |= bit;
  }
  return masks;
}

#endif

/// The bytes that follow an escaping backslash; `carry` says whether the first one does, and then the next block's.
std::uint64_t find_escaped(std::uint64_t backslashes, std::uint64_t& carry) noexcept {
  std::uint64_t escaped = carry;
  carry = 0;
  for (backslashes &= ~escaped; backslashes != 0;) {
    const int at = std::countr_zero(backslashes);
    if (at == 63) {
      carry = 1;
      break;
    }
    escaped |= std::uint64_t{2} << at;
    backslashes &= ~(std::uint64_t{3} << at);
  }
  return escaped;
}

/// Bit i of the result is the parity of the bits 0 to i.
std::uint64_t prefix_xor(std::uint64_t bits) noexcept {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace

std::size_t JsonSplitter::scan(std::string_view piece) noexcept {
  char padded[kBlock];
  for (std::size_t start = 0; start < piece.size(); start += kBlock) {
    const char* block = piece.data() + start;
    const std::size_t left = piece.size() - start;
    if (left < kBlock) {
      std::memset(padded, ' ', kBlock);
      std::memcpy(padded, block, left);
      block = padded;
    }
    const Masks masks = read_block(block);
    std::uint64_t escaped = 0;
    if ((masks.backslashes | escaped_) != 0) {
      escaped = find_escaped(masks.backslashes, escaped_);
      if (left < kBlock) escaped_ = escaped >> left & 1;  // the byte after the piece, not the padding
    }
    const std::uint64_t strings = prefix_xor(masks.quotes & ~escaped) ^ in_string_;
    in_string_ = std::uint64_t{0} - (strings >> 63);
    const std::uint64_t opens = masks.opens & ~strings;
    std::uint64_t closes = masks.closes & ~strings;
    const auto open_count = static_cast<std::uint64_t>(std::popcount(opens));
    const auto close_count = static_cast<std::uint64_t>(std::popcount(closes));
    if (depth_ > close_count) {  // it cannot end here
      depth_ += open_count - close_count;
      continue;
    }
    for (std::uint64_t before = 0; closes != 0; closes &= closes - 1) {
      // Depth behind this brace: what was open, plus the opens before it, less the closes up to it.
      const std::uint64_t below = (closes & (~closes + 1)) - 1;
      ++before;
      if (depth_ + static_cast<std::uint64_t>(std::popcount(opens & below)) == before) {
        return start + static_cast<std::size_t>(std::countr_zero(closes)) + 1;
      }
    }
    depth_ += open_count - close_count;
  }
  return std::string_view::npos;
}

}  // namespace kubexx::meta::detail
