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
#include "kubexx/base/result.hpp"

namespace kubexx::httpd {

using HeaderFields = std::vector<std::pair<std::string, std::string>>;

/// A request as it was received, body included.
struct Request {
  std::string method;
  std::string target;  ///< path and query as sent
  HeaderFields headers;  ///< names in lower case
  std::string body;
  std::string peer;    ///< "127.0.0.1:40000"
  int http_major = 1;
  /// The verified client certificate's subject, empty without one: common name and organizations.
  std::string client_common_name;
  std::vector<std::string> client_organizations;

  std::string_view header(std::string_view lower_case_name) const noexcept;  ///< empty when absent
};

/// Answers one request, from any thread, at any time. Copies refer to the same answer.
///
/// `respond` for a whole answer; or `start`, then any number of `write`, then `finish`. Writing after the peer left is
/// harmless. Dropping the last copy without an answer sends 500.
class Responder {
 public:
  struct Exchange;  // implemented by the connection
  explicit Responder(std::shared_ptr<Exchange> exchange);

  void respond(int status, HeaderFields headers, std::string body) const;
  void start(int status, HeaderFields headers) const;
  void write(std::string bytes) const;
  void finish() const;
  void abort() const;  ///< cut: reset the stream (HTTP/2) or the connection (HTTP/1.1) wherever it stands
  /// Bytes written and not yet handed to the kernel: what a slow peer has piled up.
  std::size_t backlog() const;
  bool closed() const;
  /// Called once, from the I/O thread, when the peer went away or the answer is complete and sent.
  void on_close(std::function<void()> callback) const;

 private:
  std::shared_ptr<Exchange> exchange_;
};

/// Called on an I/O thread for every request; must not block.
using Handler = std::function<void(Request, Responder)>;

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: the kernel picks one
  /// PEM texts; empty certificate: cleartext (HTTP/1.1, and HTTP/2 with prior knowledge).
  std::string certificate;
  std::string key;
  std::string client_ca;  ///< client certificates are asked for and verified against it; not required
  bool http2 = true;
  std::size_t max_streams = 100;               ///< per HTTP/2 connection
  std::size_t max_body = 16 << 20;             ///< larger requests are answered 413
  std::size_t max_header = 64 << 10;
  Duration header_timeout = std::chrono::seconds(30);
  Duration idle_timeout = std::chrono::minutes(5);
  std::size_t threads = 1;
};

/// Serves HTTP/1.1 and HTTP/2, cleartext or TLS.
///
/// Stop: the destructor, or stop(), refuses new connections, lets answers under way finish for `grace`, then closes
/// everything and joins.
class Server {
 public:
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Handler handler);
  ~Server();
  std::uint16_t port() const noexcept;
  void stop(Duration grace = Duration::zero());
  /// Closes every open connection, keeps listening.
  void drop_connections();
  /// While false, new connections are reset at once (as if nothing listened).
  void set_accepting(bool accepting);
  std::size_t connections() const;

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kubexx::httpd
