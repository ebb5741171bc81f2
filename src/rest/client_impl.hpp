#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "kubexx/rest/client.hpp"
#include "rest/credentials.hpp"
#include "rest/rate_limiter.hpp"
#include "rest/request_metrics.hpp"
#include "rest/url.hpp"

namespace kubexx::rest {

/// Lets a limited number of first lists run at once; the others wait their turn.
class Turnstile {
 public:
  explicit Turnstile(std::size_t limit) : free_(limit) {}
  /// Runs `enter` now or when a place is free.
  void acquire(Task enter);
  void release();

 private:
  std::mutex mutex_;
  std::size_t free_;          // guarded by mutex_
  std::deque<Task> waiting_;  // guarded by mutex_
};

/// What all copies of a Client share.
struct KUBEXX_HIDDEN Client::Impl {
  explicit Impl(std::size_t max_first_lists) : first_lists(max_first_lists) {}

  Config config;
  ClientOptions options;
  ServerUrl server;
  std::string user_agent;
  std::shared_ptr<Executor> executor;
  std::shared_ptr<Executor> handlers;
  std::shared_ptr<MetricsRegistry> metrics;
  std::shared_ptr<transport::Transport> transport;
  std::shared_ptr<void> joined;  // the transport's place in the executor's loop; null: none
  std::unique_ptr<Credentials> credentials;
  std::unique_ptr<RateLimiter> limiter;  // null: none
  Turnstile first_lists;
  std::mutex warnings_mutex;
  std::set<std::string> warnings_seen;  // guarded by warnings_mutex; bounded
  std::size_t warning_bytes = 0;        // guarded by warnings_mutex; of those
  std::mutex refusals_mutex;
  std::map<std::string, TimePoint> watch_list_refusals;  // guarded by refusals_mutex; bounded

  std::unique_ptr<RequestMetrics> requests;
  Counter retries;
  Counter bytes_received;

  void warn(std::string text);
};

std::string default_user_agent();
/// The texts of Warning headers with code 299.
std::vector<std::string> warnings_of(const transport::Headers& headers);
/// The Error of a non-2xx answer: its Status when it is one, otherwise made of the code and, where it is not about
/// Secrets, the text.
Error error_of_response(int status, const transport::Headers& headers, std::string_view body, const Request& request);

}  // namespace kubexx::rest
