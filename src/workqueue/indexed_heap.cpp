#include "kubexx/workqueue/detail/indexed_heap.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/internal/assert.hpp"

namespace kubexx::workqueue::detail {

namespace {
constexpr std::size_t kArity = 4;
constexpr std::size_t kKept = 4096;  // items and ids, if there were as many
}  // namespace

void IndexedHeap::push(std::uint32_t id, std::int64_t rank) {
  if (id >= position_.size()) position_.resize(std::max<std::size_t>(id + std::size_t{1}, position_.size() * 2));
  const Item item{rank, sequence_++, id};
  if (row_.size() == row_head_ + 1 && item.before(row_.back())) {  // a single late one does not keep others out
    push_on_heap(row_.back());
    row_.pop_back();
  }
  if (row_.size() == row_head_ || !item.before(row_.back())) {
    position_[id] = kInRow | ((row_base_ + static_cast<std::uint32_t>(row_.size())) & ~kInRow);
    row_.push_back(item);
  } else {
    push_on_heap(item);
  }
  look_at_ = std::max(look_at_, ++size_ / 2);
}

std::uint32_t IndexedHeap::pop() {
  KUBEXX_ASSERT(size_ > 0);
  std::uint32_t id = 0;
  if (top_is_in_row()) {
    id = row_[row_head_++].id;
    advance_row();
  } else {
    id = pop_from_heap();
  }
  if (--size_ <= look_at_) give_back();
  return id;
}

/// The room of a burst that is over, and the positions of ids that are not inside any more. Looked at whenever half of
/// the items have left.
void IndexedHeap::give_back() {
  look_at_ = size_ / 2;
  const bool room = heap_.capacity() + row_.capacity() > std::max(kKept, size_ * 8);
  if (!room && position_.size() <= std::max(kKept, size_ * 64)) return;
  row_base_ += static_cast<std::uint32_t>(row_head_);
  row_.erase(row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(std::exchange(row_head_, 0)));
  row_.shrink_to_fit();
  heap_.shrink_to_fit();
  std::size_t ids = 0;
  for (const auto* items : {&row_, &heap_}) {
    for (const Item& item : *items) ids = std::max<std::size_t>(ids, item.id == kGone ? 0 : item.id + std::size_t{1});
  }
  if (position_.size() <= 2 * ids + kKept) return;  // a high id that stays: what is cut would be needed again at once
  position_.resize(ids);
  position_.shrink_to_fit();
}

bool IndexedHeap::move_forward(std::uint32_t id, std::int64_t rank) {
  const std::uint32_t at = position_[id];
  if ((at & kInRow) == 0) {
    Item item = heap_[at];
    if (rank >= item.rank) return false;
    item.rank = rank;
    sift_up(at, item);
    return true;
  }
  const std::size_t index = (at - row_base_) & ~kInRow;
  Item item = row_[index];
  if (rank >= item.rank) return false;
  row_[index].id = kGone;
  if (index == row_head_) advance_row();
  item.rank = rank;
  push_on_heap(item);
  return true;
}

/// Passes over the gone ones and gives back the room of what has left, before it is more than the rest.
void IndexedHeap::advance_row() {
  while (row_head_ < row_.size() && row_[row_head_].id == kGone) ++row_head_;
  if (row_head_ * 2 < row_.size()) return;
  row_.erase(row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(row_head_));
  row_base_ += static_cast<std::uint32_t>(row_head_);
  row_head_ = 0;
}

void IndexedHeap::push_on_heap(const Item& item) {
  heap_.push_back(item);
  sift_up(heap_.size() - 1, item);
}

std::uint32_t IndexedHeap::pop_from_heap() {
  const std::uint32_t id = heap_.front().id;
  const Item last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0, last);
  return id;
}

void IndexedHeap::sift_up(std::size_t at, Item item) {
  while (at > 0) {
    const std::size_t parent = (at - 1) / kArity;
    if (!item.before(heap_[parent])) break;
    place(at, heap_[parent]);
    at = parent;
  }
  place(at, item);
}

void IndexedHeap::sift_down(std::size_t at, Item item) {
  for (;;) {
    const std::size_t first = at * kArity + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + kArity, heap_.size());
    std::size_t best = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (heap_[child].before(heap_[best])) best = child;
    }
    if (!heap_[best].before(item)) break;
    place(at, heap_[best]);
    at = best;
  }
  place(at, item);
}

std::int64_t aged_rank(std::int64_t now, int priority, std::int64_t ageing) {
  std::int64_t lead = 0;
  std::int64_t rank = 0;
  if (!__builtin_mul_overflow(static_cast<std::int64_t>(priority), ageing, &lead) &&
      !__builtin_sub_overflow(now, lead, &rank)) {
    return rank;
  }
  return priority > 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace kubexx::workqueue::detail
