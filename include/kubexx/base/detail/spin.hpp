#pragma once

#include <thread>

namespace kubexx {

/// Tells the processor that this is a loop that waits for another thread.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// On a machine with one processor nobody makes progress while a thread spins.
inline bool spinning_helps() noexcept {
  static const bool several = std::thread::hardware_concurrency() > 1;
  return several;
}

/// Asks again and again for a few microseconds: whoever is busy on another processor is done before a sleep would have
/// begun. False: it is time to sleep.
template <class Done>
bool spin_until(Done done) {
  constexpr int kSpins = 300;
  for (int left = spinning_helps() ? kSpins : 1; left > 0; --left) {
    if (done()) return true;
    relax();
  }
  return false;
}

}  // namespace kubexx
