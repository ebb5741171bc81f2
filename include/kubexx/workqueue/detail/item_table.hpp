#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/workqueue/detail/item_hash.hpp"

namespace kubexx::workqueue::detail {

inline constexpr std::uint32_t kNoTicket = 0xffffffff;

/// All that a queue knows about one item.
template <class T>
struct Entry {
  Entry() {}
  ~Entry() {}
  union {
    T item;  // alive while `live`
  };
  std::uint32_t hash;
  std::uint32_t chain;                // next entry of the same bucket, or of the free list
  std::uint32_t previous, following;  // neighbours among the waiting or among the processed
  std::uint32_t requeues;
  std::int32_t priority;
  bool live = false;
  bool dirty;       // to be handed out
  bool processing;  // handed out; dirty and not processing means waiting
  bool delayed;
  TimePoint added;
  TimePoint started;
};

/// The entries of a queue: one hash lookup finds everything about an item, entries never move, and what is released
/// is destroyed at once. Memory goes back when the table becomes empty.
template <class T>
class ItemTable {
 public:
  explicit ItemTable(std::uint64_t seed) : seed_(seed) {}
  ItemTable(const ItemTable&) = delete;
  ItemTable& operator=(const ItemTable&) = delete;
  ~ItemTable() {
    for (std::uint32_t id = 0; id < used_; ++id) {
      if ((*this)[id].live) (*this)[id].item.~T();
    }
  }

  std::uint32_t hash(const T& item) const { return item_hash(item, seed_); }
  Entry<T>& operator[](std::uint32_t id) const { return chunks_[id >> kChunkBits][id & (kChunk - 1)]; }
  std::size_t size() const { return size_; }

  std::uint32_t find(std::uint32_t hash, const T& item) const {
    if (buckets_.empty()) return kNoTicket;
    for (std::uint32_t id = bucket(hash); id != kNoTicket;) {
      const Entry<T>& entry = (*this)[id];
      if (entry.hash == hash && entry.item == item) return id;
      id = entry.chain;
    }
    return kNoTicket;
  }

  /// The item must not be inside yet.
  template <class U>
  std::uint32_t insert(std::uint32_t hash, U&& item) {
    if (size_ >= buckets_.size()) grow();
    if (free_ == kNoTicket) add_fresh();
    const std::uint32_t id = free_;
    Entry<T>& entry = (*this)[id];
    ::new (static_cast<void*>(std::addressof(entry.item))) T(std::forward<U>(item));
    free_ = entry.chain;
    entry.hash = hash;
    entry.chain = std::exchange(bucket(hash), id);
    entry.requeues = 0;
    entry.priority = 0;
    entry.live = true;
    entry.dirty = entry.processing = entry.delayed = false;
    ++size_;
    return id;
  }

  void erase(std::uint32_t id) {
    Entry<T>& entry = (*this)[id];
    std::uint32_t* link = &bucket(entry.hash);
    while (*link != id) link = &(*this)[*link].chain;
    *link = entry.chain;
    entry.item.~T();
    entry.live = false;
    entry.chain = std::exchange(free_, id);
    if (--size_ == 0 && chunks_.size() > kChunksKept) release_memory();
  }

 private:
  static constexpr std::uint32_t kChunkBits = 8;
  static constexpr std::uint32_t kChunk = 1U << kChunkBits;
  static constexpr std::size_t kChunksKept = 16;

  std::uint32_t& bucket(std::uint32_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  std::uint32_t bucket(std::uint32_t hash) const { return buckets_[hash & (buckets_.size() - 1)]; }

  void add_fresh() {
    if (used_ == kNoTicket) throw std::length_error("work queue: too many items");
    if ((used_ & (kChunk - 1)) == 0) chunks_.push_back(std::make_unique<Entry<T>[]>(kChunk));
    (*this)[used_].chain = kNoTicket;
    free_ = used_++;
  }

  void grow() {
    std::vector<std::uint32_t> wider(std::max<std::size_t>(64, buckets_.size() * 2), kNoTicket);
    buckets_.swap(wider);
    for (std::uint32_t id = 0; id < used_; ++id) {
      Entry<T>& entry = (*this)[id];
      if (entry.live) entry.chain = std::exchange(bucket(entry.hash), id);
    }
  }

  void release_memory() {
    std::vector<std::unique_ptr<Entry<T>[]>>().swap(chunks_);
    std::vector<std::uint32_t>().swap(buckets_);
    used_ = 0;
    free_ = kNoTicket;
  }

  std::vector<std::unique_ptr<Entry<T>[]>> chunks_;
  std::vector<std::uint32_t> buckets_;  // a power of two, or none
  std::uint64_t seed_;
  std::size_t size_ = 0;
  std::uint32_t used_ = 0;  // entries ever handed out of the chunks
  std::uint32_t free_ = kNoTicket;
};

}  // namespace kubexx::workqueue::detail
