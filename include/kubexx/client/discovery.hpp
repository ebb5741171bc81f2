#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kubexx/base/async.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::client {

/// One resource that a server offers.
struct KUBEXX_EXPORT ApiResource {
  meta::GroupVersionResource resource = {};
  std::string kind = {};
  std::string singular = {};
  bool namespaced = true;
  std::vector<std::string> verbs = {};
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  std::vector<std::string> subresources = {};

  /// Whether the server takes this verb for it.
  bool can(std::string_view verb) const noexcept;
  /// What objects of it say of themselves.
  meta::GroupVersionKind gvk() const { return {resource.group, resource.version, kind}; }
};

/// What a server offers, in its order of preference: groups as listed, the preferred version of each group first. Group
/// versions that could not be read (an aggregated server that is down) are in `failures`; the rest is there all the
/// same.
struct Discovery {
  std::vector<ApiResource> resources = {};
  std::vector<std::pair<meta::GroupVersion, Error>> failures = {};
};

/// Asks for the aggregated form first (two requests), then for the older one.
///
/// Threads: safe from any thread. Operations complete on the client's executor.
/// Stop: by the options, with Canceled and Timeout.
/// Errors: a server that cannot be asked at all. A group version that cannot be read is one of Discovery::failures.
/// Example:
///
///     auto found = client::discover(client, {.timeout = 10s});
///     if (!found) complain(found.error());
///     for (const auto& each : found->resources) greet(each.resource.to_string(), each.can("watch"));
KUBEXX_EXPORT Async<Result<Discovery>> discover_async(const rest::Client& client,
                                                      const rest::CallOptions& options = rest::CallOptions());
/// The same, blocking.
KUBEXX_EXPORT Result<Discovery> discover(const rest::Client& client, const rest::CallOptions& options = {});

/// What a server says of itself.
struct ServerVersion {
  std::string major = {};
  std::string minor = {};
  std::string git_version = {};
};
/// Asks for /version.
KUBEXX_EXPORT Async<Result<ServerVersion>> server_version_async(const rest::Client& client,
                                                                const rest::CallOptions& options = rest::CallOptions());
KUBEXX_EXPORT Result<ServerVersion> server_version(const rest::Client& client, const rest::CallOptions& options = {});

}  // namespace kubexx::client
