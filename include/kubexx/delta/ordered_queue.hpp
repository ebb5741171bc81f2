#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/delta/queue.hpp"

namespace kubexx::delta {

/// Keeps every change in the order of arrival, across keys; client-go's RealFIFO. Nothing is merged. A list is one
/// change (ReplacedAll) and a resync another (SyncAll): the consumer sees states that existed.
///
/// It is synced once everything of its first content was processed, not merely taken: after the first replace(), or at
/// once when something else came first.
///
/// Threads: one at a time. A process function may call the queue.
/// Errors: only the process function's and those of putting back; what is queued has a key already.
/// Example:
///
///     delta::OrderedQueue queue({.batch_size = 100});
///     queue.add(meta::Key::of(pod), pod);
///     queue.remove(meta::Key::of(pod), pod);
///     while (auto popped = queue.try_pop(process)) {
///       if (!*popped) break;  // nothing is queued
///     }
class KUBEXX_EXPORT OrderedQueue {
 public:
  /// What it is told before it begins.
  struct Options {
    bool emit_bookmarks = false;
    std::size_t batch_size = 1'000;  ///< at least 1, or std::logic_error
  };

  OrderedQueue();
  explicit OrderedQueue(Options options);

  /// What happened to an object, each an entry of its own.
  void add(meta::Key key, meta::Object object) { push(DeltaType::Added, std::move(key), std::move(object)); }
  void update(meta::Key key, meta::Object object) { push(DeltaType::Updated, std::move(key), std::move(object)); }
  void remove(meta::Key key, meta::Object object) { push(DeltaType::Deleted, std::move(key), std::move(object)); }
  /// The whole state, or that of a part, as of a version; `repairs`: what differs was wrong (DeltaSink::repair).
  void replace(std::vector<meta::KeyedObject> objects, std::string resource_version, bool repairs = false,
               Coverage of = {});
  void resync();
  void bookmark(std::string_view resource_version);

  /// Takes up to batch_size changes and processes them. A batch ends before: a change without a key, a key it already
  /// has, the first change that is not initial any more. False: nothing is queued. An Error is the process function's;
  /// the changes are gone then.
  template <class Function>
  Result<bool> try_pop(const Function& process) {
    return detail::try_pop(*this, process);
  }
  /// The two halves of try_pop, for a consumer of its own: what was taken is finished when it was processed.
  bool take(Taken& into);
  void finish(Taken& taken);

  /// Puts back what could not be processed: nothing happens if its key is queued again already (that is newer),
  /// otherwise it is appended. A whole list goes back to the front, where it came from; bookmarks are dropped. Marks
  /// the queue populated. An Error when there is nothing, or an object has no key.
  Result<void> add_if_not_present(Deltas deltas);

  bool is_populated() const noexcept { return initial_end_ != kUnpopulated; }  ///< something came
  /// Whether everything of the first list was processed.
  bool has_synced() const noexcept { return processed_ >= initial_end_; }
  std::size_t size() const noexcept { return items_.size() - next_; }  ///< changes waiting
  /// Everything that came so far, for has_processed().
  std::int64_t mark() const noexcept { return taken_ + static_cast<std::int64_t>(size()); }
  bool has_processed(std::int64_t mark) const noexcept { return processed_ >= mark; }
  bool empty() const noexcept { return size() == 0; }

 private:
  static constexpr std::int64_t kUnpopulated = std::numeric_limits<std::int64_t>::max();

  void push(DeltaType type, meta::Key key, meta::Object object) {
    populate(0);
    items_.emplace_back(type, std::move(key), std::move(object));
  }
  void populate(std::int64_t initial) {  // the first call decides
    if (initial_end_ == kUnpopulated) initial_end_ = initial;
  }
  void take_one(Taken& into);
  void forget_taken();

  Options options_;
  Deltas items_;
  std::size_t next_ = 0;             // of items_, not taken yet
  Deltas spare_;                     // an empty vector whose buffer is used again
  std::vector<std::uint32_t> seen_;  // hashes of the batch being taken
  // Changes are counted: the first initial_end_ ones are the initial ones, and the queue is synced when that many were
  // processed.
  std::int64_t taken_ = 0;
  std::int64_t processed_ = 0;
  std::int64_t initial_end_ = kUnpopulated;
};

}  // namespace kubexx::delta
