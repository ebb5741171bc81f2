#pragma once

#include <memory>

#include "kubexx/base/metrics.hpp"

namespace kubexx::transport {

/// What a transport counts.
struct TransportMetrics {
  explicit TransportMetrics(const std::shared_ptr<MetricsRegistry>& chosen) {
    MetricsRegistry& registry = chosen ? *chosen : *MetricsRegistry::process();
    const char* help = "Connections opened by the HTTP client.";
    http1_connections = registry.counter("kubexx_transport_connections_total", help, {{"protocol", "http1"}});
    http2_connections = registry.counter("kubexx_transport_connections_total", help, {{"protocol", "http2"}});
    dead_connections = registry.counter("kubexx_transport_dead_connections_total",
                                        "Connections given up because a probe was not answered.");
    calls = registry.counter("kubexx_transport_requests_total", "Requests handed to the HTTP client.");
  }

  Counter http1_connections;
  Counter http2_connections;
  Counter dead_connections;
  Counter calls;
};

}  // namespace kubexx::transport
