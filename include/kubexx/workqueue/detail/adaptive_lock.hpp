#pragma once

#include <mutex>

namespace kubexx::workqueue::detail {

inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// For critical sections shorter than sleeping and waking up: tries for about a microsecond before it sleeps.
inline std::unique_lock<std::mutex> lock_adaptively(std::mutex& mutex) {
  constexpr int kMaxPauses = 32;
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int pauses = 1; !lock.owns_lock() && pauses <= kMaxPauses; pauses *= 2) {
    for (int i = 0; i < pauses; ++i) pause_briefly();
    lock.try_lock();
  }
  if (!lock.owns_lock()) lock.lock();
  return lock;
}

}  // namespace kubexx::workqueue::detail
