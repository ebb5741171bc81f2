#include "meta/json/json_splitter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define KUBEXX_HAS_AVX2_CODE 1
#endif

namespace kubexx::meta::detail {

/// One bit for each byte of a block.
struct JsonSplitter::Masks {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t opens = 0;
  std::uint64_t closes = 0;
  std::uint64_t parities = 0;  // bit i: whether the quotes of bytes 0 to i are odd in number
  std::uint32_t open_count = 0;
  std::uint32_t close_count = 0;
};

namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kBlocksAtOnce = 16;
constexpr char kSmallBracket = 0x20;  // the bit that keeps '[' from '{' and ']' from '}'

std::uint64_t parities_of(std::uint64_t bits) noexcept {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// std::popcount without the instruction is a call.
std::uint32_t count_bits(std::uint64_t bits) noexcept {
  if (bits == 0) return 0;
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  return static_cast<std::uint32_t>(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

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

#if defined(KUBEXX_HAS_AVX2_CODE)

bool has_avx2() noexcept {
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("popcnt");
  return has;
}

__attribute__((target("avx2"))) inline std::uint64_t equal_bytes(__m256i low, __m256i high, char wanted) noexcept {
  const __m256i all = _mm256_set1_epi8(wanted);
  const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, all)));
  const auto second = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, all)));
  return static_cast<std::uint64_t>(second) << 32 | first;
}

template <class Masks>
__attribute__((target("avx2,pclmul,popcnt"))) void read_blocks_avx2(const char* text, std::size_t count, char brackets,
                                                                    Masks* out) noexcept {
  const __m256i either = _mm256_set1_epi8(brackets);
  for (; count > 0; --count, text += kBlock, ++out) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32));
    out->quotes = equal_bytes(low, high, '"');
    out->backslashes = equal_bytes(low, high, '\\');
    const __m256i low_brackets = _mm256_or_si256(low, either);
    const __m256i high_brackets = _mm256_or_si256(high, either);
    out->opens = equal_bytes(low_brackets, high_brackets, '{');
    out->closes = equal_bytes(low_brackets, high_brackets, '}');
    // A product without carries by all ones: bit i is the parity of the bits 0 to i.
    const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(out->quotes)),
                                                 _mm_set1_epi8(static_cast<char>(0xff)), 0);
    out->parities = static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
    out->open_count = static_cast<std::uint32_t>(_mm_popcnt_u64(out->opens));
    out->close_count = static_cast<std::uint32_t>(_mm_popcnt_u64(out->closes));
  }
}

#endif

#if defined(__SSE2__)

template <class Masks>
void read_block(const char* block, char brackets, Masks& out) noexcept {
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
  out.quotes = match('"');
  out.backslashes = match('\\');
  for (__m128i& lane : lanes) lane = _mm_or_si128(lane, _mm_set1_epi8(brackets));
  out.opens = match('{');
  out.closes = match('}');
}

#else

template <class Masks>
void read_block(const char* block, char brackets, Masks& out) noexcept {
  out = Masks();
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const auto bracket = static_cast<char>(block[i] | brackets);
    if (block[i] == '"') out.quotes |= bit;
    if (block[i] == '\\') out.backslashes |= bit;
    if (bracket == '{') out.opens |= bit;
    if (bracket == '}') out.closes |= bit;
  }
}

#endif

}  // namespace

void JsonSplitter::read_blocks(const char* text, std::size_t count, Counts counts, Masks* out) noexcept {
  const char brackets = counts == Counts::AllBrackets ? kSmallBracket : '\0';
#if defined(KUBEXX_HAS_AVX2_CODE)
  if (has_avx2()) return read_blocks_avx2(text, count, brackets, out);
#endif
  for (std::size_t i = 0; i < count; ++i) {
    read_block(text + kBlock * i, brackets, out[i]);
    out[i].parities = parities_of(out[i].quotes);
    out[i].open_count = count_bits(out[i].opens);
    out[i].close_count = count_bits(out[i].closes);
  }
}

std::size_t JsonSplitter::scan(std::string_view piece) noexcept {
  Masks masks[kBlocksAtOnce];
  std::size_t start = 0;
  std::size_t at_once = 2;  // more as it goes on: most values are small
  for (std::size_t whole = piece.size() / kBlock; whole > 0;) {
    const std::size_t count = std::min(whole, at_once);
    at_once = std::min(2 * at_once, kBlocksAtOnce);
    read_blocks(piece.data() + start, count, counts_, masks);
    for (std::size_t i = 0; i < count; ++i, start += kBlock) {
      if (const std::size_t end = take(masks[i], kBlock); end != 0) return start + end;
    }
    whole -= count;
  }
  if (start == piece.size()) return std::string_view::npos;
  char padded[kBlock];
  std::memset(padded, ' ', kBlock);
  std::memcpy(padded, piece.data() + start, piece.size() - start);
  read_blocks(padded, 1, counts_, masks);
  const std::size_t end = take(masks[0], piece.size() - start);
  return end != 0 ? start + end : std::string_view::npos;
}

/// The next block, of which so many bytes are text. Where the value ends behind it, or 0.
std::size_t JsonSplitter::take(const Masks& masks, std::size_t bytes) noexcept {
  std::uint64_t parities = masks.parities;
  if ((masks.backslashes | escaped_) != 0) {
    const std::uint64_t escaped = find_escaped(masks.backslashes, escaped_);
    if (bytes < kBlock) escaped_ = escaped >> bytes & 1;  // the byte after the piece, not the padding
    parities = parities_of(masks.quotes & ~escaped);
  }
  const std::uint64_t strings = parities ^ in_string_;
  in_string_ = std::uint64_t{0} - (strings >> 63);
  const std::uint64_t opens = masks.opens & ~strings;
  std::uint64_t closes = masks.closes & ~strings;
  std::uint64_t open_count = masks.open_count;
  std::uint64_t close_count = masks.close_count;
  if (((masks.opens | masks.closes) & strings) != 0) {
    open_count = count_bits(opens);
    close_count = count_bits(closes);
  }
  if (depth_ <= close_count) {  // it may end here
    for (std::uint64_t before = 0; closes != 0; closes &= closes - 1) {
      // Depth behind this bracket: what was open, plus the opens before it, less the closes up to it.
      const std::uint64_t below = (closes & (~closes + 1)) - 1;
      ++before;
      if (depth_ + count_bits(opens & below) == before) return static_cast<std::size_t>(std::countr_zero(closes)) + 1;
    }
  }
  depth_ += open_count - close_count;
  return 0;
}

}  // namespace kubexx::meta::detail
