#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kubexx::store {

/// The reads without a lock, of every store of the process. Each thread has a slot of its own where it marks its reads,
/// so readers do not touch the same memory, and a read never waits. Who frees memory that such reads may look at makes
/// it unreachable, and then waits until the reads that were under way have ended.
class Readers {
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> reads{0};  // odd: one is under way
    std::atomic<bool> taken{false};
  };

 public:
  /// One read. It must be short, run no user code, and take no lock; a thread has one at a time.
  class Mark {
   public:
    Mark() noexcept : slot_(mine_ != nullptr ? mine_ : claim()) {
      // An exchange and not a store: what the read loads afterwards must not be loaded before.
      if (slot_ != nullptr) slot_->reads.exchange(slot_->reads.load(std::memory_order_relaxed) + 1);
    }
    ~Mark() {
      if (slot_ != nullptr) {
        slot_->reads.store(slot_->reads.load(std::memory_order_relaxed) + 1, std::memory_order_release);
      }
    }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
    /// False: all slots are taken, and the read needs a lock.
    explicit operator bool() const noexcept { return slot_ != nullptr; }

   private:
    Slot* slot_;
  };

  static bool any() noexcept;
  /// The reads under way at one moment.
  using UnderWay = std::vector<std::pair<const std::atomic<std::uint64_t>*, std::uint64_t>>;
  static void look(UnderWay& into);
  static bool ended(const UnderWay& reads) noexcept;
  /// Until the reads that are under way have ended.
  static void wait();

 private:
  static constexpr std::size_t kSlots = 256;
  static Slot* claim() noexcept;
  static pthread_key_t* end_of_thread() noexcept;

  static Slot slots_[kSlots];
  static std::atomic<std::size_t> used_;  // slots that were ever taken
  inline static constinit thread_local Slot* mine_ = nullptr;
  inline static constinit thread_local bool refused_ = false;  // no slot, now or ever, for this thread
};

}  // namespace kubexx::store
