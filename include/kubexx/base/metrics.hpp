#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/export.hpp"

namespace kubexx {

/// Names and values of labels.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// What a metric is to Prometheus.
enum class MetricType : std::uint8_t { Counter, Gauge, Histogram };
KUBEXX_EXPORT std::string_view to_string(MetricType type) noexcept;  ///< "counter", as the text format has it

/// What one label set of a family was when it was read.
struct MetricPoint {
  MetricLabels labels = {};  ///< by name; values are UTF-8
  double value = 0;          ///< of a histogram: the sum of what was observed
  /// Of a histogram: its upper bounds, each with how many were not above it; the last bound is +Inf and has them all.
  std::vector<std::pair<double, std::uint64_t>> buckets = {};
};

/// All metrics of one name, as they were when they were read.
struct MetricFamily {
  std::string name = {};
  std::string help = {};
  MetricType type = MetricType::Gauge;
  std::vector<MetricPoint> points = {};  ///< at least one
};

namespace detail {
struct MetricSeries;
}

/// A handle on one series. The series is exposed while at least one handle lives; a default handle does nothing.
class KUBEXX_EXPORT Counter {
 public:
  Counter() = default;
  /// Counts on; how far it has come.
  void add(double by = 1) const noexcept;
  double value() const noexcept;

 private:
  friend class MetricsRegistry;
  std::shared_ptr<detail::MetricSeries> series_;
};

/// A value that goes up and down. A handle: copies are the same gauge.
class KUBEXX_EXPORT Gauge {
 public:
  Gauge() = default;
  /// Sets or changes it; what it is now.
  void set(double value) const noexcept;
  void add(double by) const noexcept;
  double value() const noexcept;

 private:
  friend class MetricsRegistry;
  std::shared_ptr<detail::MetricSeries> series_;
};

/// Values in buckets, with their number and sum. A handle: copies are the same histogram.
class KUBEXX_EXPORT Histogram {
 public:
  Histogram() = default;
  /// Takes a value; how many there were, and their sum.
  void observe(double value) const noexcept;
  std::uint64_t count() const noexcept;
  double sum() const noexcept;

 private:
  friend class MetricsRegistry;
  std::shared_ptr<detail::MetricSeries> series_;
};

/// Counters, gauges and histograms with labels, and their Prometheus text form.
///
/// A family holds at most `max_series` label sets; further ones share a series whose label values are all "other", so
/// names chosen by strangers cannot grow the process.
///
/// Threads: everything is safe from any thread; writing to a handle takes no lock.
/// Errors: an invalid name or label, or one name with two types or bucket sets, throws std::logic_error.
/// Example:
///
///     auto orders = MetricsRegistry::process()->counter("shop_orders_total", "Orders taken", {{"shop", "north"}});
///     orders.add();
///     const std::string text = MetricsRegistry::process()->expose();
class KUBEXX_EXPORT MetricsRegistry {
 public:
  explicit MetricsRegistry(std::size_t max_series = 2000);
  ~MetricsRegistry();
  static const std::shared_ptr<MetricsRegistry>& process();  ///< what is used where nothing else is given

  /// The metric of this name and these labels; asked for again it is the same one.
  Counter counter(const std::string& name, const std::string& help, MetricLabels labels = {});
  Gauge gauge(const std::string& name, const std::string& help, MetricLabels labels = {});
  /// Empty bounds mean the usual latency ones, 1 ms to 60 s.
  Histogram histogram(const std::string& name, const std::string& help, MetricLabels labels = {},
                      std::vector<double> bounds = {});
  /// A gauge whose value is asked for at exposition. The function runs without a lock of ours and must not block; it
  /// may still be running when the last handle goes, so it should hold what it reads. Equal label sets add up.
  Gauge gauge_function(const std::string& name, const std::string& help, MetricLabels labels,
                       std::function<double()> value);
  /// The same for a count that is kept elsewhere and never goes back.
  Counter counter_function(const std::string& name, const std::string& help, MetricLabels labels,
                           std::function<double()> value);

  /// Adds process_* (processor time, memory, file descriptors, threads, start) and kubexx_build_info, once, for the
  /// life of the registry. process() has them, and what an inspector shows gets them.
  void add_process_figures();

  /// Hands over every family, by name, for whoever takes metrics elsewhere. Without a lock of ours while `visit` runs;
  /// what it throws comes out here.
  void for_each(const std::function<void(const MetricFamily& family)>& visit) const;
  std::string expose() const;  ///< Prometheus text format 0.0.4

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx
