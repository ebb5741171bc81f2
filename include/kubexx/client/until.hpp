#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "kubexx/client/resource_api.hpp"

namespace kubexx::client {

/// Looks at an event: whether what is waited for has come. Its Error ends the waiting and is returned.
using Condition = std::function<Result<bool>(const meta::WatchEvent&)>;

/// Conditions that are met one after another. The event that meets one is shown to the next as well.
class Conditions {
 public:
  explicit Conditions(std::vector<Condition> all) : all_(std::move(all)) {}
  /// Whether all of them have been met now.
  Result<bool> take(const meta::WatchEvent& event) {
    for (; next_ < all_.size(); ++next_) {
      auto met = all_[next_](event);
      if (!met || !*met) return met;
    }
    return true;
  }

 private:
  std::vector<Condition> all_;
  std::size_t next_ = 0;
};

/// Watches until the conditions were met in their order; the result is the event that met the last. Survives cut
/// watches (RetryWatcher): `options.resource_version` must be a version, that of the list or object which did not yet
/// meet the condition.
///
/// Errors: Canceled by stop, Timeout after `options.timeout`, what ends a RetryWatcher, what a condition returns.
///
/// Conditions run on the client's executor, and must not block there.
///
/// Example: client::until_async(pods, {.resource_version = pod.resource_version(), .timeout = 30s}, {is_ready})
Async<Result<meta::WatchEvent>> until_async(const ResourceApi& api, const ListOptions& options,
                                            std::vector<Condition> conditions);
/// The same, blocking; conditions run on this thread.
Result<meta::WatchEvent> until(const ResourceApi& api, const ListOptions& options, std::vector<Condition> conditions);

/// The same on one watch, beginning wherever `options` say; a watch that ends early is an Error (connection lost).
Async<Result<meta::WatchEvent>> until_without_retry_async(const ResourceApi& api, const ListOptions& options,
                                                          std::vector<Condition> conditions);
Result<meta::WatchEvent> until_without_retry(const ResourceApi& api, const ListOptions& options,
                                             std::vector<Condition> conditions);

}  // namespace kubexx::client
