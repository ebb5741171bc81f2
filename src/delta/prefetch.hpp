#pragma once

#include <cstring>
#include <type_traits>

#include "kubexx/base/detail/prefetch.hpp"
#include "kubexx/meta/key.hpp"

namespace kubexx::delta {

/// Asks the processor to bring the document that an Object refers to, or a Key, which begins with one: its count will
/// be written. A consumer of many changes otherwise waits for the memory of one after the other.
template <class Handle>
const char* prefetch_document(const Handle& handle) noexcept {
  const char* document = nullptr;
  static_assert(sizeof(meta::Object) == sizeof document && std::is_standard_layout_v<Handle>);
  std::memcpy(&document, &handle, sizeof document);
  prefetch_to_write(document);
  return document;
}

/// ... and its name, which mostly stands in the next two lines.
inline void prefetch_key(const meta::Key& key) noexcept {
  const char* const document = prefetch_document(key);
  prefetch(document + 64);
  prefetch(document + 128);
}

}  // namespace kubexx::delta
