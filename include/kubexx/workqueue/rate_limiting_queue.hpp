#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "kubexx/workqueue/delaying_queue.hpp"
#include "kubexx/workqueue/rate_limiter.hpp"

namespace kubexx::workqueue {

/// A queue that puts failed items back later and later.
///
/// The queue counts the requeues of each item until it is told to forget() it: forget an item when it succeeded (or is
/// given up), else the counts of all items that ever failed stay in memory. forget() and done() are separate.
///
/// Threads: as Queue.
/// Stop: as Queue; a shutdown drops what is delayed.
/// Errors: as RateLimiter and DelayingQueue.
/// Example:
///
///     while (auto key = queue.get(stop)) {
///       if (reconcile(*key)) queue.forget(*key);
///       else queue.add_rate_limited(*key);
///       queue.done(*key);
///     }
template <Item T>
class RateLimitingQueue : public DelayingQueue<T> {
 public:
  explicit RateLimitingQueue(std::shared_ptr<Executor> timers, RateLimiter limiter = RateLimiter::default_controller(),
                             QueueOptions<T> options = {})
      : DelayingQueue<T>(std::move(timers), std::move(options)), limiter_(std::move(limiter)) {}

  using Queue<T>::add;
  /// With both a delay and the limiter, the longer wait counts. Added twice, the higher priority counts.
  void add(const T& item, const AddOptions& how) {
    if (how.rate_limited) return this->impl().add_rate_limited(item, limiter_, how.after, how.priority);
    if (how.after > Duration::zero()) return this->impl().add_after(item, how.after, how.priority);
    this->impl().add(item, how.priority);
  }

  /// Adds the item when the limiter allows it; forget() begins its count anew, num_requeues() says it.
  void add_rate_limited(const T& item) { add(item, {.rate_limited = true}); }
  void forget(const T& item) { this->impl().forget(item); }
  std::uint32_t num_requeues(const T& item) const { return this->impl().num_requeues(item); }

 private:
  RateLimiter limiter_;
};

}  // namespace kubexx::workqueue
