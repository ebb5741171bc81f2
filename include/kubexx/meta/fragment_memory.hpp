#pragma once

#include <cstddef>

#include "kubexx/base/export.hpp"

namespace kubexx::meta {

/// What the objects of the program share: parts that several of them have, such as the containers of pods of one
/// ReplicaSet, stand once. Object::byte_size() is what an object has for itself.
///
/// Threads: safe from any thread, without a lock.
/// Errors: none.
/// Example:
///
///     greet(std::to_string(meta::fragment_memory().bytes) + " bytes stand once for several objects");
struct FragmentMemory {
  std::size_t fragments = 0;  ///< parts that stand once
  std::size_t bytes = 0;      ///< what they occupy
};
/// What fragments cost this process now.
KUBEXX_EXPORT FragmentMemory fragment_memory() noexcept;

}  // namespace kubexx::meta
