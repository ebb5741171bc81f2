#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kubexx/base/metrics.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::rest {

/// What a request asks for, as metrics and traces call it: the methods of HTTP, with LIST and WATCH told apart from
/// GET.
enum class Verb : std::uint8_t { Get, List, Watch, Post, Put, Patch, Delete, Head, Other };
std::string_view to_string(Verb verb) noexcept;  ///< "LIST"
Verb verb_of(const Request& request);

/// Requests of one client by verb and code; each attempt counts, so retries and what led to them can be seen.
///
/// Threads: safe from any thread.
class RequestMetrics {
 public:
  RequestMetrics(std::shared_ptr<MetricsRegistry> registry, std::string server);
  /// The head of an answer came after so many seconds.
  void answered(Verb verb, int status, double seconds);
  /// There was none. The code is then a word of a few; "unsent": it failed on our side before.
  void failed(Verb verb, const Error& error, bool sent);

 private:
  static constexpr std::size_t kVerbs = static_cast<std::size_t>(Verb::Other) + 1;
  void count_locked(Verb verb, std::string_view code);
  MetricLabels labels(Verb verb) const;

  const std::shared_ptr<MetricsRegistry> registry_;
  const std::string server_;
  std::mutex mutex_;
  std::array<std::map<std::string, Counter, std::less<>>, kVerbs> counts_;  // guarded by mutex_; by code, bounded
  std::array<std::optional<Histogram>, kVerbs> latencies_;                  // guarded by mutex_
};

}  // namespace kubexx::rest
