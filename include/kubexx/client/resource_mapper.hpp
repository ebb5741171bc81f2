#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/client/discovery.hpp"

namespace kubexx::client {

/// From what people type to a resource, and from kinds to resources: "po", "pods", "Pod", "deployments.apps",
/// "deploy.v1.apps". Asks the server once, and again when something is not found (a CRD may be new).
///
/// Threads: safe from any thread. Blocks while it asks.
class ResourceMapper {
 public:
  explicit ResourceMapper(rest::Client client);
  ~ResourceMapper();

  /// Not found: an Error that says so and names what is spelled alike.
  Result<ApiResource> find(std::string_view text, const rest::CallOptions& options = {});
  Result<ApiResource> find(const meta::GroupVersionKind& kind, const rest::CallOptions& options = {});
  Result<ApiResource> find(const meta::GroupVersionResource& resource, const rest::CallOptions& options = {});
  Result<std::vector<ApiResource>> all(const rest::CallOptions& options = {});
  void forget();  ///< the next question asks the server

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kubexx::client
