#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/base/trace.hpp"
#include "kubexx/workqueue/rate_limiter.hpp"

namespace kubexx::controller {

/// Keys that come from the first list or from a resync wait behind those of real changes, for ten seconds at most.
inline constexpr int kLowPriority = -100;

/// Name, workers, limits and deadlines of a controller.
struct ControllerOptions {
  std::string name = {};         ///< of its metrics and its queue; default: the kind, in lower case
  std::size_t workers = 1;       ///< reconciles at the same time, of different keys
  Duration reconcile_timeout{};  ///< after this long a reconcile's stop token fires; 0: never
  workqueue::RateLimiter rate_limiter = workqueue::RateLimiter::default_controller();
  /// After a stop, keys that wait are still reconciled for this long; then the stop tokens of running reconciles fire
  /// and the rest is dropped. 0: at once.
  Duration drain_deadline = std::chrono::seconds(10);
  std::optional<Duration> sync_timeout = {};  ///< sources that take longer to sync end the run with a Timeout

  // Taken from the client of the factory where absent.
  std::shared_ptr<Executor> executor = {};  ///< timers and bookkeeping
  std::shared_ptr<Executor> handlers = {};  ///< reconciles run here; they may block
  std::shared_ptr<MetricsRegistry> metrics = {};
  std::shared_ptr<Tracer> tracer = {};  ///< of its reconciles; null: set_tracer's
};

}  // namespace kubexx::controller
