#include "kubexx/workqueue/detail/monitor.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace kubexx::workqueue {

namespace {

struct LiveQueues {
  std::mutex mutex;
  std::vector<std::weak_ptr<detail::Inspectable>> queues;  // guarded by mutex
};

LiveQueues& live() {
  static LiveQueues queues;
  return queues;
}

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::vector<QueueStatus> live_queues() {
  std::vector<std::weak_ptr<detail::Inspectable>> queues;
  {
    const std::lock_guard lock(live().mutex);
    queues = live().queues;
  }
  std::vector<QueueStatus> all;
  for (const auto& weak : queues) {
    if (const auto queue = weak.lock()) all.push_back(queue->status());
  }
  return all;
}

namespace detail {

// The names are those of Kubernetes' own components, so that existing dashboards fit.
Monitor::Monitor(MetricsRegistry& registry, const std::string& name, const std::shared_ptr<Inspectable>& queue)
    : queue_(queue) {
  const MetricLabels labels{{"name", name}};
  const std::vector<double> bounds{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
  const auto ask = [weak = queue_](auto read) {
    return [weak, read] {
      const auto alive = weak.lock();
      return alive ? static_cast<double>(read(alive->status())) : 0.0;
    };
  };
  adds_ = registry.counter("workqueue_adds_total", "Items added to the work queue", labels);
  retries_ = registry.counter("workqueue_retries_total", "Items added to be handled later", labels);
  latency_ =
      registry.histogram("workqueue_queue_duration_seconds", "Time an item waits until it is taken", labels, bounds);
  work_ = registry.histogram("workqueue_work_duration_seconds", "Time from taking an item to done", labels, bounds);
  depth_ = registry.gauge_function("workqueue_depth", "Items waiting", labels,
                                   ask([](const QueueStatus& now) { return now.depth; }));
  unfinished_ =
      registry.gauge_function("workqueue_unfinished_work_seconds", "Time spent so far on all items in processing",
                              labels, ask([](const QueueStatus& now) { return seconds(now.unfinished); }));
  longest_running_ = registry.gauge_function("workqueue_longest_running_processor_seconds",
                                             "Time spent so far on the item longest in processing", labels,
                                             ask([](const QueueStatus& now) { return seconds(now.longest_running); }));
  const std::lock_guard lock(live().mutex);
  live().queues.push_back(queue_);
}

Monitor::~Monitor() {
  const std::lock_guard lock(live().mutex);
  std::erase_if(live().queues, [this](const std::weak_ptr<Inspectable>& other) {
    return !other.owner_before(queue_) && !queue_.owner_before(other);
  });
}

}  // namespace detail

}  // namespace kubexx::workqueue
