#pragma once

#include <memory>
#include <string>

#include "kubexx/base/error.hpp"
#include "kubexx/transport/http_transport.hpp"
#include "transport/curl_multi.hpp"
#include "transport/target.hpp"
#include "transport/tls_material.hpp"

struct ssl_ctx_st;

namespace kubexx::transport {

/// Everything that decides how a connection to one origin is made.
struct Endpoint {
  Target target;
  std::string proxy;  ///< empty: none
  std::shared_ptr<const TlsMaterial> tls;
  const TransportOptions* options = nullptr;
};

/// A libcurl transfer that connects to an endpoint: name resolution, proxy, TLS.
class EndpointTransfer : public CurlTransfer {
 public:
  const Endpoint& endpoint() const noexcept { return endpoint_; }

 protected:
  EndpointTransfer(CurlMulti& multi, Endpoint endpoint, const std::string& path);
  /// Called for the TLS session with the endpoint, not for that with an https proxy.
  virtual void prepare_tls(ssl_ctx_st&) {}
  /// What libcurl's result means, with the address as context: "connect 127.0.0.1:6443: refused".
  Error error_of(CURLcode code) const;

 private:
  static CURLcode on_tls_context(CURL*, void* context, void* self);
  void set_tls();
  void set_route();
  Endpoint endpoint_;
  bool proxy_prepared_ = false;
};

}  // namespace kubexx::transport
