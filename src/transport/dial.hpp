#pragma once

#include <functional>
#include <optional>
#include <string>

#include "transport/endpoint.hpp"

struct ssl_st;

namespace kubexx::transport {

/// Makes one connection that may speak HTTP/2 and then is its byte stream: libcurl resolves, walks through proxies and
/// does TLS, what goes over it afterwards is ours. Destroying it closes the connection, or gives up making it.
class Dial final : public EndpointTransfer {
 public:
  /// Called once, with the failure if there was one. May destroy the dial.
  using Done = std::function<void(Dial&, std::optional<Error>)>;
  enum class Io { Done, Again, Closed, Failed };

  Dial(CurlMulti& multi, Endpoint endpoint, Done done);

  int socket() const noexcept { return socket_; }
  bool speaks_http2() const noexcept { return http2_; }
  Io read(char* buffer, std::size_t size, std::size_t& count);
  /// After a read() that asked for so many bytes and got so many: whether there may be some of which the socket does
  /// not tell (any more).
  bool may_have_more(std::size_t asked, std::size_t got) const noexcept;
  Io write(const char* data, std::size_t size, std::size_t& count);
  Error failure() const;  ///< after Closed or Failed

 private:
  void on_done(CURLcode code) override;
  void prepare_tls(ssl_ctx_st& tls) override;
  void learn_protocol();

  Done done_;
  int socket_ = -1;
  ssl_st* tls_ = nullptr;  ///< the session with the endpoint, libcurl's; null without TLS
  bool http2_ = false;
  CURLcode last_ = CURLE_OK;
  std::string early_;  ///< bytes that came while the protocol was being asked for
};

}  // namespace kubexx::transport
