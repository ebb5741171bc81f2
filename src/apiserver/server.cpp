#include "kubexx/apiserver/server.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "kubexx/base/base64.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/httpd/certificates.hpp"
#include "kubexx/httpd/server.hpp"

namespace kubexx::apiserver {
namespace {

/// Core's answers over HTTP.
class HttpWriter final : public ResponseWriter {
 public:
  HttpWriter(httpd::Responder responder, std::shared_ptr<Executor> executor)
      : responder_(std::move(responder)), executor_(std::move(executor)) {}
  void respond(int status, HeaderFields headers, std::string body) override {
    responder_.respond(status, std::move(headers), std::move(body));
  }
  void start(int status, HeaderFields headers) override { responder_.start(status, std::move(headers)); }
  void write(std::string bytes) override { responder_.write(std::move(bytes)); }
  void finish() override { responder_.finish(); }
  void abort() override { responder_.abort(); }
  std::size_t backlog() const override { return responder_.backlog(); }
  void on_close(std::function<void()> callback) override {
    // The connection may call at once, from inside a call of Core; Core wants it later.
    responder_.on_close([executor = executor_, call = std::move(callback)] { executor->post(call); });
  }

 private:
  const httpd::Responder responder_;
  const std::shared_ptr<Executor> executor_;
};

}  // namespace

struct Server::State {
  Options options;
  std::shared_ptr<Executor> executor;
  httpd::ServerOptions http;
  std::string ca;
  httpd::KeyPair admin;
  std::uint16_t port = 0;
  std::shared_ptr<Core> core;  // shared with the requests on the executor, which may outlast the server for a moment
  std::unique_ptr<httpd::Server> listener;  // last: it calls into all of the above

  Result<void> listen() {
    http.port = port ? port : options.port;
    auto started = httpd::Server::start(http, [this](httpd::Request in, httpd::Responder responder) {
      auto out = std::make_shared<Request>();
      out->method = std::move(in.method);
      out->target = std::move(in.target);
      out->headers = std::move(in.headers);
      out->body = std::move(in.body);
      out->peer = std::move(in.peer);
      out->client_common_name = std::move(in.client_common_name);
      out->client_organizations = std::move(in.client_organizations);
      auto writer = std::make_shared<HttpWriter>(std::move(responder), executor);
      // Off the I/O thread: a large list must not hold up the connections.
      executor->post([core = core, out, writer] { core->handle(std::move(*out), writer); });
    });
    if (!started) return started.error();
    listener = std::move(*started);
    port = listener->port();
    return {};
  }
};

Result<std::unique_ptr<Server>> Server::start(Options options) {
  auto state = std::make_unique<State>();
  state->options = options;
  state->executor = options.executor;
  if (!state->executor) {
    state->executor = std::make_shared<ThreadExecutor>(ThreadExecutor::Options{2, "kxx-apiserver"});
    options.executor = state->executor;
  }
  state->http.address = options.address;
  state->http.threads = options.io_threads;
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
    state->ca = authority->certificate_pem();
    state->admin = std::move(*admin);
    state->http.certificate = pair->certificate;
    state->http.key = pair->key;
    state->http.client_ca = state->ca;
  }
  state->core = std::make_shared<Core>(std::move(options));
  if (auto listening = state->listen(); !listening) return listening.error().with_context("listen");
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Server::Server() : Server(Options()) {}
Server::Server(Options options) : state_(std::move(start(std::move(options)).value()->state_)) {}
Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Server::~Server() {
  if (state_) stop();
}

void Server::stop() {
  if (state_->listener) state_->listener->stop();
  state_->listener.reset();
}

std::uint16_t Server::port() const noexcept {
  return state_->port;
}
std::string Server::url() const {
  const std::string& address = state_->options.address;
  const std::string host = address.find(':') == std::string::npos ? address : '[' + address + ']';
  return (state_->options.tls ? "https://" : "http://") + host + ':' + std::to_string(state_->port);
}
const std::string& Server::admin_token() const noexcept {
  return state_->core->admin_token();
}
const std::string& Server::ca_pem() const noexcept {
  return state_->ca;
}
const std::string& Server::admin_certificate_pem() const noexcept {
  return state_->admin.certificate;
}
const std::string& Server::admin_key_pem() const noexcept {
  return state_->admin.key;
}
Core& Server::core() noexcept {
  return *state_->core;
}
const Core& Server::core() const noexcept {
  return *state_->core;
}

std::string Server::kubeconfig() const {
  std::string out = "apiVersion: v1\nkind: Config\nclusters:\n- name: kubexx\n  cluster:\n    server: " + url() + '\n';
  if (!state_->ca.empty()) out += "    certificate-authority-data: " + base64_encode(state_->ca) + '\n';
  out += "users:\n- name: admin\n  user:\n    token: " + admin_token() + '\n';
  out +=
      "contexts:\n- name: kubexx\n  context:\n    cluster: kubexx\n    user: admin\n    namespace: "
      "default\ncurrent-context: kubexx\n";
  return out;
}

Result<void> Server::write_kubeconfig(const std::string& path) const {
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return Error::config("write " + temporary + ": " + std::strerror(errno));
  const std::string text = kubeconfig();
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  const bool complete = written == text.size() && ::fchmod(file, 0600) == 0;
  const int failure = errno;
  ::close(file);
  if (!complete || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int code = complete ? errno : failure;
    ::unlink(temporary.c_str());
    return Error::config("write " + path + ": " + std::strerror(code));
  }
  return {};
}

Outage Server::refuse_connections() {
  state_->listener->set_accepting(false);
  state_->listener->drop_connections();
  return Outage([state = state_.get()] {
    if (state->listener) state->listener->set_accepting(true);
  });
}

void Server::drop_connections() {
  state_->listener->drop_connections();
}

Result<void> Server::restart() {
  stop();
  return state_->listen();
}

}  // namespace kubexx::apiserver
