#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace kubexx::store {

/// A readers-writer lock for many short reads. Readers count themselves in shards, so they do not touch the same
/// memory.
///
/// Phase-fair: a waiting writer stops new readers, so readers cannot starve it; a writer that ends lets in every reader
/// that waited for it before the next writer gets its turn, so a reader waits for one writer at most.
/// Waiting is a short spin and then a sleep.
class FairLock {
 public:
  void lock();
  void unlock();

  /// A read in progress; must be ended on the thread that began it.
  class Reading {
   public:
    explicit Reading(FairLock& lock) : lock_(&lock), shard_(lock.enter()) {}
    ~Reading() { lock_->leave(shard_); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    FairLock* lock_;
    int shard_;
  };

 private:
  static constexpr int kShards = 8;
  static constexpr int kAdmitted = kShards;  // "shard" of readers that a writer let in

  struct alignas(64) Shard {
    std::atomic<std::uint32_t> readers{0};
  };

  int enter();
  void leave(int shard);
  bool no_readers() const;
  static int my_shard() noexcept;

  std::array<Shard, kShards + 1> shards_;  // the last one counts the admitted
  std::mutex writers_;                     // one writer at a time
  std::atomic<bool> writing_{false};
  std::atomic<bool> writer_sleeps_{false};
  std::atomic<std::uint32_t> waiting_{0};  // readers that wait for the writer; changed under mutex_
  std::mutex mutex_;
  std::uint64_t turn_ = 0;  // guarded by mutex_
  std::condition_variable reader_turn_;
  std::condition_variable writer_turn_;
};

}  // namespace kubexx::store
