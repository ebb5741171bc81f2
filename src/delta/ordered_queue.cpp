#include "kubexx/delta/ordered_queue.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "delta/prefetch.hpp"

namespace kubexx::delta {
namespace {

constexpr std::size_t kKeptCapacity = 4096;  // larger buffers are given back when the queue is empty
constexpr std::size_t kDocumentsAhead = 8;   // whose memory is asked for before they are taken

}  // namespace

OrderedQueue::OrderedQueue() : OrderedQueue(Options{}) {}
OrderedQueue::OrderedQueue(Options options) : options_(options) {
  if (options_.batch_size == 0) throw std::logic_error("the batch size is at least 1");
}

void OrderedQueue::replace(std::vector<meta::KeyedObject> objects, std::string resource_version, bool repairs,
                           Coverage of) {
  items_.push_back(Delta::replaced_all(std::move(objects), std::move(resource_version), std::move(of)).marked(repairs));
  populate(mark());
}

void OrderedQueue::resync() {
  items_.push_back(Delta::sync_all());
}

void OrderedQueue::bookmark(std::string_view resource_version) {
  if (options_.emit_bookmarks) items_.push_back(Delta::bookmark(std::string(resource_version)));
}

void OrderedQueue::take_one(Taken& into) {
  if (next_ + kDocumentsAhead < items_.size()) prefetch_document(items_[next_ + kDocumentsAhead].object());
  into.deltas.push_back(std::move(items_[next_++]));
}

bool OrderedQueue::take(Taken& into) {
  if (empty()) return false;
  into.is_in_initial_list = !has_synced();
  into.deltas.swap(spare_);
  into.deltas.clear();
  std::size_t room = std::min(options_.batch_size, size());
  if (taken_ < initial_end_ && initial_end_ != kUnpopulated) {
    room = std::min(room, static_cast<std::size_t>(initial_end_ - taken_));
  }
  into.deltas.reserve(items_[next_].has_key() ? room : 1);  // what is taken is not lost for want of memory
  if (room == 1 || !items_[next_].has_key()) {
    take_one(into);
  } else {
    // Keys met so far, by hash: two keys that share one end the batch early, which changes nothing else.
    const std::size_t slots = std::bit_ceil(2 * room);
    seen_.assign(slots, 0);
    for (std::size_t n = 0; n < room; ++n) {
      const Delta& next = items_[next_];
      if (!next.has_key()) break;
      const std::uint32_t mark = next.key().hash() | 1;
      std::size_t at = (mark >> 1) & (slots - 1);
      while (seen_[at] != 0 && seen_[at] != mark) at = (at + 1) & (slots - 1);
      if (seen_[at] == mark) break;
      seen_[at] = mark;
      take_one(into);
    }
  }
  taken_ += static_cast<std::int64_t>(into.deltas.size());
  into.ticket = into.deltas.size();
  forget_taken();
  return true;
}

/// Gives room back, so rarely that it costs nothing: a queue that is never empty must not grow for ever.
void OrderedQueue::forget_taken() {
  if (empty()) {
    items_.clear();
    if (items_.capacity() > kKeptCapacity) Deltas().swap(items_);
  } else if (next_ >= kKeptCapacity && next_ > items_.size() / 2) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(next_));
  } else {
    return;
  }
  next_ = 0;
}

void OrderedQueue::finish(Taken& taken) {
  processed_ += static_cast<std::int64_t>(std::exchange(taken.ticket, 0));
  taken.deltas.clear();
  if (taken.deltas.capacity() <= kKeptCapacity) spare_.swap(taken.deltas);
}

Result<void> OrderedQueue::add_if_not_present(Deltas deltas) {
  if (auto refused = detail::check_put_back(deltas); !refused) return refused;
  populate(0);
  std::unordered_set<meta::Key> queued;
  bool list_queued = false;
  for (std::size_t i = next_; i < items_.size(); ++i) {
    if (items_[i].has_key()) queued.insert(items_[i].key());
    list_queued |= items_[i].type() == DeltaType::ReplacedAll;
  }
  for (Delta& delta : deltas) {
    if (delta.type() == DeltaType::Bookmark) continue;
    if (delta.type() == DeltaType::ReplacedAll) {
      // Behind later changes it would undo them. It counts as not processed, so the queue is not synced before it is.
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(next_), std::move(delta));
      --taken_;
      --processed_;
      continue;
    }
    // A whole list that waits is newer, and behind it the change would undo what the list says.
    if (delta.has_key() && (list_queued || queued.contains(delta.key()))) continue;
    items_.push_back(std::move(delta));
  }
  return {};
}

}  // namespace kubexx::delta
