#pragma once

#include <cstddef>

namespace kubexx::meta::detail {

/// Memory for documents. They are what fills the memory of a program with a cache, live long, and are read at random:
/// so those of common sizes come from a heap of their own, which asks the system for large pages (fewer faults while a
/// cache fills, fewer misses of the translation cache while it is read) and keeps them apart from short-lived memory,
/// so that what a cache no longer needs goes back to the system. Larger ones, and all under AddressSanitizer, come from
/// malloc. See docs/adr/0006-document-heap.md.
///
/// Threads: any.
void* allocate_document(std::size_t bytes);
void free_document(void* memory, std::size_t bytes) noexcept;

}  // namespace kubexx::meta::detail
