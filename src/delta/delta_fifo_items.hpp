#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "delta/prefetch.hpp"
#include "kubexx/base/large_pages.hpp"
#include "kubexx/delta/delta.hpp"

namespace kubexx::delta {

/// The queued keys of a DeltaFifo in order, each with its deltas. Items are numbered as they come and stand in chunks
/// in that order; an open-addressing table leads from a key's hash to its number. Not thread-safe.
class DeltaFifoItems {
 public:
  class Item {
   public:
    const meta::Key& key() const noexcept { return first_.key(); }
    const Delta& newest() const noexcept { return many_.empty() ? first_ : many_.back(); }
    void set_newest(Delta delta) { (many_.empty() ? first_ : many_.back()) = std::move(delta); }
    void push(Delta delta);

   private:
    friend class DeltaFifoItems;
    Delta first_{DeltaType::Added, {}, {}};
    Deltas many_;  // all of them once there are more
  };

  bool empty() const noexcept { return first_ == next_; }
  std::size_t size() const noexcept { return next_ - first_; }
  Item* find(const meta::Key& key);
  /// The item that has the delta's key; nothing is moved then. Null: there was none, and now it stands at the end.
  Item* find_or_append(Delta&& delta);
  /// For a key that is not queued; one delta or more.
  void append(Deltas deltas);
  /// Into an empty vector, whose buffer is used for a single delta.
  void pop_front(Deltas& into);
  /// Ask the processor to bring what find_or_append will need soon: first the place in the table, then the item that
  /// stands there, then the end of its deltas.
  void prefetch_slot(const meta::Key& key) const noexcept {
    if (!table_.empty()) prefetch(&table_[home_of(mark_of(key.hash()))]);
  }
  void prefetch_item(const meta::Key& key) const noexcept {
    const Item* const item = likely_item(key);
    if (item == nullptr) return;
    prefetch(item);
    prefetch(&item->many_);
  }
  void prefetch_deltas(const meta::Key& key) const noexcept {
    const Item* const item = likely_item(key);
    if (item == nullptr) return;
    prefetch_to_write(item->many_.data() + item->many_.size());
    prefetch_key(item->key());
  }
  template <class F>
  void for_each(F function) const {
    for (std::uint32_t number = first_; number != next_; ++number) function(std::as_const(at(number)));
  }

 private:
  struct Slot {
    std::uint32_t number = 0;
    std::uint32_t mark = 0;  // 0: free; else the hash, its lowest bit set
  };
  using Table = std::vector<Slot, LargeAllocator<Slot>>;
  static constexpr unsigned kChunkBits = 6;
  static constexpr std::uint32_t kChunk = 1U << kChunkBits;

  static std::uint32_t mark_of(std::uint32_t hash) noexcept { return hash | 1; }
  std::size_t home_of(std::uint32_t mark) const noexcept { return (mark >> 1) & (table_.size() - 1); }
  Item& at(std::uint32_t number) const noexcept {
    return chunks_[(number >> kChunkBits) & (chunks_.size() - 1)][number & (kChunk - 1)];
  }
  /// The item of the key if it stands where it belongs and nothing else has its hash.
  const Item* likely_item(const meta::Key& key) const noexcept {
    if (table_.empty()) return nullptr;
    const Slot& slot = table_[home_of(mark_of(key.hash()))];
    return slot.mark == mark_of(key.hash()) ? &at(slot.number) : nullptr;
  }
  void prefetch_front() const noexcept;
  std::size_t slot_of(const meta::Key& key);
  Item& append_item();
  void make_room();
  void grow_table();
  void erase_slot(std::size_t hole);

  Table table_;                                  // a power of two, at most half full
  std::vector<std::unique_ptr<Item[]>> chunks_;  // a ring, a power of two
  std::unique_ptr<Item[]> spare_;
  std::uint32_t first_ = 0;  // numbers may wrap around
  std::uint32_t next_ = 0;
};

}  // namespace kubexx::delta
