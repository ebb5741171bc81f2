#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kubexx/base/export.hpp"

namespace kubexx::workqueue::detail {

/// Small numbers ordered by rank, then by age, in which each number can be found and moved forward. Numbers that come
/// in order, as items with one delay do, are a row that costs no search; the others are in a heap. Memory goes back
/// when a burst is over.
class KUBEXX_EXPORT_INTERNAL IndexedHeap {
 public:
  void push(std::uint32_t id, std::int64_t rank);
  std::uint32_t pop();
  /// True if `rank` is lower than the one the id had; otherwise nothing changes.
  bool move_forward(std::uint32_t id, std::int64_t rank);

  std::int64_t top_rank() const { return top_is_in_row() ? row_[row_head_].rank : heap_.front().rank; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  struct Item {
    std::int64_t rank;
    std::uint64_t sequence;
    std::uint32_t id;
    bool before(const Item& other) const { return rank != other.rank ? rank < other.rank : sequence < other.sequence; }
  };
  static constexpr std::uint32_t kInRow = 0x80000000;  // flag of a position
  static constexpr std::uint32_t kGone = 0xffffffff;   // id of an item of the row that was moved to the heap

  bool top_is_in_row() const {
    return row_head_ < row_.size() && (heap_.empty() || row_[row_head_].before(heap_.front()));
  }
  void push_on_heap(const Item& item);
  std::uint32_t pop_from_heap();
  void advance_row();
  void give_back();
  void sift_up(std::size_t at, Item item);
  void sift_down(std::size_t at, Item item);
  void place(std::size_t at, const Item& item) {
    heap_[at] = item;
    position_[item.id] = static_cast<std::uint32_t>(at);
  }

  std::vector<Item> heap_;
  std::vector<Item> row_;  // ascending; from row_head_ on, where no gone one stands
  std::size_t row_head_ = 0;
  std::uint32_t row_base_ = 0;           // added to an index in row_ it is what position_ says, without the flag
  std::vector<std::uint32_t> position_;  // of an id; meaningful only while it is inside
  std::size_t size_ = 0;
  std::size_t look_at_ = 0;  // size at which the room is looked at
  std::uint64_t sequence_ = 0;
};

/// now - priority * ageing, kept inside the range.
KUBEXX_EXPORT_INTERNAL std::int64_t aged_rank(std::int64_t now, int priority, std::int64_t ageing);

}  // namespace kubexx::workqueue::detail
