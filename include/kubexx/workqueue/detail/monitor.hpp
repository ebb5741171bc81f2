#pragma once

#include <memory>
#include <string>

#include "kubexx/base/export.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/workqueue/status.hpp"

namespace kubexx::workqueue::detail {

class KUBEXX_EXPORT_INTERNAL Inspectable {
 public:
  virtual ~Inspectable() = default;
  virtual QueueStatus status() const = 0;
};

/// The series of one named queue and its place in live_queues(); both go with it.
class KUBEXX_EXPORT_INTERNAL Monitor {
 public:
  Monitor(MetricsRegistry& registry, const std::string& name, const std::shared_ptr<Inspectable>& queue);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  void added() const noexcept { adds_.add(); }
  void retried() const noexcept { retries_.add(); }
  void taken(Duration waited) const noexcept { latency_.observe(std::chrono::duration<double>(waited).count()); }
  void finished(Duration took) const noexcept { work_.observe(std::chrono::duration<double>(took).count()); }

 private:
  Counter adds_;
  Counter retries_;
  Histogram latency_;
  Histogram work_;
  Gauge depth_;
  Gauge unfinished_;
  Gauge longest_running_;
  std::weak_ptr<Inspectable> queue_;
};

}  // namespace kubexx::workqueue::detail
