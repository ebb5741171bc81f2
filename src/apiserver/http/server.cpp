#include "kubexx/apiserver/server.hpp"

#include <atomic>
#include <mutex>
#include <system_error>

#include "apiserver/http/codecs.hpp"
#include "apiserver/http/foreign.hpp"
#include "apiserver/http/status.hpp"
#include "base/internal/base64.hpp"
#include "base/internal/file.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/httpd/certificates.hpp"
#include "kubexx/httpd/server.hpp"

namespace kubexx::apiserver {
namespace {

constexpr Duration kGrace = std::chrono::seconds(1);  // for answers under way when the server stops

/// What is on its way through the server, of all connections together: a peer may ask faster than it is served, and
/// leave the answers unread.
struct Traffic {
  std::atomic<std::size_t> waiting = 0;  // bytes of requests that no thread has taken up yet
  std::atomic<std::size_t> unread = 0;   // bytes of whole answers
};
constexpr std::size_t kMostWaiting = 256 << 20;
constexpr std::size_t kRequestOverhead = 1 << 10;
constexpr std::size_t kSmallAnswer = 64 << 10;

std::size_t size_of(const httpd::Request& request) {
  std::size_t size = kRequestOverhead + request.target.size() + request.body.size();
  for (const auto& [name, value] : request.headers) size += name.size() + value.size();
  return size;
}

void refuse(const httpd::Responder& responder, const Error& error, HeaderFields more = {}) {
  more.emplace_back("Content-Type", "application/json");
  responder.respond(error.code(), std::move(more),
                    encode_body(Format::Json, status_object(error)).value_or(std::string()));
}

void refuse(const httpd::Responder& responder) {
  refuse(responder, too_many_requests(1), {{"Retry-After", "1"}});
}

/// Core's answers over HTTP.
class HttpWriter final : public ResponseWriter {
 public:
  HttpWriter(httpd::Responder responder, std::shared_ptr<Executor> executor, std::shared_ptr<Traffic> traffic,
             std::size_t most_unread)
      : responder_(std::move(responder)),
        executor_(std::move(executor)),
        traffic_(std::move(traffic)),
        most_unread_(most_unread) {}
  void respond(int status, HeaderFields headers, std::string body) override {
    const std::size_t size = body.size();
    if (size <= kSmallAnswer) return responder_.respond(status, std::move(headers), std::move(body));
    // One that is larger than all may be together still goes out.
    if (traffic_->unread.fetch_add(size) > most_unread_) {
      traffic_->unread -= size;
      return refuse(responder_);
    }
    responder_.on_close([traffic = traffic_, size] { traffic->unread -= size; });
    responder_.respond(status, std::move(headers), std::move(body));
  }
  void start(int status, HeaderFields headers) override { responder_.start(status, std::move(headers)); }
  void write(SharedBytes bytes) override { responder_.write(std::move(bytes)); }
  void finish() override { responder_.finish(); }
  void abort() override { responder_.abort(); }
  std::size_t backlog() const override { return responder_.backlog(); }
  bool closed() const override { return responder_.closed(); }
  void on_close(std::function<void()> callback) override {
    // The connection may call at once, from inside a call of Core; Core wants it later.
    responder_.on_close([executor = executor_, call = std::move(callback)] { executor->post(call); });
  }

 private:
  const httpd::Responder responder_;
  const std::shared_ptr<Executor> executor_;
  const std::shared_ptr<Traffic> traffic_;
  const std::size_t most_unread_;
};

}  // namespace

struct KUBEXX_HIDDEN Server::Impl : std::enable_shared_from_this<Server::Impl> {
  Options options;
  std::shared_ptr<Executor> executor;
  httpd::ServerOptions http;
  std::string ca;
  httpd::KeyPair admin;
  std::atomic<std::uint16_t> port = 0;
  std::shared_ptr<Core> core;  // shared with the requests on the executor, which may outlast the server for a moment

