#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubexx/base/metrics.hpp"

namespace kubexx::detail {

struct MetricSeries;

/// What a series tells when its last handle goes.
class SeriesOwner {
 public:
  virtual void remove(const MetricSeries& series) noexcept = 0;

 protected:
  ~SeriesOwner() = default;
};

/// The numbers behind the handles. Writers use relaxed atomics only.
struct MetricSeries {
  MetricSeries(std::weak_ptr<SeriesOwner> owner, std::string name, MetricLabels labels, std::string key,
               std::vector<double> bounds, std::function<double()> function);
  ~MetricSeries();
  MetricSeries(const MetricSeries&) = delete;
  MetricSeries& operator=(const MetricSeries&) = delete;

  double read() const noexcept;  ///< counters and gauges; a function that throws gives NaN

  const std::weak_ptr<SeriesOwner> owner;
  const std::string name;
  const MetricLabels labels;  ///< sorted, in UTF-8
  const std::string key;      ///< the same as text: `a="x",b="y"`
  const std::vector<double> bounds;
  const std::function<double()> function;
  std::atomic<double> value{0};                           ///< of a histogram: the sum
  std::unique_ptr<std::atomic<std::uint64_t>[]> buckets;  ///< of a histogram: one a bound, and one beyond
};

}  // namespace kubexx::detail
