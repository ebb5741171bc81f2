#include "kubexx/base/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>

#include "base/metrics_series.hpp"
#include "base/metrics_text.hpp"
#include "base/process_figures.hpp"
#include "kubexx/base/version.hpp"

namespace kubexx {

using detail::MetricSeries;

namespace {

std::vector<double> latency_bounds() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
}

void require(bool ok, const std::string& name, const char* complaint) {
  if (!ok) throw std::logic_error("metric " + name + ": " + complaint);
}

void check_labels(const std::string& name, MetricType kind, const MetricLabels& sorted) {
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::string& label = sorted[i].first;
    require(detail::valid_label_name(label), name, "invalid label name");
    require(kind != MetricType::Histogram || label != "le", name, "a histogram sets the label le itself");
    require(i == 0 || sorted[i - 1].first != label, name, "a label is given twice");
  }
}

std::vector<double> check_bounds(const std::string& name, std::vector<double> bounds) {
  if (bounds.empty()) return latency_bounds();
  if (std::isinf(bounds.back()) && bounds.back() > 0) bounds.pop_back();
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    require(std::isfinite(bounds[i]), name, "a bucket bound is not a number");
    require(i == 0 || bounds[i - 1] < bounds[i], name, "bucket bounds do not grow");
  }
  return bounds;
}

// The count is the sum of what was read, so that the buckets agree while others observe.
void read_histogram(const MetricSeries& series, MetricPoint& point) {
  std::uint64_t count = 0;
  point.value = series.value.load(std::memory_order_relaxed);
  point.buckets.reserve(series.bounds.size() + 1);
  for (std::size_t i = 0; i <= series.bounds.size(); ++i) {
    count += series.buckets[i].load(std::memory_order_relaxed);
    point.buckets.emplace_back(i < series.bounds.size() ? series.bounds[i] : std::numeric_limits<double>::infinity(),
                               count);
  }
}

}  // namespace

// The registry holds weak references: a series leaves when its last handle goes, in ~MetricSeries. No shared pointer
// may be dropped under the mutex, because that destructor takes it.
struct KUBEXX_HIDDEN MetricsRegistry::Impl final : detail::SeriesOwner, std::enable_shared_from_this<Impl> {
  explicit Impl(std::size_t max) : max_series(max) {}

  struct Entry {
    const MetricSeries* identity;
    bool function;
    std::weak_ptr<MetricSeries> series;
  };
  struct Family {
    MetricType kind;
    std::string help;
    std::vector<double> bounds;
    // By label text. Only functions share a key: each has its owner, and the exposition adds them up.
    std::multimap<std::string, Entry> entries;
  };

  const std::size_t max_series;
  std::mutex mutex;
  std::map<std::string, Family> families;  // guarded by mutex

  Family& family_locked(const std::string& name, const std::string& help, MetricType kind,
                        const std::vector<double>& bounds) {
    auto at = families.find(name);
    if (at == families.end()) at = families.emplace(name, Family{kind, detail::valid_utf8(help), bounds, {}}).first;
    Family& family = at->second;
    require(family.kind == kind, name, "already registered as another type");
    require(family.bounds == bounds, name, "already registered with other buckets");
    return family;
  }

  // A function always gets a series of its own.
  std::shared_ptr<MetricSeries> find_or_add(const std::string& name, const std::string& help, MetricType kind,
                                            MetricLabels labels, std::vector<double> bounds,
                                            std::function<double()> function) {
    require(detail::valid_metric_name(name), name, "invalid name");
    std::sort(labels.begin(), labels.end());
    check_labels(name, kind, labels);
    for (auto& label : labels) label.second = detail::valid_utf8(label.second);

    std::shared_ptr<MetricSeries> series;  // goes without the mutex, also when something throws
    std::lock_guard lock(mutex);
    Family& family = family_locked(name, help, kind, bounds);
    std::string key = detail::label_text(labels);
    if (family.entries.size() >= max_series && !family.entries.contains(key)) {
      for (auto& label : labels) label.second = "other";
      key = detail::label_text(labels);
    }
    const bool is_function = function != nullptr;
    if (!is_function) {
      auto [first, last] = family.entries.equal_range(key);
      const auto at = std::find_if(first, last, [](const auto& e) { return !e.second.function; });
      if (at != last) {
        if ((series = at->second.series.lock())) return series;
        family.entries.erase(at);  // its destructor is on the way and will find nothing to remove
      }
    }
    series = std::make_shared<MetricSeries>(weak_from_this(), name, std::move(labels), key, std::move(bounds),
                                            std::move(function));
    family.entries.emplace(std::move(key), Entry{series.get(), is_function, series});
    return series;
  }

