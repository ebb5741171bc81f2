#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kubexx/httpd/certificates.hpp"

namespace kubexx::httpd {

/// How a test's client speaks TLS.
struct ClientTls {
  std::string ca{};
  std::string protocols = "h2";  ///< offered by ALPN, one; empty: none
  KeyPair identity{};
  int max_version = 0;
};

/// A blocking socket of a test. Every read ends after thirty seconds at the latest.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port, const ClientTls* tls = nullptr, int receive_buffer = 0);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const noexcept { return fd_ >= 0; }
  int connect_error() const noexcept { return error_; }
  int fd() const noexcept { return fd_; }
  std::string negotiated() const;

  bool send(std::string_view bytes);
  /// What is there; waits for at least one byte. Empty at the end, however it came.
  std::string receive(std::size_t most = 65536);
  bool was_reset() const noexcept { return reset_; }
  bool timed_out() const noexcept { return timed_out_; }
  bool ended_by_notice() const;  ///< TLS: the peer said that nothing follows
  /// True if nothing arrives for that long.
  bool silent_for(int milliseconds);
  void close();

  // HTTP/1
  struct Reply {
    int status = 0;
    std::map<std::string, std::string> headers;  ///< names in lower case
    std::string body;
    bool complete = false;
  };
  /// Reads one answer. `head`: it has no body.
  Reply reply(bool head = false);
  Reply reply_head();
  bool fill_until(std::string_view mark);  ///< until the buffer holds it
  std::string& buffer() noexcept { return buffer_; }
  std::string rest();  ///< everything up to the end

 private:
  struct Tls;
  bool fill();

  int fd_ = -1;
  int error_ = 0;
  bool reset_ = false;
  bool timed_out_ = false;
  std::unique_ptr<Tls> tls_;
  std::string buffer_;
};

}  // namespace kubexx::httpd
