#pragma once

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/metrics.hpp"

namespace kubexx::adapters {

namespace detail {

/// The JSON form of OTLP's ExportMetricsServiceRequest: 64-bit numbers are strings there.
class OtlpWriter {
 public:
  explicit OtlpWriter(WallTime now)
      : time_(std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count())) {}

  void family(const MetricFamily& family) {
    if (!metrics_.empty()) metrics_ += ',';
    metrics_ += "{\"name\":" + quoted(family.name) + ",\"description\":" + quoted(family.help);
    switch (family.type) {
      case MetricType::Counter:
        metrics_ += ",\"sum\":{\"aggregationTemporality\":2,\"isMonotonic\":true,";
        break;
      case MetricType::Gauge:
        metrics_ += ",\"gauge\":{";
        break;
      case MetricType::Histogram:
        metrics_ += ",\"histogram\":{\"aggregationTemporality\":2,";
        break;
    }
    metrics_ += "\"dataPoints\":[";
    bool first = true;
    for (const MetricPoint& each : family.points) {
      if (!first) metrics_ += ',';
      first = false;
      point(family.type, each);
    }
    metrics_ += "]}}";
  }

  std::string request(std::string_view service) const {
    return "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[" + attribute("service.name", service) +
           "]},\"scopeMetrics\":[{\"scope\":{\"name\":\"kubexx\"},\"metrics\":[" + metrics_ + "]}]}]}";
  }

 private:
  static std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) {
        out += c;
        continue;
      }
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += code;
    }
    return out += '"';
  }
  static std::string number(double value) {
    if (std::isnan(value)) return "\"NaN\"";
    if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
  }
  static std::string attribute(std::string_view key, std::string_view value) {
    return "{\"key\":" + quoted(key) + ",\"value\":{\"stringValue\":" + quoted(value) + "}}";
  }

  void point(MetricType type, const MetricPoint& point) {
    metrics_ += "{\"timeUnixNano\":\"" + time_ + "\",\"attributes\":[";
    for (std::size_t i = 0; i < point.labels.size(); ++i) {
      if (i > 0) metrics_ += ',';
      metrics_ += attribute(point.labels[i].first, point.labels[i].second);
    }
    metrics_ += "],";
    if (type != MetricType::Histogram) {
      metrics_ += "\"asDouble\":" + number(point.value) + "}";
      return;
    }
    std::string bounds;
    std::string counts;
    std::uint64_t before = 0;
    for (const auto& [bound, count] : point.buckets) {  // ours add up, those of OTLP do not
      if (!counts.empty()) counts += ',';
      counts += std::string("\"").append(std::to_string(count - before)).append("\"");
      before = count;
      if (std::isinf(bound)) continue;
      if (!bounds.empty()) bounds += ',';
      bounds += number(bound);
    }
    metrics_ += "\"count\":\"" + std::to_string(before) + "\",\"sum\":" + number(point.value) + ",\"bucketCounts\":[" +
                counts + "],\"explicitBounds\":[" + bounds + "]}";
  }

  const std::string time_;
  std::string metrics_;
};

}  // namespace detail

/// The metrics of a registry as a collector of OpenTelemetry takes them: the body of a POST to its /v1/metrics with the
/// content type application/json. Needs no other library.
///
/// Threads: safe from any thread, as MetricsRegistry::for_each.
/// Errors: none.
/// Example:
///
///     const std::string body = adapters::otlp_json(*MetricsRegistry::process(), "shop");
inline std::string otlp_json(const MetricsRegistry& registry, std::string_view service,
                             const Clock& clock = Clock::system()) {
  detail::OtlpWriter writer(clock.wall());
  registry.for_each([&](const MetricFamily& family) { writer.family(family); });
  return writer.request(service);
}

}  // namespace kubexx::adapters
