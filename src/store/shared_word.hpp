#pragma once

#include <atomic>
#include <type_traits>

namespace kubexx::store {

/// Words that reads without a lock (Readers) look at while the writer changes them. Sequentially consistent: a read
/// that begins after the writer looked for reads sees what the writer did before it looked.
template <class T>
concept SharedWord = std::is_trivially_copyable_v<T> && sizeof(T) <= 8 && alignof(T) == sizeof(T);

template <SharedWord T>
T load_shared(const T& place) noexcept {
  return std::atomic_ref<T>(const_cast<T&>(place)).load();
}

template <SharedWord T>
void store_shared(T& place, T value) noexcept {
  std::atomic_ref<T>(place).store(value);
}

}  // namespace kubexx::store
