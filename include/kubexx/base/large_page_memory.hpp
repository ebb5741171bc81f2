#pragma once

#include <cstddef>

namespace kubexx {

/// The memory of objects and of the stores' tables, which malloc's statistics do not know. What is larger than 8 KB
/// comes from malloc and is not in here.
struct LargePageMemory {
  std::size_t used = 0;    ///< rounded up as it is stored
  std::size_t mapped = 0;  ///< taken from the system
};
LargePageMemory large_page_memory() noexcept;

}  // namespace kubexx
