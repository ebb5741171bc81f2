#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/meta/list_options.hpp"

namespace kubexx::apiserver {

/// One request as the server understood it.
struct LoggedRequest {
  /// get, list, watch, create, update, patch, delete, deletecollection; "" outside of resources
  std::string verb = {};
  std::string method = {};
  std::string path = {};
  std::string group = {};
  std::string version = {};
  std::string resource = {};
  std::string subresource = {};
  std::string namespace_ = {};
  std::string name = {};
  meta::ListOptions options = {};  ///< for list and watch
  std::string user = {};
  std::string user_agent = {};
  std::string accept = {};
  std::string content_type = {};
  int status = 0;  ///< 0: not answered yet, or nobody waited for it
  TimePoint time = {};
};

/// What count() compares besides verb and resource; absent members match everything.
struct RequestFilter {
  std::optional<bool> initial_events = {};  ///< sendInitialEvents=true
  std::optional<std::string> namespace_ = {};
  std::optional<std::string> name = {};
  std::optional<std::string> resource_version = {};
  std::optional<std::string> label_selector = {};
  std::optional<std::string> user_agent = {};  ///< contained in it
  std::optional<std::string> subresource = {};
  std::optional<int> status = {};
  std::optional<bool> continued = {};  ///< carries a continue token
};

/// The last requests, oldest first: as many as asked for, fewer when they are long.
///
/// Threads: safe from any thread.
/// Errors: none.
/// Example:
///
///     const auto lists = core.requests().count("list", "pods", {.status = 200});
///     for (const auto& each : core.requests().entries("watch", "pods")) greet(each.options.resource_version);
class KUBEXX_EXPORT RequestLog {
 public:
  explicit RequestLog(std::size_t limit);
  /// How many requests of this verb for this resource (plural, any group and version) were made; "" is any.
  std::size_t count(std::string_view verb, std::string_view resource, const RequestFilter& filter = {}) const;
  std::vector<LoggedRequest> entries() const;
  std::vector<LoggedRequest> entries(std::string_view verb, std::string_view resource,
                                     const RequestFilter& filter = {}) const;
  std::size_t size() const;
  void clear();

  std::size_t add(LoggedRequest request);  ///< returns a ticket
  /// How the request with this ticket was answered.
  void set_status(std::size_t ticket, int status);

 private:
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::deque<LoggedRequest> entries_;  // guarded by mutex_
  std::size_t bytes_ = 0;              // guarded by mutex_; of their texts
  std::size_t dropped_ = 0;            // guarded by mutex_
};

}  // namespace kubexx::apiserver
