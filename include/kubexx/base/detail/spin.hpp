#pragma once

namespace kubexx {

/// Tells the processor that this is a loop that waits for another thread.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace kubexx