  std::mutex mutex;
  bool stopped = false;                     // guarded by mutex: nothing on the executor listens again
  std::unique_ptr<httpd::Server> listener;  // guarded by mutex; null while it is down. It calls into all of the above

  Result<void> listen() {  // with the lock held
    http.port = port ? port.load() : options.port;
    auto handler = [executor = executor, core = core, traffic = std::make_shared<Traffic>(),
                    most_unread = options.unread_bytes,
                    pages = ForeignPages(options)](httpd::Request in, httpd::Responder responder) {
      if (const auto refusal = pages.refuse(in)) return refuse(responder, *refusal);
      const std::size_t size = size_of(in);
      if (traffic->waiting.fetch_add(size) + size > kMostWaiting) {
        traffic->waiting -= size;
        return refuse(responder);
      }
      auto out = std::make_shared<Request>();
      out->method = std::move(in.method);
      out->target = std::move(in.target);
      out->headers = std::move(in.headers);
      out->body = std::move(in.body);
      out->peer = std::move(in.peer);
      out->client_common_name = std::move(in.client_common_name);
      out->client_organizations = std::move(in.client_organizations);
      auto writer = std::make_shared<HttpWriter>(std::move(responder), executor, traffic, most_unread);
      // Off the I/O thread: a large list must not hold up the connections.
      executor->post([core, out, writer, traffic, size] {
        traffic->waiting -= size;
        core->handle(std::move(*out), writer);
      });
    };
    auto started = httpd::Server::start(http, std::move(handler));
    if (!started) return started.error();
    listener = std::move(*started);
    port = listener->port();
    return {};
  }

  void close() {  // with the lock held
    if (listener) listener->stop();
    listener.reset();
  }

