#pragma once

#include <cstring>

#include "kubexx/base/detail/prefetch.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::delta {

/// Asks the processor to bring the document that a handle refers to, whose count will be written. A consumer of many
/// changes otherwise waits for the memory of one after the other.
inline void prefetch_document(const meta::Object& object) noexcept {
  const void* document = nullptr;
  static_assert(sizeof object == sizeof document, "a handle is a pointer");
  std::memcpy(&document, &object, sizeof document);
  prefetch_to_write(document);
}

}  // namespace kubexx::delta
