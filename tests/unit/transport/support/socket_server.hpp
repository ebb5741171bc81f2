#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "unit/transport/support/certificates.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace kubexx::transport::test {

/// A listening socket on loopback, port chosen by the kernel; or a unix socket.
class Listener {
 public:
  explicit Listener(const std::string& unix_path = {}, int backlog = 128);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  int fd() const { return fd_; }
  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  int accept() const;  ///< -1 once shut down
  void shut_down();

 private:
  int fd_;
  int port_ = 0;
  std::string path_;
};

struct ServerTls {
  Identity identity;
  std::string client_ca;  ///< not empty: a client certificate of it is demanded
  std::string protocols;  ///< ALPN in order of preference: "h2,http/1.1"; empty: none
  int newest = 0;         ///< version of TLS, as OpenSSL counts; 0: the newest there is
};

/// One accepted connection, plain or TLS. Blocking; read returns 0 at the end, -1 on failure.
class Peer {
 public:
  explicit Peer(int fd) : fd_(fd) {}
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  bool secure(ssl_ctx_st* context);  ///< the server's side of the handshake
  bool http2() const;                ///< ALPN chose h2
  std::string client_name() const;   ///< common name of the client's certificate
  ssize_t read(char* buffer, std::size_t size);
  bool write(std::string_view bytes);
  bool readable(int milliseconds);  ///< something to read within that time, the end included
  std::string read_request();       ///< up to and including the empty line; "" at the end
  void reset();                     ///< RST instead of FIN
  int fd() const { return fd_; }

 private:
  int fd_;
  ssl_st* ssl_ = nullptr;
};

ssl_ctx_st* make_server_context(const ServerTls& tls);
void free_server_context(ssl_ctx_st* context);

/// Runs `handler` on a thread of its own for each connection. The destructor breaks what is open and joins.
class SocketServer {
 public:
  using Handler = std::function<void(Peer&)>;
  explicit SocketServer(Handler handler, std::optional<ServerTls> tls = std::nullopt,
                        const std::string& unix_path = {});
  ~SocketServer();

  int port() const { return listener_.port(); }
  std::string address() const { return listener_.address(); }
  std::string url(const std::string& path = "/") const {
    return (context_ ? "https://" : "http://") + address() + path;
  }
  int connections() const { return accepted_; }  ///< accepted so far
  int open() const { return open_; }

 private:
  void accept_all();
  void serve(int fd);

  Handler handler_;
  Listener listener_;
  ssl_ctx_st* context_ = nullptr;
  std::atomic<int> accepted_{0};
  std::atomic<int> open_{0};
  std::mutex mutex_;
  std::list<int> fds_;               // guarded by mutex_
  std::list<std::jthread> threads_;  // guarded by mutex_
  std::jthread acceptor_;
};

}  // namespace kubexx::transport::test
