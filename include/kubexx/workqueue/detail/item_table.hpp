#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/detail/prefetch.hpp"
#include "kubexx/base/large_pages.hpp"
#include "kubexx/workqueue/detail/item_hash.hpp"

namespace kubexx::workqueue::detail {

inline constexpr std::uint32_t kNoTicket = 0xffffffff;

/// Items that can be emptied and filled again without giving back their memory: strings and vectors.
template <class T>
concept Refillable = std::is_copy_assignable_v<T> && requires(T& item) {
  item.clear();
  { item.capacity() } -> std::convertible_to<std::size_t>;
};

/// All that a queue knows about one item.
template <class T>
struct Entry {
  Entry() {}
  ~Entry() {
    if (made) item.~T();
  }
  union {
    T item;  // alive while `made`
  };
  std::uint32_t hash;
  std::uint32_t previous, following;  // neighbours among the waiting, the processed or the free
  std::uint32_t requeues;
  std::int32_t priority;
  bool made = false;
  bool dirty;       // to be handed out
  bool processing;  // handed out; dirty and not processing means waiting
  bool delayed;
  TimePoint added;
  TimePoint started;
};

/// The entries of a queue: one hash lookup finds everything about an item, entries never move, and what is released
/// is destroyed at once (a short string is emptied). Memory goes back when the table becomes empty, or when a burst is
/// over that left a few items behind; that of some ten thousand entries only when they were not needed since it was
/// looked at before.
template <class T>
class ItemTable {
 public:
  explicit ItemTable(std::uint64_t seed) : seed_(seed) {}
  ItemTable(const ItemTable&) = delete;
  ItemTable& operator=(const ItemTable&) = delete;

  std::uint32_t hash(const T& item) const { return item_hash(item, seed_); }
  Entry<T>& operator[](std::uint32_t id) const { return chunks_[id >> kChunkBits][id & (kChunk - 1)]; }
  std::size_t size() const { return size_; }

  std::uint32_t find(std::uint32_t hash, const T& item) const {
    if (slots_.empty()) return kNoTicket;
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Slot slot = slots_[at];
      if (slot.id == kNoTicket) return kNoTicket;
      if (slot.hash == hash && (*this)[slot.id].item == item) return slot.id;
    }
  }

  /// Asks for the memory that find() will need. The one call that needs no lock: what it reads may be of a moment ago,
  /// and then it asks in vain.
  void prefetch_slot(std::uint32_t hash) const noexcept {
    const std::uintptr_t slots = slots_seen_.load(std::memory_order_relaxed);
    const std::size_t at = hash & mask_seen_.load(std::memory_order_relaxed);
    if (slots != 0) prefetch_to_write(reinterpret_cast<const void*>(slots + at * sizeof(Slot)));
  }

  /// What erase() of this entry is going to read; worth a prefetch.
  const void* home(std::uint32_t id) const { return &slots_[(*this)[id].hash & mask_]; }

