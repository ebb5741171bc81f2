#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "kubexx/workqueue/detail/queue_impl.hpp"

namespace kubexx::workqueue {

/// What a queue can hold: copied, compared and hashed by value.
template <class T>
concept Item = std::copy_constructible<T> && std::equality_comparable<T> && requires(const T& item) {
  { std::hash<T>{}(item) } -> std::convertible_to<std::size_t>;
};

/// A fair, deduplicating queue of things to do, for any number of producers and workers.
///
/// - Items leave in the order they came (or in that of the storage given).
/// - An item added several times before it is taken is handed out once.
/// - An item is never with two workers at once: added again while it is processed, it waits until done().
/// - What was handed out and is done, is not kept.
///
/// Threads: everything is safe from any thread; no thread may be inside a member when the destructor runs, which is a
/// shut_down() that calls no hook.
/// Stop: shut_down() takes nothing more, shut_down_with_drain() also waits for what is there. get() and
/// shut_down_with_drain() return when their token fires.
/// Errors: none but the item's own: what copying, comparing or hashing one throws comes out. What on_ready throws is
/// reported to the error sink.
/// Example:
///
///     while (auto key = queue.get(stop)) {
///       reconcile(*key);
///       queue.done(*key);
///     }
template <Item T>
class Queue {
 public:
  explicit Queue(QueueOptions<T> options = {}, const Clock& clock = Clock::system())
      : Queue(std::move(options), clock, nullptr) {}
  virtual ~Queue() { impl_->shut_down(/*silent=*/true); }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// No effect after a shutdown, or if the item waits already.
  void add(const T& item) { impl_->add(item, 0); }
  void add(T&& item) { impl_->add(std::move(item), 0); }

  /// Waits for an item and hands it out; every item needs its done(). Nothing if the queue is shut down and empty, or
  /// if the token fires, which leaves waiting items where they are.
  std::optional<T> get(const std::stop_token& stop = {}) { return impl_->get(stop); }
  /// The same without waiting; see QueueOptions::on_ready.
  std::optional<T> try_get() { return impl_->try_get(); }
  /// The worker is through with the item. No effect for an item that is not handed out.
  void done(const T& item) { impl_->done(item); }

  /// Refuses further items and drops delayed ones. What waits is still handed out; then get() returns nothing. Ends a
  /// running shut_down_with_drain().
  void shut_down() { impl_->shut_down(); }
  /// The same, and waits until all that was waiting has been handed out and is done; true if that was reached, false
  /// if another thread called shut_down() or the token fired.
  bool shut_down_with_drain(const std::stop_token& stop = {}) { return impl_->shut_down_with_drain(stop); }
  bool shutting_down() const { return impl_->shutting_down(); }

  std::size_t len() const { return impl_->len(); }  ///< items that wait; for information, it may change at once
  /// A picture for people and probes.
  QueueStatus status() const { return impl_->status(); }

 protected:
  Queue(QueueOptions<T> options, const Clock& clock, Executor* executor)
      : impl_(detail::QueueImpl<T>::make(std::move(options), clock, executor)) {}
  /// For the queues that are made of this one.
  detail::QueueImpl<T>& impl() { return *impl_; }
  const detail::QueueImpl<T>& impl() const { return *impl_; }

 private:
  std::shared_ptr<detail::QueueImpl<T>> impl_;
};

}  // namespace kubexx::workqueue
