// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/rest/client.hpp"
#include "texts/group.hpp"

namespace texts {

/// Typed clients by group and version: `clientset.core().v1().pods("default").get("web")`. The version's
/// header defines what it has. A handle: copies share one client.
class Clientset {
 public:
  explicit Clientset(::kubexx::rest::Client client) : client_(std::move(client)) {}
  static ::kubexx::Result<Clientset> create(::kubexx::rest::Config config, ::kubexx::rest::ClientOptions options = {}) {
    auto client = ::kubexx::rest::Client::create(std::move(config), std::move(options));
    if (!client) return client.error();
    return Clientset(std::move(*client));
  }
  const ::kubexx::rest::Client& client() const noexcept { return client_; }

  TextsClient texts() const { return TextsClient(client_); }

 private:
  ::kubexx::rest::Client client_;
};

}  // namespace texts
