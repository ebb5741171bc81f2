#include "informer/cluster_identity.hpp"

#include <utility>

#include "base/internal/file.hpp"
#include "kubexx/base/detail/hash.hpp"

namespace kubexx::informer {
namespace {

/// Address and CA. Nothing of it is secret.
std::string configured(const rest::Config& config) {
  std::string authority = config.tls.ca_data;
  if (authority.empty() && !config.tls.ca_file.empty()) {
    auto read = read_file(config.tls.ca_file);
    authority = read ? std::move(*read) : "unreadable " + config.tls.ca_file;
  }
  return config.host + " " + config.unix_socket + " " + std::to_string(authority.size()) + ":" +
         std::to_string(kubexx::detail::hash_bytes(authority, 0));
}

}  // namespace

ClusterIdentity cluster_identity(const rest::Client& client) {
  ClusterIdentity identity;
  identity.configured = configured(client.config());
  identity.ask = [client](const Strand& strand, std::function<void(Result<std::string>)> answer) {
    rest::Request request;
    request.path.resource = {"", "v1", "namespaces"};
    request.path.name = "kube-system";
    return client.start(std::move(request), strand, [answer = std::move(answer)](Result<rest::Response> response) {
      if (!response) return answer(response.error());
      const auto object = response->object();
      if (!object) return answer(object.error());
      answer(std::string(object->uid()));
    });
  };
  return identity;
}

}  // namespace kubexx::informer
