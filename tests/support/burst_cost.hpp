#pragma once

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <memory>

#include "kubexx/base/large_pages.hpp"

namespace kubexx::test {

/// Bytes that this program has and did not give back: those of malloc and those of the heap with large pages.
inline std::ptrdiff_t live_bytes() {
  const auto malloced = mallinfo2();
  return static_cast<std::ptrdiff_t>(malloced.uordblks + malloced.hblkhd + large_page_memory().used);
}

/// False with a sanitizer, whose own malloc says nothing.
inline bool live_bytes_are_counted() {
  constexpr std::ptrdiff_t kBlock = 1 << 20;
  const auto before = live_bytes();
  const auto block = std::make_unique<std::byte[]>(kBlock);
  return live_bytes() >= before + kBlock;
}

/// The first line of a test that counts.
#define SKIP_UNLESS_BYTES_ARE_COUNTED() \
  if (!kubexx::test::live_bytes_are_counted()) GTEST_SKIP() << "the malloc of a sanitizer says nothing"

inline constexpr std::size_t kBurst = 200'000;

struct BurstCost {
  std::ptrdiff_t height = 0;  ///< while all of it waited
  std::ptrdiff_t left = 0;    ///< when it was over
};

/// What `fill(size)` costs, and what `drain()` leaves of it.
template <class Fill, class Drain>
BurstCost cost_of_burst(std::size_t size, Fill fill, Drain drain) {
  fill(std::size_t{16});  // what is made once, whatever comes
  drain();
  const auto before = live_bytes();
  fill(size);
  const auto full = live_bytes();
  drain();
  return {full - before, live_bytes() - before};
}

/// A burst worth the name, of which no more is left than a part may keep and malloc's caches hide.
inline testing::AssertionResult given_back(const BurstCost& cost, std::ptrdiff_t at_least,
                                           std::ptrdiff_t kept = 160 << 10) {
  if (cost.height < at_least) return testing::AssertionFailure() << "only " << cost.height << " bytes waited";
  if (cost.left > kept) return testing::AssertionFailure() << cost.left << " of " << cost.height << " bytes are left";
  return testing::AssertionSuccess() << cost.left << " of " << cost.height << " bytes are left";
}

}  // namespace kubexx::test
