#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "httpd/answer.hpp"
#include "kubexx/httpd/server.hpp"

namespace kubexx::httpd {

/// The client certificate of a connection.
struct PeerIdentity {
  std::string common_name;
  std::vector<std::string> organizations;
  std::string error;  ///< why the certificate that was presented is not accepted
};

/// Time in steps of the I/O loop's housekeeping timer: precise enough for timeouts, and free to read.
using Ticks = std::uint64_t;

/// What every connection of a server shares.
struct ServerContext {
  ServerOptions options;
  Handler handler;
  Duration tick{};
  mutable std::atomic<std::size_t> incomplete = 0;  ///< bytes of bodies that are not complete

  Ticks ticks(Duration duration) const noexcept {  // at least this long, whenever between two ticks it began
    return static_cast<Ticks>((duration + tick - Duration(1)) / tick) + 1;
  }
};

/// A connection's part of ServerContext::incomplete: many half-sent bodies together are no less memory than one that is
/// too large.
class IncompleteBodies {
 public:
  explicit IncompleteBodies(const ServerContext& server) : server_(server) {}
  ~IncompleteBodies() { set(0); }
  IncompleteBodies(const IncompleteBodies&) = delete;
  IncompleteBodies& operator=(const IncompleteBodies&) = delete;

  std::size_t bytes() const noexcept { return bytes_; }
  /// False: all connections together have too much, and nothing changed.
  bool set(std::size_t bytes) {
    if (bytes > bytes_ && server_.incomplete + (bytes - bytes_) > server_.options.max_incomplete) return false;
    server_.incomplete += bytes - bytes_;  // modulo 2^64 where it shrinks
    bytes_ = bytes;
    return true;
  }

 private:
  const ServerContext& server_;
  std::size_t bytes_ = 0;
};

/// What a session knows about the connection it runs on.
struct SessionContext {
  const ServerContext& server;
  const Ticks& now;
  std::shared_ptr<AnswerQueue> queue;
  std::string peer;
  PeerIdentity identity;

  /// Hands the request to the handler; its answer arrives through the queue.
  void dispatch(Request request, const std::shared_ptr<Answer>& answer) const;
};

/// Bytes for the socket, and which answers they belong to.
struct Output {
  struct Part {
    std::shared_ptr<Answer> answer;
    std::size_t bytes = 0;  ///< of the answer's body
    bool last = false;
  };
  std::string bytes;
  std::vector<Part> parts;
};

/// The protocol on one connection: bytes in, bytes out, no socket. All calls come from the connection's I/O thread.
class Session {
 public:
  virtual ~Session() = default;
  virtual void receive(std::string_view bytes) = 0;
  /// False while what was received already is enough.
  virtual bool wants_input() const = 0;
  /// The answer has news.
  virtual void update(const std::shared_ptr<Answer>& answer) = 0;
  /// Appends what can be sent now, up to about `limit` bytes.
  virtual void produce(Output& out, std::size_t limit) = 0;
  /// Close when everything produced is written.
  virtual bool finished() const = 0;
  /// Reset the connection when what was produced is written, or soon.
  virtual bool cut() const = 0;
  /// Takes no further requests, finishes when the running answers are sent.
  virtual void drain() = 0;
  /// False: the peer took too long.
  virtual bool tick() = 0;
  /// The connection is gone; closes every answer.
  virtual void detach() = 0;
};

std::unique_ptr<Session> make_http1_session(SessionContext context);
std::unique_ptr<Session> make_http2_session(SessionContext context);

/// The connection preface of HTTP/2.
inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The response fields that may be sent as they are: names in lower case, no field that belongs to the connection, no
/// name or value that could end the field early.
HeaderFields sendable_fields(HeaderFields fields);
bool status_has_body(int status) noexcept;
/// The value of a Date field, now.
std::string http_date();

}  // namespace kubexx::httpd
