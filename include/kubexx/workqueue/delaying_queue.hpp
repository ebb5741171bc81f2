#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "kubexx/base/executor.hpp"
#include "kubexx/workqueue/queue.hpp"

namespace kubexx::workqueue {

namespace detail {
/// A base that is built first and goes last: the queue's timers need the executor.
struct KeepsExecutor {
  explicit KeepsExecutor(std::shared_ptr<Executor> given) : executor(std::move(given)) {
    if (!executor) throw std::invalid_argument("work queue: no executor");
  }
  std::shared_ptr<Executor> executor = {};
};
}  // namespace detail

/// A queue to which items can be added later. Time is the executor's; one timer runs for the earliest item, and what is
/// due within the tenth of a millisecond after it may come together.
///
/// Threads: as Queue; add_after() never blocks.
/// Stop: as Queue; a shutdown drops what is delayed.
/// Errors: no executor throws std::invalid_argument.
/// Example:
///
///     workqueue::DelayingQueue<std::string> queue(executor);
///     queue.add_after("default/web", 5s);
template <Item T>
class DelayingQueue : private detail::KeepsExecutor, public Queue<T> {
 public:
  explicit DelayingQueue(std::shared_ptr<Executor> timers, QueueOptions<T> options = {})
      : KeepsExecutor(std::move(timers)), Queue<T>(std::move(options), executor->clock(), executor.get()) {}

  /// Adds the item when the time is over, at once for a delay of zero or less. An item delayed twice comes once, at the
  /// earlier of both times. No effect after a shutdown. Counts as a retry.
  void add_after(const T& item, Duration delay) { this->impl().add_after(item, delay, 0); }
};

}  // namespace kubexx::workqueue
