#pragma once

#include <cstddef>

namespace kubexx {

/// Memory for what fills a program with a cache, lives long and is read at random: objects, and the tables that find
/// them. Blocks of up to 8 KB come from a heap of their own, which asks the system for large pages (fewer faults while a
/// cache fills, fewer misses of the translation cache while it is read) and keeps them apart from short-lived memory, so
/// that what a cache no longer needs goes back to the system. Larger ones, and all under AddressSanitizer, come from
/// malloc. See docs/adr/0006-large-page-heap.md.
///
/// Threads: any.
void* allocate_on_large_pages(std::size_t bytes);
void free_on_large_pages(void* memory, std::size_t bytes) noexcept;

/// Whether a block of this size comes from that heap with next to nothing lost by rounding up.
bool fits_large_pages(std::size_t bytes) noexcept;

}  // namespace kubexx
