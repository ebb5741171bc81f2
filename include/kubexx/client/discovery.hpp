#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kubexx/base/async.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::client {

/// One resource that a server offers.
struct ApiResource {
  meta::GroupVersionResource resource = {};
  std::string kind = {};
  std::string singular = {};
  bool namespaced = true;
  std::vector<std::string> verbs = {};
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  std::vector<std::string> subresources = {};

  bool can(std::string_view verb) const noexcept;
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
Async<Result<Discovery>> discover_async(const rest::Client& client,
                                        const rest::CallOptions& options = rest::CallOptions());
/// The same, blocking.
Result<Discovery> discover(const rest::Client& client, const rest::CallOptions& options = {});

struct ServerVersion {
  std::string major = {};
  std::string minor = {};
  std::string git_version = {};
};
Async<Result<ServerVersion>> server_version_async(const rest::Client& client,
                                                  const rest::CallOptions& options = rest::CallOptions());
Result<ServerVersion> server_version(const rest::Client& client, const rest::CallOptions& options = {});

}  // namespace kubexx::client
