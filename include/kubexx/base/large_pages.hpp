#pragma once

#include <cstddef>

#include "kubexx/base/export.hpp"

namespace kubexx {

/// Memory for what fills a program with a cache, lives long and is read at random: objects, and the tables that find
/// them. Blocks of up to 8 KB come from a heap of their own, which asks the system for large pages (fewer faults while
/// a cache fills, fewer misses of the translation cache while it is read) and keeps them apart from short-lived memory,
/// so that what a cache no longer needs goes back to the system. Larger ones, and all in a program with
/// AddressSanitizer, come from malloc; those of 2 MB and more begin at a large page and ask for such pages. See
/// docs/adr/0006-large-pages.md.
///
/// Threads: safe from any thread.
/// Errors: std::bad_alloc, as operator new, when the system has none.
/// Example:
///
///     std::vector<std::uint64_t, LargeAllocator<std::uint64_t>> table(1 << 20);
///     greet(large_page_memory().mapped);
KUBEXX_EXPORT void* allocate_on_large_pages(std::size_t bytes);
KUBEXX_EXPORT void free_on_large_pages(void* memory, std::size_t bytes) noexcept;  ///< the bytes that were asked for

/// Whether a block of this size comes from that heap with next to nothing lost by rounding up.
KUBEXX_EXPORT bool fits_large_pages(std::size_t bytes) noexcept;

/// What the heap has; malloc's statistics do not know it.
struct LargePageMemory {
  std::size_t used = 0;    ///< rounded up as it is stored
  std::size_t mapped = 0;  ///< taken from the system
};
/// What there is of it in this process now.
KUBEXX_EXPORT LargePageMemory large_page_memory() noexcept;

/// The same for the tables of the standard library.
template <class T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) noexcept {}

  /// Memory for so many elements, on large pages where the system has them.
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_on_large_pages(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { free_on_large_pages(memory, count * sizeof(T)); }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

}  // namespace kubexx
