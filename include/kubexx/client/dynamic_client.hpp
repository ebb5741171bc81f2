#pragma once

#include <string>
#include <utility>

#include "kubexx/client/resource_api.hpp"

namespace kubexx::client {

/// The way to any resource, known at compile time or not: hands out the calls of one.
///
/// Threads: safe from any thread; it asks nobody.
/// Errors: none of its own; a resource that the server does not have shows in the calls.
/// Example:
///
///     client::DynamicClient dynamic(client);
///     auto widgets = dynamic.resource({"example.com", "v1", "widgets"}).namespaced("default");
///     auto small = widgets.patch("web", client::PatchType::Merge, R"({"spec":{"size":1}})");
class DynamicClient {
 public:
  explicit DynamicClient(rest::Client client) : client_(std::move(client)) {}
  /// Cluster-wide, or in all namespaces.
  ResourceApi resource(meta::GroupVersionResource resource) const { return {client_, std::move(resource)}; }
  const rest::Client& client() const noexcept { return client_; }

 private:
  rest::Client client_;
};

}  // namespace kubexx::client