  /// The item must not be inside yet.
  template <class U>
  std::uint32_t insert(std::uint32_t hash, U&& item) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    if (free_ == kNoTicket) add_fresh();
    const std::uint32_t id = free_;
    Entry<T>& entry = (*this)[id];
    fill(entry, std::forward<U>(item));
    free_ = entry.following;
    entry.hash = hash;
    place({hash, id});
    entry.requeues = 0;
    entry.priority = 0;
    entry.dirty = entry.processing = entry.delayed = false;
    if (++size_ > peak_) peak_ = size_;
    return id;
  }

  void erase(std::uint32_t id) {
    Entry<T>& entry = (*this)[id];
    std::size_t hole = entry.hash & mask_;
    while (slots_[hole].id != id) hole = (hole + 1) & mask_;
    // Close the gap: what follows moves up unless that would put it before its home.
    for (std::size_t at = (hole + 1) & mask_; slots_[at].id != kNoTicket; at = (at + 1) & mask_) {
      if (((at - slots_[at].hash) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = Slot();
    empty(entry);
    entry.following = std::exchange(free_, id);
    if (--size_ == 0 || (++erased_ > kLookAfter && erased_ > used_ / 2)) shrink();
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = kNoTicket;
  };
  static constexpr std::uint32_t kChunkBits = 8;
  static constexpr std::uint32_t kChunk = 1U << kChunkBits;
  static constexpr std::size_t kChunksKept = 16;         // always
  static constexpr std::size_t kMostChunksKept = 256;    // if they were in use since the table was empty before
  static constexpr std::size_t kMostCapacityKept = 128;  // of an emptied item
  static constexpr std::size_t kLookAfter = kChunksKept * kChunk;  // erased items at least

  template <class U>
  static void fill(Entry<T>& entry, U&& item) {
    if constexpr (Refillable<T>) {
      if (entry.made) {
        entry.item = std::as_const(item);  // a copy, which uses the memory that is there
        return;
      }
    }
    ::new (static_cast<void*>(std::addressof(entry.item))) T(std::forward<U>(item));
    entry.made = true;
  }

  static void empty(Entry<T>& entry) {
    if constexpr (Refillable<T>) {
      if (entry.item.capacity() <= kMostCapacityKept) return entry.item.clear();
    }
    entry.item.~T();
    entry.made = false;
  }

  void place(Slot slot) {
    std::size_t at = slot.hash & mask_;
    while (slots_[at].id != kNoTicket) at = (at + 1) & mask_;
    slots_[at] = slot;
  }

  void add_fresh() {
    if (!gone_.empty()) {
      chunks_[gone_.back()] = std::make_unique<Entry<T>[]>(kChunk);
      link_free(gone_.back(), {});
      return gone_.pop_back();
    }
    if (used_ == kNoTicket) throw std::length_error("work queue: too many items");
    if ((used_ & (kChunk - 1)) == 0) chunks_.push_back(std::make_unique<Entry<T>[]>(kChunk));
    (*this)[used_].following = kNoTicket;
    free_ = used_++;
  }

  /// Those of a chunk's entries that are not taken, before the free ones there are.
  void link_free(std::size_t chunk, const std::vector<bool>& taken) {
    const auto begin = static_cast<std::uint32_t>(chunk << kChunkBits);
    for (std::uint32_t id = std::min(begin + kChunk, used_); id-- > begin;) {
      if (taken.empty() || !taken[id]) (*this)[id].following = std::exchange(free_, id);
    }
  }

  void grow() { resize_slots(std::max<std::size_t>(64, slots_.size() * 2)); }

  void resize_slots(std::size_t count) {
    std::vector<Slot, LargeAllocator<Slot>> old(count);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    slots_seen_.store(reinterpret_cast<std::uintptr_t>(slots_.data()), std::memory_order_relaxed);
    mask_seen_.store(mask_, std::memory_order_relaxed);
    for (const Slot slot : old) {
      if (slot.id != kNoTicket) place(slot);
    }
  }

  void shrink() {
    const std::size_t chunks = chunks_.size() - gone_.size();
    const bool needed = peak_ * 4 >= chunks * kChunk;
    peak_ = size_;
    erased_ = 0;
    if (chunks <= kChunksKept || (needed && chunks <= kMostChunksKept)) return;
    if (size_ > 0) {
      if (size_ * 8 < chunks * kChunk) drop_free_chunks();
      return;
    }
    std::vector<std::unique_ptr<Entry<T>[]>>().swap(chunks_);
    std::vector<std::uint32_t>().swap(gone_);
    slots_seen_.store(0, std::memory_order_relaxed);
    std::vector<Slot, LargeAllocator<Slot>>().swap(slots_);
    used_ = 0;
    free_ = kNoTicket;
  }

  /// Entries do not move, so chunks in which there is none go. Without memory for that they stay.
  void drop_free_chunks() try {
    std::vector<bool> taken(used_);
    std::vector<bool> has_taken(chunks_.size());
    for (const Slot slot : slots_) {
      if (slot.id == kNoTicket) continue;
      taken[slot.id] = true;
      has_taken[slot.id >> kChunkBits] = true;
    }
    std::vector<std::uint32_t> gone;
    gone.reserve(chunks_.size());
    resize_slots(std::bit_ceil(std::max<std::size_t>(64, size_ * 2)));
    free_ = kNoTicket;
    for (std::size_t chunk = chunks_.size(); chunk-- > 0;) {
      if (has_taken[chunk]) {
        link_free(chunk, taken);
      } else {
        chunks_[chunk].reset();
        gone.push_back(static_cast<std::uint32_t>(chunk));
      }
    }
    gone_.swap(gone);
  } catch (const std::bad_alloc&) {
  }

  std::vector<std::unique_ptr<Entry<T>[]>> chunks_;  // null: given back
  std::vector<std::uint32_t> gone_;                  // those
  std::vector<Slot, LargeAllocator<Slot>> slots_;    // linear probing; a power of two of them, or none
  std::size_t mask_ = 0;
  std::atomic<std::uintptr_t> slots_seen_{0};  // the same for those without the lock
  std::atomic<std::size_t> mask_seen_{0};
  std::uint64_t seed_;
  std::size_t size_ = 0;
  std::size_t peak_ = 0;    // largest size since shrink() looked at it
  std::size_t erased_ = 0;  // since then
  std::uint32_t used_ = 0;  // entries ever handed out of the chunks
  std::uint32_t free_ = kNoTicket;
};

}  // namespace kubexx::workqueue::detail
