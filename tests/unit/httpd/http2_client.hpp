#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kubexx/httpd/server.hpp"
#include "unit/httpd/raw_client.hpp"

namespace kubexx::httpd {

/// A blocking HTTP/2 client of a test, one connection.
class Http2Client {
 public:
  struct Stream {
    int status = 0;
    std::vector<int> interim;
    std::map<std::string, std::string> headers;
    std::string body;
    std::string upload;
    std::size_t uploaded = 0;
    bool endless = false;  ///< the upload never ends
    bool ended = false;    ///< the peer ended the stream cleanly
    bool closed = false;
    std::uint32_t error = 0;
  };
  struct Options {
    bool read_bodies = true;  ///< false: the peer's flow control window is never opened again
    std::int32_t connection_window = 1 << 24;
    int receive_buffer = 0;
  };

  explicit Http2Client(std::uint16_t port, const ClientTls* tls = nullptr);
  Http2Client(std::uint16_t port, const ClientTls* tls, Options options);
  ~Http2Client();

  std::int32_t send(std::string method, std::string path, HeaderFields headers = {}, std::string body = {});
  void reset(std::int32_t stream);
  void ping();
  /// Exchanges frames until the condition holds; false when the connection ended or thirty seconds of silence
  /// passed before.
  bool run_until(const std::function<bool()>& condition);
  Stream& get(std::string path);  ///< sends and waits for the answer
  Stream& stream(std::int32_t id) { return streams_[id]; }
  RawClient& raw() { return raw_; }
  nghttp2_session* session() { return session_; }

  std::uint32_t peer_max_streams() const;
  int goaways = 0;
  std::uint32_t goaway_error = 0;
  int pongs = 0;
  int settings = 0;
  bool ended = false;

 private:
  bool flush();

  RawClient raw_;
  Options options_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, Stream> streams_;
};

}  // namespace kubexx::httpd