  /// What the control path asks for, on the executor. The port is taken again `down` later.
  void control(std::string_view action, Duration down) {
    const std::lock_guard lock(mutex);
    if (stopped || !listener) return;
    if (action == "dropConnections") return listener->drop_connections();
    const bool restart = action == "restart";
    if (restart) {
      close();
    } else {
      listener->set_accepting(false);
      listener->drop_connections();
    }
    executor->post_after(down, [weak = weak_from_this(), restart] {
      const auto self = weak.lock();
      if (!self) return;
      const std::lock_guard guard(self->mutex);
      if (self->stopped) return;
      if (!restart) {
        if (self->listener) self->listener->set_accepting(true);
      } else if (auto listening = self->listen(); !listening) {
        log(LogLevel::Error, "the API server could not listen again", {{"error", listening.error()}});
      }
    });
  }
};

Result<std::unique_ptr<Server>> Server::start(Options options) try {
  auto impl = std::make_shared<Impl>();
  impl->options = options;
  impl->executor = options.executor;
  if (!impl->executor) {
    impl->executor = std::make_shared<ThreadExecutor>(ThreadExecutor::Options{2, "kxx-apiserver"});
    options.executor = impl->executor;
  }
  impl->http.address = options.address;
  impl->http.threads = options.io_threads;
  impl->http.max_connections = options.max_connections;
  if (options.tls) {
    auto authority = httpd::CertificateAuthority::create("kubexx-ca");
    if (!authority) return authority.error().with_context("certificate authority");
    httpd::CertificateRequest server;
    server.common_name = "kube-apiserver";
    server.dns_names = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"};
    server.ip_addresses = {"127.0.0.1", "::1"};
    if (options.address != "127.0.0.1" && options.address != "::1" && options.address != "0.0.0.0")
      server.ip_addresses.push_back(options.address);
    server.server = true;
    auto pair = authority->issue(server);
    if (!pair) return pair.error().with_context("server certificate");
    httpd::CertificateRequest client;
    client.common_name = "kubexx:admin";
    client.organizations = {"system:masters"};
    client.client = true;
    auto admin = authority->issue(client);
    if (!admin) return admin.error().with_context("client certificate");
    impl->ca = authority->certificate_pem();
    impl->admin = std::move(*admin);
    impl->http.certificate = pair->certificate;
    impl->http.key = pair->key;
    impl->http.client_ca = impl->ca;
  }
  impl->core = std::make_shared<Core>(std::move(options));
  impl->core->set_connection_control([weak = std::weak_ptr(impl)](std::string_view action, Duration down) {
    if (const auto self = weak.lock()) self->control(action, down);
  });
  if (auto listening = impl->listen(); !listening) return listening.error().with_context("listen");
  return std::unique_ptr<Server>(new Server(std::move(impl)));
} catch (const std::system_error& e) {  // of the executor
  return Error::config(e.what());
}

Server::Server() : Server(Options()) {}
Server::Server(Options options) : impl_(std::move(start(std::move(options)).value()->impl_)) {}
Server::Server(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
  if (!impl_) return;
  const std::lock_guard lock(impl_->mutex);
  impl_->stopped = true;
  impl_->close();
}

void Server::stop() {
  const std::lock_guard lock(impl_->mutex);
  impl_->stopped = true;
  if (!impl_->listener) return;
  // A client whose watch or log ended asks for the next one at once, on the connection that is to be closed.
  const Outage no_more = impl_->core->add_fault({.verb = "watch", .status = 503, .retry_after = 1});
  const Outage no_logs = impl_->core->add_fault({.status = 503, .retry_after = 1, .subresource = "log"});
  impl_->core->end_watches();
  impl_->core->end_logs();
  impl_->listener->stop(kGrace);
  impl_->listener.reset();
}

std::uint16_t Server::port() const noexcept {
  return impl_->port;
}
std::string Server::url() const {
  const std::string& address = impl_->options.address;
  const std::string host = address.find(':') == std::string::npos ? address : '[' + address + ']';
  return (impl_->options.tls ? "https://" : "http://") + host + ':' + std::to_string(impl_->port);
}
const std::string& Server::admin_token() const noexcept {
  return impl_->core->admin_token();
}
const std::string& Server::ca_pem() const noexcept {
  return impl_->ca;
}
const std::string& Server::admin_certificate_pem() const noexcept {
  return impl_->admin.certificate;
}
const std::string& Server::admin_key_pem() const noexcept {
  return impl_->admin.key;
}
Core& Server::core() noexcept {
  return *impl_->core;
}
const Core& Server::core() const noexcept {
  return *impl_->core;
}

std::string Server::kubeconfig() const {
  std::string out = "apiVersion: v1\nkind: Config\nclusters:\n- name: kubexx\n  cluster:\n    server: " + url() + '\n';
  if (!impl_->ca.empty()) out += "    certificate-authority-data: " + base64_encode(impl_->ca) + '\n';
  out += "users:\n- name: admin\n  user:\n    token: " + admin_token() + '\n';
  out +=
      "contexts:\n- name: kubexx\n  context:\n    cluster: kubexx\n    user: admin\n    namespace: "
      "default\ncurrent-context: kubexx\n";
  return out;
}

Result<void> Server::write_kubeconfig(const std::string& path) const {
  return replace_file(path, kubeconfig());
}

Outage Server::refuse_connections() {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->listener) return {};
  impl_->listener->set_accepting(false);
  impl_->listener->drop_connections();
  return Outage([weak = std::weak_ptr(impl_)] {
    const auto impl = weak.lock();
    if (!impl) return;
    const std::lock_guard guard(impl->mutex);
    if (impl->listener) impl->listener->set_accepting(true);
  });
}

void Server::drop_connections() {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->listener) impl_->listener->drop_connections();
}

Result<void> Server::restart() {
  const std::lock_guard lock(impl_->mutex);
  impl_->close();
  impl_->stopped = false;
  return impl_->listen();
}

}  // namespace kubexx::apiserver
