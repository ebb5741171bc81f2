#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "kubexx/base/clock.hpp"
#include "kubexx/workqueue/storage.hpp"

namespace kubexx {
class MetricsRegistry;
}

namespace kubexx::workqueue {

/// Name, metrics, order and hook of a queue.
template <class T>
struct QueueOptions {
  std::string name = {};                          ///< empty: no metrics, not in live_queues(), no reading of the clock
  std::shared_ptr<MetricsRegistry> metrics = {};  ///< null: MetricsRegistry::process()
  std::unique_ptr<Storage<T>> storage = {};       ///< null: first in, first out
  /// For workers that run on an executor instead of blocking in get(): called without a lock held, with the number of
  /// items that just became ready for try_get(); with 0 when the queue shuts down and when it has drained. Runs on the
  /// thread that added, finished or shut down, or on the executor; may outlast the queue by one call.
  std::function<void(std::size_t ready)> on_ready = {};
};

/// How an item is added to a RateLimitingQueue.
struct AddOptions {
  int priority = 0;           ///< has a meaning to the queue's storage; the default storage ignores it
  Duration after{};           ///< not before this much time has passed
  bool rate_limited = false;  ///< not before the limiter allows it either; counts as a requeue
};

}  // namespace kubexx::workqueue
