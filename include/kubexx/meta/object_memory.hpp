#pragma once

#include <cstddef>

namespace kubexx::meta {

/// The memory of all objects of the process, except that of objects over 8 KB, which malloc counts.
struct ObjectMemory {
  std::size_t used = 0;    ///< by living objects, rounded up as they are stored
  std::size_t mapped = 0;  ///< taken from the system
};
ObjectMemory object_memory() noexcept;

}  // namespace kubexx::meta
