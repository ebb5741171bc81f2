#include "rest/request_metrics.hpp"

#include <algorithm>

#include "base/internal/enum_name.hpp"

namespace kubexx::rest {
namespace {

std::string_view failure_code(const Error& error) {
  if (error.is_timeout()) return "timeout";
  switch (error.transport_failure()) {
    case TransportFailure::Refused:
      return "refused";
    case TransportFailure::Reset:
    case TransportFailure::Eof:
    case TransportFailure::Dead:
      return "lost";
    case TransportFailure::Resolve:
      return "resolve";
    case TransportFailure::Tls:
      return "tls";
    case TransportFailure::Proxy:
      return "proxy";
    default:
      return "error";
  }
}

}  // namespace

std::string_view to_string(Verb verb) noexcept {
  static constexpr std::string_view kNames[] = {"GET",   "LIST",   "WATCH", "POST", "PUT",
                                                "PATCH", "DELETE", "HEAD",  "OTHER"};
  return enum_name<Verb::Other>(verb, kNames);
}

Verb verb_of(const Request& request) {
  if (request.method == "GET") {
    const auto watches = [](const auto& field) {
      return field.first == "watch" && (field.second == "true" || field.second == "1");
    };
    if (std::ranges::any_of(request.query, watches)) return Verb::Watch;
    return request.absolute_path.empty() && request.path.name.empty() ? Verb::List : Verb::Get;
  }
  for (const Verb verb : {Verb::Post, Verb::Put, Verb::Patch, Verb::Delete, Verb::Head}) {
    if (request.method == to_string(verb)) return verb;
  }
  return Verb::Other;
}

RequestMetrics::RequestMetrics(std::shared_ptr<MetricsRegistry> registry, std::string server)
    : registry_(std::move(registry)), server_(std::move(server)) {}

void RequestMetrics::answered(Verb verb, int status, double seconds) {
  const std::string code = status >= 100 && status <= 599 ? std::to_string(status) : "other";
  const std::lock_guard lock(mutex_);
  count_locked(verb, code);
  auto& latency = latencies_[static_cast<std::size_t>(verb)];
  if (!latency) {
    latency = registry_->histogram("kubexx_rest_latency_seconds", "From sending to the answer's head", labels(verb));
  }
  latency->observe(seconds);
}

void RequestMetrics::failed(Verb verb, const Error& error, bool sent) {
  const std::lock_guard lock(mutex_);
  count_locked(verb, sent ? failure_code(error) : "unsent");
}

void RequestMetrics::count_locked(Verb verb, std::string_view code) {
  auto& counts = counts_[static_cast<std::size_t>(verb)];
  auto found = counts.find(code);
  if (found == counts.end()) {
    auto all = labels(verb);
    all.emplace_back("code", code);
    found = counts
                .emplace(code, registry_->counter("kubexx_rest_requests_total",
                                                  "Requests by verb and code, each attempt", std::move(all)))
                .first;
  }
  found->second.add();
}

MetricLabels RequestMetrics::labels(Verb verb) const {
  return {{"server", server_}, {"verb", std::string(to_string(verb))}};
}

}  // namespace kubexx::rest
