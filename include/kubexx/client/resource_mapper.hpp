#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/client/discovery.hpp"

namespace kubexx::client {

/// From what people type to a resource, and from kinds to resources: "po", "pods", "Pod", "deployments.apps",
/// "deploy.v1.apps". Asks the server once, and again when something is not found (a CRD may be new).
///
/// Threads: safe from any thread. Operations complete on the client's executor, and may outlive the mapper.
/// Errors: what is not there is_not_found(), and the message names what is spelled alike; what discovery says.
/// Example:
///
///     client::ResourceMapper mapper(client);
///     auto deployments = mapper.get("deploy");
///     if (!deployments) complain(deployments.error());
///     client::ResourceApi api(client, deployments->resource, "default");
class KUBEXX_EXPORT ResourceMapper {
 public:
  explicit ResourceMapper(rest::Client client);
  ~ResourceMapper();

  /// Not there: a NotFound Error that names what is spelled alike. While a part of the server's resources cannot be
  /// read nothing is known to be missing, and the Error is another.
  Async<Result<ApiResource>> get_async(std::string_view text, const rest::CallOptions& options = rest::CallOptions());
  Async<Result<ApiResource>> get_async(const meta::GroupVersionKind& kind,
                                       const rest::CallOptions& options = rest::CallOptions());
  Async<Result<ApiResource>> get_async(const meta::GroupVersionResource& resource,
                                       const rest::CallOptions& options = rest::CallOptions());
  Async<Result<std::vector<ApiResource>>> all_async(const rest::CallOptions& options = rest::CallOptions());

  /// The same, blocking while the server is asked.
  Result<ApiResource> get(std::string_view text, const rest::CallOptions& options = {});
  Result<ApiResource> get(const meta::GroupVersionKind& kind, const rest::CallOptions& options = {});
  Result<ApiResource> get(const meta::GroupVersionResource& resource, const rest::CallOptions& options = {});
  /// Everything that the server has.
  Result<std::vector<ApiResource>> all(const rest::CallOptions& options = {});

  void forget();  ///< the next question asks the server

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::client
