#pragma once

#include <cstddef>

namespace kubexx {

/// Memory for what fills a program with a cache, lives long and is read at random: objects, and the tables that find
/// them. Blocks of up to 8 KB come from a heap of their own, which asks the system for large pages (fewer faults while
/// a cache fills, fewer misses of the translation cache while it is read) and keeps them apart from short-lived memory,
/// so that what a cache no longer needs goes back to the system. Larger ones, and all under AddressSanitizer, come from
/// malloc. See docs/adr/0006-large-pages.md.
///
/// Threads: any.
void* allocate_on_large_pages(std::size_t bytes);
void free_on_large_pages(void* memory, std::size_t bytes) noexcept;  ///< the bytes that were asked for

/// Whether a block of this size comes from that heap with next to nothing lost by rounding up.
bool fits_large_pages(std::size_t bytes) noexcept;

/// What the heap has; malloc's statistics do not know it.
struct LargePageMemory {
  std::size_t used = 0;    ///< rounded up as it is stored
  std::size_t mapped = 0;  ///< taken from the system
};
LargePageMemory large_page_memory() noexcept;

}  // namespace kubexx
