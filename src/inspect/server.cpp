#include "kubexx/inspect/server.hpp"

#include <errno.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/internal/address.hpp"
#include "base/internal/random_token.hpp"
#include "inspect/site.hpp"

namespace kubexx::inspect {
namespace {

constexpr std::size_t kShortestToken = 16;

struct Endpoint {
  std::string address;
  std::uint16_t port = 0;
};

Result<Endpoint> parse_listen(const std::string& listen) {
  const auto colon = listen.rfind(':');
  Endpoint endpoint;
  endpoint.address = listen.substr(0, colon);
  if (endpoint.address.starts_with('[') && endpoint.address.ends_with(']')) {
    endpoint.address = endpoint.address.substr(1, endpoint.address.size() - 2);
  }
  if (endpoint.address == "localhost") endpoint.address = "127.0.0.1";
  const char* end = listen.data() + listen.size();
  const char* digits = colon == std::string::npos ? end : listen.data() + colon + 1;
  const auto [stop, error] = std::from_chars(digits, end, endpoint.port);
  if (error != std::errc() || stop != end || !is_ip_address(endpoint.address)) {
    return Error::config("inspector: listen is an IP address and a port, as 127.0.0.1:0, not \"" + listen + "\"");
  }
  return endpoint;
}

// It stands in addresses and cookies.
bool is_usable_token(std::string_view token) {
  return token.size() >= kShortestToken && std::ranges::all_of(token, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
                  c == '.' || c == '~';
         });
}

}  // namespace

// The HTTP server ends first, then the tasks, then what both use.
struct KUBEXX_HIDDEN Server::Impl {
  Endpoint endpoint;
  std::string token;
  std::shared_ptr<HealthChecks> health;
  std::unique_ptr<Site> site;
  std::unique_ptr<ThreadExecutor> executor;
  std::unique_ptr<httpd::Server> http;
  std::uint16_t port = 0;
  std::mutex stop_mutex;
  bool stopped = false;  // guarded by stop_mutex
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Server>> Server::start(Options options) try {
  auto endpoint = parse_listen(options.listen);
  if (!endpoint) return endpoint.error();
  const bool loopback = is_loopback_address(endpoint->address);
  if (!loopback && !options.allow_remote) {
    return Error::config("inspector: " + options.listen +
                         " is reachable from elsewhere; say allow_remote to want that");
  }
  if (options.token.empty()) options.token = random_token();
  if (!is_usable_token(options.token)) {
    return Error::config("inspector: the token needs 16 or more letters, digits, '-', '_', '.' or '~'");
  }
  if (options.title.empty()) options.title = program_invocation_short_name;

  auto impl = std::make_unique<Impl>();
  impl->endpoint = *endpoint;
  impl->token = options.token;
  impl->health = options.health ? options.health : std::make_shared<HealthChecks>();
  impl->executor = std::make_unique<ThreadExecutor>(ThreadExecutor::Options{2, "kxx-inspect"});
  impl->site = std::make_unique<Site>(
      Site::Settings{options.title, options.queues, options.controllers, options.open_metrics, options.max_pages,
                     impl->health, options.standby_is_ready, options.health_patience},
      Access(Access::Settings{options.token, loopback, options.allowed_hosts}), *impl->executor);
  if (options.metrics) impl->site->set_metrics(options.metrics, false);

  httpd::ServerOptions http;
  http.address = endpoint->address;
  http.port = endpoint->port;
  http.max_body = 1 << 10;
  http.max_header = 16 << 10;
  auto started =
      httpd::Server::start(http, [site = impl->site.get()](httpd::Request request, httpd::Responder responder) {
        site->handle(std::move(request), responder);
      });
  if (!started) return started.error().with_context("inspector");
  impl->http = std::move(*started);
  impl->port = impl->http->port();
  impl->site->start();
  return std::unique_ptr<Server>(new Server(std::move(impl)));
} catch (const std::system_error& e) {  // of the executor
  return Error::config(std::string("inspector: ") + e.what());
}

Result<std::unique_ptr<Server>> Server::start(const informer::SharedInformerFactory& factory, Options options) {
  auto page = start(std::move(options));
  if (page) (*page)->add(factory);
  return page;
}

Server::~Server() {
  if (impl_) stop();
}

void Server::add(const informer::SharedInformerFactory& factory) {
  impl_->site->set_metrics(factory.client().metrics(), true);
  impl_->site->catalog().add([&factory] { return factory.informers(); });
}

void Server::add(std::shared_ptr<informer::SharedIndexInformer> informer) {
  impl_->site->catalog().add([informer = std::move(informer)] { return std::vector{informer}; });
}

HealthChecks& Server::health() noexcept {
  return *impl_->health;
}

std::uint16_t Server::port() const noexcept {
  return impl_->port;
}

const std::string& Server::token() const noexcept {
  return impl_->token;
}

std::string Server::address() const {
  const auto& host = impl_->endpoint.address;
  return "http://" + (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" +
         std::to_string(impl_->port);
}

std::string Server::url() const {
  return address() + "/?token=" + impl_->token;
}

void Server::stop() {
  const std::lock_guard lock(impl_->stop_mutex);
  if (std::exchange(impl_->stopped, true)) return;
  impl_->http->stop();
  impl_->site->catalog().clear();
  impl_->executor.reset();
}

}  // namespace kubexx::inspect
