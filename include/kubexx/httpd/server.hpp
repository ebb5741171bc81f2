#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::httpd {

/// Names and values of headers, in their order.
using HeaderFields = std::vector<std::pair<std::string, std::string>>;
/// Bytes that many answers may carry at once without a copy for each.
using SharedBytes = std::shared_ptr<const std::string>;

/// A request as it was received, body included.
struct KUBEXX_EXPORT Request {
  std::string method = {};
  std::string target = {};    ///< path and query as sent
  HeaderFields headers = {};  ///< names in lower case
  std::string body = {};
  std::string peer = {};  ///< "127.0.0.1:40000"
  int http_major = 1;
  /// The verified client certificate's subject, empty without one: common name and organizations.
  std::string client_common_name = {};
  std::vector<std::string> client_organizations = {};
  /// Why a client certificate that was presented is not accepted (expired, unknown signer); empty otherwise.
  std::string client_certificate_error = {};

  std::string_view header(std::string_view lower_case_name) const noexcept;  ///< empty when absent
};

/// Answers one request, from any thread, at any time. Copies refer to the same answer.
///
/// `respond` for a whole answer; or `start`, then any number of `write`, then `finish`. The first answer wins: a second
/// `respond` or `start` does nothing, and so does whatever comes after `finish`, `abort` or the peer's leaving.
///
/// Dropping the last copy without an answer sends 500; dropping it between `start` and `finish` is an `abort`. Fields
/// that belong to the connection (transfer-encoding, keep-alive, ...) are not sent, `connection: close` is obeyed.
/// HTTP/1.1: an answer begun by `start` is chunked unless its fields announce a content-length; one that then stays
/// shorter cuts the connection.
///
/// Threads: every member is safe from any thread. Bytes arrive in the order of the calls.
/// Errors: `write` or `finish` before `start` throws std::logic_error.
class KUBEXX_EXPORT Responder {
 public:
  struct Exchange;  // implemented by the connection
  explicit Responder(std::shared_ptr<Exchange> exchange);

  /// A whole answer.
  void respond(int status, HeaderFields headers, std::string body) const;
  /// Or one in pieces: its head, pieces by write(), its end.
  void start(int status, HeaderFields headers) const;
  void write(std::string bytes) const;
  void write(SharedBytes bytes) const;  ///< they are kept until they are sent, not copied
  /// The end of an answer in pieces.
  void finish() const;
  /// Cuts: resets the stream (HTTP/2) or the connection (HTTP/1.1) wherever it stands. What was written before goes out
  /// first as far as the peer takes it at once; a peer that does not read is not waited for (HTTP/2: for a moment).
  void abort() const;
  /// Bytes written and not yet handed to the kernel: what a slow peer has piled up.
  std::size_t backlog() const;
  bool closed() const;
  /// Called once, from the I/O thread, when the peer went away or the answer is complete and sent; at once, on this
  /// thread, when that already happened. A second callback replaces the first.
  void on_close(std::function<void()> callback) const;

 private:
  std::shared_ptr<Exchange> exchange_;
};

/// Called on an I/O thread for every request; must not block. What it throws is reported, and the peer gets a 500.
using Handler = std::function<void(Request, Responder)>;

/// Where it listens, with which certificate, and its limits.
struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: the kernel picks one
  /// PEM texts; empty certificate: cleartext (HTTP/1.1, and HTTP/2 with prior knowledge).
  std::string certificate{};
  std::string key{};
  std::string client_ca{};  ///< client certificates are asked for and verified against it; not required
  bool http2 = true;
  std::size_t max_streams = 100;           ///< per HTTP/2 connection
  std::size_t max_body = 16 << 20;         ///< larger requests are answered 413
  std::size_t max_incomplete = 256 << 20;  ///< bytes of bodies not yet complete, of all connections; 503 beyond it
  std::size_t max_header = 64 << 10;
  Duration header_timeout = std::chrono::seconds(30);  ///< for the TLS handshake, and for the header of a request
  Duration idle_timeout = std::chrono::minutes(5);     ///< without a request, for a body, or for a write to move
  std::size_t threads = 1;
  /// Further ones are closed at once, and the first time a log line says so. 0: half of the descriptors that the
  /// process may have, at most 10,000.
  std::size_t max_connections = 0;
};

/// Serves HTTP/1.1 and HTTP/2, cleartext or TLS.
///
/// Requests that cannot be served never reach the handler: malformed ones are 400 (HTTP/2: reset), too large ones 413
/// or 431. Peers that take too long to say what they want, or do not read at all for `idle_timeout`, are cut off; an
/// answer under way may be silent for as long as it likes.
///
/// Threads: every member is safe from any thread. On one of the server's own I/O threads `drop_connections` and
/// `set_accepting` may take effect a little after they return, and `stop` throws std::logic_error.
/// Stop: the destructor, or stop(), refuses new connections, lets answers under way finish for `grace`, then closes
/// everything and joins. HTTP/2 peers are told (GOAWAY) when there is a grace.
/// Errors: an address that cannot be listened on, an unreadable certificate or key are errors of `start`.
/// Example:
///
///     const httpd::Handler echo = [](const httpd::Request& request, const httpd::Responder& responder) {
///       responder.respond(200, {{"content-type", "text/plain"}}, "you asked for " + request.target);
///     };
///     auto server = httpd::Server::start({.port = 8080}, echo);
///     if (!server) complain(server.error());
class KUBEXX_EXPORT Server {
 public:
  /// Listens; an Error where it cannot.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Handler handler);
  ~Server();
  /// Where it listens.
  std::uint16_t port() const noexcept;
  /// Takes no connection any more, lets answers end for so long, and closes the rest.
  void stop(Duration grace = Duration::zero());
  /// Closes every open connection, keeps listening.
  void drop_connections();
  /// While false, new connections are refused as if nothing listened; the port stays ours.
  void set_accepting(bool accepting);
  std::size_t connections() const;  ///< open, and not merely waiting for the peer to close as well

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::httpd
