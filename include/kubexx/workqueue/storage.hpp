#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "kubexx/base/clock.hpp"
#include "kubexx/workqueue/detail/indexed_heap.hpp"

namespace kubexx::workqueue {

/// Names one waiting item inside a queue; unique among those that wait.
using Ticket = std::uint32_t;

/// The order of the items that wait in a queue. Without one, a queue is first in, first out.
///
/// Threads: a queue calls its storage under its own lock, so it needs none, and must not call the queue.
/// Errors: what push() and touch() throw comes out where the item was added; pop() must not throw.
/// Example:
///
///     class LastFirst final : public workqueue::Storage<std::string> {
///      public:
///       void push(workqueue::Ticket ticket, const std::string&, int, TimePoint) override { all_.push_back(ticket); }
///       workqueue::Ticket pop() override {
///         const auto last = all_.back();
///         all_.pop_back();
///         return last;
///       }
///       void touch(workqueue::Ticket, const std::string&, int, TimePoint) override {}
///       std::size_t len() const override { return all_.size(); }
///
///      private:
///       std::vector<workqueue::Ticket> all_;
///     };
///     workqueue::Queue<std::string> queue({.storage = std::make_unique<LastFirst>()});
template <class T>
class Storage {
 public:
  virtual ~Storage() = default;
  /// Takes a ticket; the item is there to be looked at.
  virtual void push(Ticket ticket, const T& item, int priority, TimePoint now) = 0;
  virtual Ticket pop() = 0;  ///< called only while len() is not 0
  /// The item was added once more while it waited. May move it.
  virtual void touch(Ticket ticket, const T& item, int priority, TimePoint now) = 0;
  virtual std::size_t len() const = 0;
};

/// Highest priority first, with ageing: for every `ageing` that an item has waited longer than another it counts one
/// priority more. An item is overtaken only by those that come within `ageing` times their lead in priority, so nothing
/// starves. Equals leave in the order they came. Adding a waiting item again can move it forward, never back.
template <class T>
class PriorityStorage final : public Storage<T> {
 public:
  explicit PriorityStorage(Duration ageing = std::chrono::milliseconds(100)) : ageing_(ageing) {}

  void push(Ticket ticket, const T&, int priority, TimePoint now) override { heap_.push(ticket, rank(priority, now)); }
  Ticket pop() override { return heap_.pop(); }
  void touch(Ticket ticket, const T&, int priority, TimePoint now) override {
    heap_.move_forward(ticket, rank(priority, now));
  }
  std::size_t len() const override { return heap_.size(); }

 private:
  // Waiting adds the same to everybody, so the order of two items never changes and the rank can be fixed at push.
  std::int64_t rank(int priority, TimePoint now) const {
    return detail::aged_rank(now.time_since_epoch().count(), priority, ageing_.count());
  }

  Duration ageing_;
  detail::IndexedHeap heap_;
};

}  // namespace kubexx::workqueue
