#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "kubexx/base/export.hpp"
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
/// Threads: conditions run on the client's executor, and must not block there.
/// Stop: Canceled by `options.stop`, Timeout after `options.timeout`.
/// Errors: those, what ends a RetryWatcher, what a condition returns or throws.
/// Example:
///
///     const client::Condition gone = [](const meta::WatchEvent& event) -> Result<bool> {
///       return event.type == meta::WatchEventType::Deleted;
///     };
///     const client::ListOptions from{.resource_version = std::string(pod.resource_version()), .timeout = 30s};
///     client::until_async(pods.untyped(), from, {gone}).start([](const Result<meta::WatchEvent>& last) {
///       if (!last) complain(last.error());
///     });
KUBEXX_EXPORT Async<Result<meta::WatchEvent>> until_async(const ResourceApi& api, const ListOptions& options,
                                                          std::vector<Condition> conditions);
/// The same, blocking; conditions run on this thread, and what they throw comes out.
KUBEXX_EXPORT Result<meta::WatchEvent> until(const ResourceApi& api, const ListOptions& options,
                                             std::vector<Condition> conditions);

/// The same on one watch, beginning wherever `options` say; a watch that ends early is an Error (connection lost).
KUBEXX_EXPORT Async<Result<meta::WatchEvent>> until_without_retry_async(const ResourceApi& api,
                                                                        const ListOptions& options,
                                                                        std::vector<Condition> conditions);
KUBEXX_EXPORT Result<meta::WatchEvent> until_without_retry(const ResourceApi& api, const ListOptions& options,
                                                           std::vector<Condition> conditions);

}  // namespace kubexx::client
