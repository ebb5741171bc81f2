#include "base/metrics_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kubexx {

namespace detail {

MetricSeries::MetricSeries(std::weak_ptr<SeriesOwner> o, std::string n, MetricLabels l, std::string k,
                           std::vector<double> b, std::function<double()> f)
    : owner(std::move(o)),
      name(std::move(n)),
      labels(std::move(l)),
      key(std::move(k)),
      bounds(std::move(b)),
      function(std::move(f)) {
  if (!bounds.empty()) buckets = std::make_unique<std::atomic<std::uint64_t>[]>(bounds.size() + 1);
}

MetricSeries::~MetricSeries() {
  if (const auto registry = owner.lock()) registry->remove(*this);
}

double MetricSeries::read() const noexcept {
  if (!function) return value.load(std::memory_order_relaxed);
  try {
    return function();
  } catch (...) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace detail

void Counter::add(double by) const noexcept {
  // A counter never goes back; NaN would stick to it for ever.
  if (series_ && by > 0) series_->value.fetch_add(by, std::memory_order_relaxed);
}

double Counter::value() const noexcept {
  return series_ ? series_->read() : 0;
}

void Gauge::set(double value) const noexcept {
  if (series_) series_->value.store(value, std::memory_order_relaxed);
}

void Gauge::add(double by) const noexcept {
  if (series_) series_->value.fetch_add(by, std::memory_order_relaxed);
}

double Gauge::value() const noexcept {
  return series_ ? series_->read() : 0;
}

void Histogram::observe(double value) const noexcept {
  if (!series_ || std::isnan(value)) return;
  const auto& bounds = series_->bounds;
  const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
  series_->buckets[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  series_->value.fetch_add(value, std::memory_order_relaxed);
}

std::uint64_t Histogram::count() const noexcept {
  if (!series_) return 0;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i <= series_->bounds.size(); ++i) {
    total += series_->buckets[i].load(std::memory_order_relaxed);
  }
  return total;
}

double Histogram::sum() const noexcept {
  return series_ ? series_->value.load(std::memory_order_relaxed) : 0;
}

}  // namespace kubexx