  void remove(const MetricSeries& series) noexcept override {
    std::lock_guard lock(mutex);
    const auto family = families.find(series.name);
    if (family == families.end()) return;
    auto [first, last] = family->second.entries.equal_range(series.key);
    const auto at = std::find_if(first, last, [&](const auto& e) { return e.second.identity == &series; });
    if (at != last) family->second.entries.erase(at);
    if (family->second.entries.empty()) families.erase(family);
  }

  struct Snapshot {
    MetricFamily family;  // without its points
    std::vector<std::shared_ptr<MetricSeries>> series;
  };

  std::vector<Snapshot> snapshot() {
    std::vector<Snapshot> result;
    std::lock_guard lock(mutex);
    result.reserve(families.size());
    for (const auto& [name, family] : families) {
      result.push_back({{name, family.help, family.kind, {}}, {}});
      result.back().series.reserve(family.entries.size());
      for (const auto& entry : family.entries) {
        if (auto series = entry.second.series.lock()) result.back().series.push_back(std::move(series));
      }
    }
    return result;
  }

  std::once_flag figures_added;
  std::vector<Gauge> figure_gauges;      // set once
  std::vector<Counter> figure_counters;  // set once
};

MetricsRegistry::MetricsRegistry(std::size_t max_series) : impl_(std::make_shared<Impl>(max_series)) {}
MetricsRegistry::~MetricsRegistry() = default;

const std::shared_ptr<MetricsRegistry>& MetricsRegistry::process() {
  static const std::shared_ptr<MetricsRegistry> registry = [] {
    auto made = std::make_shared<MetricsRegistry>();
    made->add_process_figures();
    return made;
  }();
  return registry;
}

Counter MetricsRegistry::counter(const std::string& name, const std::string& help, MetricLabels labels) {
  Counter counter;
  counter.series_ = impl_->find_or_add(name, help, MetricType::Counter, std::move(labels), {}, nullptr);
  return counter;
}

Gauge MetricsRegistry::gauge(const std::string& name, const std::string& help, MetricLabels labels) {
  Gauge gauge;
  gauge.series_ = impl_->find_or_add(name, help, MetricType::Gauge, std::move(labels), {}, nullptr);
  return gauge;
}

Histogram MetricsRegistry::histogram(const std::string& name, const std::string& help, MetricLabels labels,
                                     std::vector<double> bounds) {
  Histogram histogram;
  histogram.series_ = impl_->find_or_add(name, help, MetricType::Histogram, std::move(labels),
                                         check_bounds(name, std::move(bounds)), nullptr);
  return histogram;
}

Gauge MetricsRegistry::gauge_function(const std::string& name, const std::string& help, MetricLabels labels,
                                      std::function<double()> value) {
  require(value != nullptr, name, "the function is empty");
  Gauge gauge;
  gauge.series_ = impl_->find_or_add(name, help, MetricType::Gauge, std::move(labels), {}, std::move(value));
  return gauge;
}

Counter MetricsRegistry::counter_function(const std::string& name, const std::string& help, MetricLabels labels,
                                          std::function<double()> value) {
  require(value != nullptr, name, "the function is empty");
  Counter counter;
  counter.series_ = impl_->find_or_add(name, help, MetricType::Counter, std::move(labels), {}, std::move(value));
  return counter;
}

void MetricsRegistry::add_process_figures() {
  std::call_once(impl_->figures_added, [this] {
    std::vector<Gauge> gauges;
    std::vector<Counter> counters;
    gauges.push_back(gauge("kubexx_build_info", "The version of the library and of the types it has",
                           {{"version", KUBEXX_VERSION}, {"kubernetes", KUBEXX_KUBERNETES_VERSION}}));
    gauges.back().set(1);
    for (const auto& figure : detail::kProcessFigures) {
      if (figure.type == MetricType::Counter) {
        counters.push_back(counter_function(figure.name, figure.help, {}, figure.read));
      } else {
        gauges.push_back(gauge_function(figure.name, figure.help, {}, figure.read));
      }
    }
    impl_->figure_gauges = std::move(gauges);
    impl_->figure_counters = std::move(counters);
  });
}

void MetricsRegistry::for_each(const std::function<void(const MetricFamily& family)>& visit) const {
  for (Impl::Snapshot& found : impl_->snapshot()) {
    MetricFamily& family = found.family;
    for (std::size_t i = 0; i < found.series.size();) {
      const MetricSeries& series = *found.series[i];
      MetricPoint point{series.labels, 0, {}};
      if (family.type == MetricType::Histogram) {
        read_histogram(series, point);
        ++i;
      } else {  // functions may share a label set, and add up
        for (; i < found.series.size() && found.series[i]->key == series.key; ++i) {
          point.value += found.series[i]->read();
        }
      }
      family.points.push_back(std::move(point));
    }
    if (!family.points.empty()) visit(family);
  }
}

std::string MetricsRegistry::expose() const {
  std::string out;
  for_each([&](const MetricFamily& family) { detail::append_family(out, family); });
  return out;
}

}  // namespace kubexx
