#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "kubexx/meta/object.hpp"
#include "store/internal/readers.hpp"

namespace kubexx::store {

using Epoch = std::uint64_t;

/// Header of every piece of memory that a store shares with its snapshots. `bytes` is the whole allocation.
struct Block {
  Epoch born;
  std::uint32_t bytes;
  std::uint32_t count;  // meaning up to its user
};

/// An object's handle as plain bytes, so that pages of handles can be copied without counting references: the store
/// owns one reference for each entry, and snapshots only borrow.
struct Handle {
  alignas(meta::Object) std::byte raw[sizeof(meta::Object)];

  const meta::Object& object() const noexcept { return *std::launder(reinterpret_cast<const meta::Object*>(raw)); }
  const void* address() const noexcept {
    const void* pointer = nullptr;
    static_assert(sizeof pointer == sizeof(meta::Object));
    std::memcpy(&pointer, raw, sizeof pointer);
    return pointer;
  }
  static Handle adopt(meta::Object object) noexcept {
    Handle handle;
    std::memcpy(handle.raw, static_cast<const void*>(&object), sizeof handle.raw);
    ::new (static_cast<void*>(&object)) meta::Object();  // its reference is the handle's now
    return handle;
  }
  meta::Object take() const noexcept {
    meta::Object object;
    std::memcpy(static_cast<void*>(&object), raw, sizeof raw);
    return object;
  }
};

/// Decides when memory that snapshots may still read can go.
///
/// Time is counted in epochs: each snapshot that follows a write begins a new one. A block that is younger than the
/// newest living snapshot is the writer's own and is changed in place. An older one is copied before it is changed, and
/// the original is kept on the list of the newest snapshot that can see it; when that one goes, it moves to the next
/// older snapshot that can see it, or is freed. So a snapshot holds exactly what it shows.
///
/// What no snapshot sees may still be looked at by a read without a lock (Readers). If such reads are under way, it
/// waits in limbo until they have ended; later writes look after that.
///
/// Threads: pin() under the store's lock, shared or not; unpin() anywhere; the rest by the writer.
class Epochs {
 public:
  Epochs() = default;
  ~Epochs();
  Epochs(const Epochs&) = delete;
  Epochs& operator=(const Epochs&) = delete;

  Epoch now() const noexcept { return now_.load(std::memory_order_relaxed); }
  /// No snapshot sees what was born then.
  bool owned(Epoch born) const noexcept { return born > newest_.load(std::memory_order_acquire); }
  bool any_snapshot() const noexcept { return newest_.load(std::memory_order_acquire) != 0; }
  void wrote() noexcept { written_ = now(); }

  Epoch pin();
  void unpin(Epoch epoch);
  std::size_t snapshots() const;

  /// A block with room for `payload` bytes behind the header.
  Block* allocate(std::size_t payload);
  Block* clone(const Block* block, std::size_t payload);
  void discard(Block* block) noexcept;
  /// The object, if it can go right away; a null one if a snapshot or a read keeps it.
  meta::Object discard(Handle handle, Epoch born);
  /// Frees what waits for reads that have ended.
  void tidy() {
    if (in_limbo_.load(std::memory_order_relaxed) != 0 && !Readers::any()) empty_limbo();
  }
  std::size_t in_limbo() const noexcept { return in_limbo_.load(std::memory_order_relaxed); }
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Dead {
    Epoch born;
    Block* block;  // or null, and then
    Handle handle;
  };
  struct Live {
    Epoch epoch;
    std::size_t references;
    std::vector<Dead> dead;
  };
  static constexpr std::size_t kLimboBatch = 64;

  bool keep(const Dead& dead);
  void retire(const Dead* first, std::size_t count);
  void empty_limbo();
  void free(const Dead& dead) noexcept;

  std::atomic<Epoch> now_{1};
  std::atomic<Epoch> newest_{0};  // the newest living snapshot
  Epoch written_ = 0;             // epoch of the last write
  std::atomic<std::size_t> bytes_{0};
  mutable std::mutex mutex_;
  std::vector<Live> live_;  // guarded by mutex_; oldest first

  std::mutex limbo_mutex_;
  std::vector<Dead> waiting_;    // guarded by limbo_mutex_; for the reads that were under way when it was filled
  std::vector<Dead> next_;       // guarded by limbo_mutex_; what came later
  Readers::UnderWay under_way_;  // guarded by limbo_mutex_
  std::atomic<std::size_t> in_limbo_{0};
};

}  // namespace kubexx::store
