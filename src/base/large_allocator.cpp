#include "kubexx/base/detail/large_allocator.hpp"

#include <sys/mman.h>

namespace kubexx {

void prefer_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  // Whole pages only: the rest of the last one may belong to somebody else. A refusal changes nothing but speed.
  ::madvise(begin, bytes - bytes % kLargePage, MADV_HUGEPAGE);
#endif
}

}  // namespace kubexx
