#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "httpd/session.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/httpd/server.hpp"

namespace kubexx::httpd {

struct SslContextDeleter {
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using SslContext = std::unique_ptr<SSL_CTX, SslContextDeleter>;

/// TLS 1.2 or newer with the server's certificate; offers HTTP/2 when the options do. The options must outlive it.
Result<SslContext> make_server_tls(const ServerOptions& options);

/// The certificate the client presented, if any, after the handshake.
PeerIdentity peer_identity(const SSL* connection);

bool negotiated_http2(const SSL* connection);

}  // namespace kubexx::httpd
