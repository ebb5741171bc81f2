#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "kubexx/base/detail/spin.hpp"

namespace kubexx {

/// A mutex for critical sections shorter than sleeping and waking up. A thread that finds it held stays away for longer
/// and longer before it tries again, and sleeps only after some tens of microseconds: so the thread that has the data
/// in its cache does many operations in a row, which two threads that took turns would not.
class AdaptiveMutex {
 public:
  bool try_lock() noexcept {
    std::uint32_t expected = kFree;
    return state_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void lock() noexcept {
    if (!try_lock()) [[unlikely]] {
      lock_slowly();
    }
  }
  void unlock() noexcept {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) [[unlikely]] {
      state_.notify_one();
    }
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kAwaited = 2;  // held, and somebody may sleep

  __attribute__((noinline)) void lock_slowly() noexcept {
    constexpr int kPauses = 2000;
    constexpr int kPausesBetween = 128;
    int between = 8;
    for (int pauses = 0; spinning_helps() && pauses < kPauses; pauses += between) {
      between = std::min(between * 2, kPausesBetween);
      for (int i = 0; i < between; ++i) relax();
      if (state_.load(std::memory_order_relaxed) == kFree && try_lock()) return;
    }
    while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
      state_.wait(kAwaited, std::memory_order_relaxed);
    }
  }

  std::atomic<std::uint32_t> state_{kFree};
};

/// What a condition variable is, for an AdaptiveMutex: ring with the mutex held, then wake without it.
class Bell {
 public:
  /// May return without a ring.
  void wait(std::unique_lock<AdaptiveMutex>& lock) noexcept {
    const std::uint32_t seen = rings_.load(std::memory_order_relaxed);
    lock.unlock();
    rings_.wait(seen, std::memory_order_relaxed);
    lock.lock();
  }
  void ring() noexcept { rings_.fetch_add(1, std::memory_order_relaxed); }
  void wake_one() noexcept { rings_.notify_one(); }
  void wake_all() noexcept { rings_.notify_all(); }

 private:
  std::atomic<std::uint32_t> rings_{0};
};

}  // namespace kubexx
