#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubexx::workqueue::detail {

/// A heap of small numbers ordered by rank, then by age, in which each number can be found and moved forward.
class IndexedHeap {
 public:
  void push(std::uint32_t id, std::int64_t rank);
  std::uint32_t pop();
  /// True if `rank` is lower than the one the id had; otherwise nothing changes.
  bool move_forward(std::uint32_t id, std::int64_t rank);

  std::int64_t top_rank() const { return heap_.front().rank; }
  std::size_t size() const { return heap_.size(); }
  bool empty() const { return heap_.empty(); }

 private:
  struct Item {
    std::int64_t rank;
    std::uint64_t sequence;
    std::uint32_t id;
    bool before(const Item& other) const { return rank != other.rank ? rank < other.rank : sequence < other.sequence; }
  };
  void sift_up(std::size_t at, Item item);
  void sift_down(std::size_t at, Item item);
  void place(std::size_t at, const Item& item) {
    heap_[at] = item;
    position_[item.id] = static_cast<std::uint32_t>(at);
  }

  std::vector<Item> heap_;
  std::vector<std::uint32_t> position_;  // of an id in heap_; meaningful only while it is inside
  std::uint64_t sequence_ = 0;
};

/// now - priority * ageing, kept inside the range.
std::int64_t aged_rank(std::int64_t now, int priority, std::int64_t ageing);

}  // namespace kubexx::workqueue::detail
