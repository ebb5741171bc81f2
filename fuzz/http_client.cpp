// layers: rest httpd
// links: OpenSSL::SSL
// The client with a peer that answers with the input: HTTP/1.1 or HTTP/2 over TLS, a list or a watch, by the first
// byte, in pieces of the size that the second says. Whatever comes, the call ends, once, and nothing comes after its
// end.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/internal/descriptor.hpp"
#include "httpd/tls.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/loop_executor.hpp"
#include "kubexx/httpd/certificates.hpp"
#include "kubexx/rest/client.hpp"

namespace {

using namespace kubexx;
using namespace std::chrono_literals;

struct SslDeleter {
  void operator()(SSL* connection) const noexcept { SSL_free(connection); }
};

/// The certificate is made once: an input is to cost no key.
SSL_CTX* server_tls() {
  static const httpd::ServerOptions options = [] {
    const auto authority = httpd::CertificateAuthority::create("fuzz").value();
    const auto pair = authority.issue({.common_name = "peer", .ip_addresses = {"127.0.0.1"}, .server = true}).value();
    httpd::ServerOptions made;
    made.certificate = pair.certificate;
    made.key = pair.key;
    return made;
  }();
  static const httpd::SslContext context = httpd::make_server_tls(options).value();
  return context.get();
}

/// One connection is accepted at a time. When something was asked on it, the bytes are sent, and then the end.
class Peer {
 public:
  Peer(bool tls, std::string_view bytes, std::size_t piece) : tls_(tls), bytes_(bytes), piece_(piece) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool listens = ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                         ::listen(listener_.get(), 8) == 0 &&
                         ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0;
    if (!listens) std::abort();
    port_ = ntohs(address.sin_port);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { hang_up(); }

  std::uint16_t port() const noexcept { return port_; }
  int fd() const noexcept { return connection_ >= 0 ? connection_ : listener_.get(); }

  /// What can be done without waiting.
  void step() {
    if (connection_ < 0 && !accept()) return;
    if (tls_ && !shaken_ && !shake()) return;
    char asked[4096];
    for (int count = read(asked); count > 0; count = read(asked)) heard_ = true;
    while (heard_ && sent_ < bytes_.size()) {
      const int count = write(bytes_.substr(sent_, piece_));
      if (count <= 0) break;
      sent_ += static_cast<std::size_t>(count);
    }
    if (gone_ || (heard_ && sent_ == bytes_.size())) hang_up();
  }

 private:
  bool accept() {
    connection_ = ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (connection_ < 0) return false;
    heard_ = shaken_ = gone_ = false;
    sent_ = 0;
    if (tls_) {
      ssl_.reset(SSL_new(server_tls()));
      SSL_set_fd(ssl_.get(), connection_);
    }
    return true;
  }
  bool shake() {
    const int done = SSL_accept(ssl_.get());
    shaken_ = done == 1;
    if (done != 1 && again(done)) return false;
    if (!shaken_) hang_up();
    return shaken_;
  }
  bool again(int result) const {
    const int why = SSL_get_error(ssl_.get(), result);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
  }
  int read(char (&into)[4096]) {
    if (tls_) {
      const int count = SSL_read(ssl_.get(), into, sizeof into);
      gone_ |= count <= 0 && !again(count);
      return count;
    }
    const auto count = ::recv(connection_, into, sizeof into, MSG_DONTWAIT);
    gone_ |= count == 0 || (count < 0 && errno != EAGAIN);
    return static_cast<int>(count);
  }
  int write(std::string_view bytes) {
    if (tls_) {
      const int count = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
      gone_ |= count <= 0 && !again(count);
      return count;
    }
    const auto count = ::send(connection_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    gone_ |= count < 0 && errno != EAGAIN;
    return static_cast<int>(count);
  }
  void hang_up() {
    ssl_.reset();
    if (connection_ >= 0) ::close(connection_);
    connection_ = -1;
  }

  const bool tls_;
  const std::string_view bytes_;
  const std::size_t piece_;
  const Descriptor listener_{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  std::uint16_t port_ = 0;
  int connection_ = -1;
  std::unique_ptr<SSL, SslDeleter> ssl_;
  bool shaken_ = false;
  bool heard_ = false;
  bool gone_ = false;
  std::size_t sent_ = 0;
};

struct Seen final : meta::StreamSink {
  void on_open() override { check(); }
  void on_item(meta::Object) override { check(); }
  void on_event(meta::WatchEvent) override { check(); }
  void on_bytes(std::size_t) override { check(); }
  void on_end(Result<meta::ListMeta>) override {
    check();
    ended = true;
  }
  void check() const {
    if (ended) std::abort();
  }
  bool ended = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  set_log_sink(nullptr);
  const bool http2 = (data[0] & 1) != 0;
  const bool watch = (data[0] & 2) != 0;
  Peer peer(http2, {reinterpret_cast<const char*>(data) + 2, size - 2}, std::size_t{1} + 16 * data[1]);

  const auto loop = std::make_shared<LoopExecutor>();
  rest::Config config;
  config.host = (http2 ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(peer.port());
  config.tls.insecure_skip_verify = http2;
  rest::ClientOptions options;
  options.executor = loop;
  options.metrics = std::make_shared<MetricsRegistry>();
  options.max_retries = 0;
  auto client = rest::Client::create(config, options).value();
  const Strand strand(loop);
  const auto seen = std::make_shared<Seen>();
  rest::ReadOptions how;
  how.decode.max_bytes = 1 << 16;
  how.timeout = 60s;
  const rest::ResourcePath pods{.resource = {"", "v1", "pods"}};
  auto call = watch ? client.watch(pods, {}, how, strand, seen) : client.list(pods, {}, how, strand, seen);

  const TimePoint until = Clock::system().now() + 20s;
  while (!seen->ended) {
    if (Clock::system().now() > until) std::abort();  // it hangs
    peer.step();
    loop->run_ready();
    pollfd both[] = {{loop->fd(), POLLIN, 0}, {peer.fd(), POLLIN, 0}};
    if (!seen->ended) ::poll(both, 2, 10);
  }
  call.reset();
  loop->run_ready();
  loop->shut_down();
  return 0;
}
