#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/internal/deadline.hpp"
#include "kubexx/base/executor.hpp"

namespace kubexx::detail {

/// Pending timers in the order they become due; equal times keep the order of insertion. Canceled timers released
/// their tasks already; the husks they leave are swept before they outnumber the living. Memory goes back with them.
///
/// Threads: none of its own; the executor's lock guards it.
class TimerHeap {
 public:
  /// So that the next push() needs no memory.
  void make_room() {
    if (entries_.size() >= sweep_at_) sweep();
    if (entries_.size() == entries_.capacity()) entries_.reserve(std::max(kSmall, 2 * entries_.size()));
  }

  /// True when the new timer became the first one due.
  bool push(TimePoint when, Timer timer, Task task) {
    if (entries_.size() >= sweep_at_) sweep();
    const std::uint64_t sequence = ++sequence_;
    entries_.push_back({when, sequence, std::move(timer), std::move(task)});
    std::push_heap(entries_.begin(), entries_.end(), later);
    return entries_.front().sequence == sequence;
  }

  /// When the first pending timer is due.
  std::optional<TimePoint> next() {
    while (!entries_.empty() && !entries_.front().timer.pending()) pop();
    if (entries_.empty()) return std::nullopt;
    return entries_.front().when;
  }

  /// Takes the first timer's task if it is due.
  std::optional<Task> pop_due(TimePoint now) {
    const auto first = next();
    if (!first || *first > now) return std::nullopt;
    return pop();
  }

  std::size_t pending() const {
    return static_cast<std::size_t>(
        std::count_if(entries_.begin(), entries_.end(), [](const Entry& e) { return e.timer.pending(); }));
  }
  std::size_t size() const { return entries_.size(); }  ///< husks included

 private:
  struct Entry {
    TimePoint when;
    std::uint64_t sequence;
    Timer timer;
    Task task;
  };
  static constexpr std::size_t kSmall = 64;
  static constexpr std::size_t kKept = 1024;

  static bool later(const Entry& a, const Entry& b) {
    return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
  }

  Task pop() {
    std::pop_heap(entries_.begin(), entries_.end(), later);
    Task task = std::move(entries_.back().task);
    entries_.pop_back();
    give_back();
    return task;
  }

  void sweep() {
    std::erase_if(entries_, [](const Entry& e) { return !e.timer.pending(); });
    std::make_heap(entries_.begin(), entries_.end(), later);
    sweep_at_ = std::max(kSmall, entries_.size() * 2);
    give_back();
  }

  /// The room of a burst that is over, so rarely that it costs nothing.
  void give_back() {
    if (entries_.capacity() > kKept && entries_.size() < entries_.capacity() / 4) entries_.shrink_to_fit();
  }

  std::vector<Entry> entries_;
  std::uint64_t sequence_ = 0;
  std::size_t sweep_at_ = kSmall;
};

}  // namespace kubexx::detail
