#include "kubexx/httpd/server.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/internal/insist.hpp"
#include "httpd/connection.hpp"
#include "httpd/loop.hpp"
#include "httpd/tls.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::httpd {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr auto kAcceptPause = std::chrono::milliseconds(20);  // when file descriptors ran out

// A program that the user starts must not inherit a socket: it would keep a port open that nobody answers any more.
template <class Socket>
void close_on_exec(Socket& socket) {
  fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
}

// Fine enough for the shortest timeout, never a burden.
Duration tick_length(const ServerOptions& options) {
  return std::clamp<Duration>(std::min(options.header_timeout, options.idle_timeout) / 8, std::chrono::milliseconds(5),
                              std::chrono::seconds(1));
}

std::size_t connection_limit(const ServerOptions& options) {
  constexpr std::size_t kMost = 10'000;
  if (options.max_connections > 0) return options.max_connections;
  rlimit descriptors{};
  if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return kMost;
  return std::clamp<std::size_t>(descriptors.rlim_cur / 2, 1, kMost);
}

Error listen_error(const ServerOptions& options, const error_code& error) {
  return Error::config("listen on " + options.address + ":" + std::to_string(options.port) + ": " + error.message());
}

}  // namespace

struct KUBEXX_HIDDEN Server::Impl {
  ServerContext context;
  std::optional<boost::asio::ssl::context> tls;
  ConnectionCount count;
  std::vector<std::unique_ptr<Loop>> loops;
  tcp::endpoint endpoint;

  // Used on the first loop's thread alone.
  std::optional<tcp::socket> reservation;  // bound, never listening: keeps the port ours while the acceptor is closed
  std::optional<tcp::acceptor> acceptor;
  std::optional<boost::asio::steady_timer> pause;
  std::size_t next_loop = 0;
  std::uint64_t generation = 0;  // of the acceptor
  std::size_t most_connections = 0;
  bool told_of_most = false;

  std::mutex stop_mutex;  // held while stopping
  bool stopped = false;   // guarded by stop_mutex
  std::mutex loops_mutex;
  bool loops_ended = false;  // guarded by loops_mutex

  Result<void> bind();
  error_code listen();
  void unlisten();
  void accept();
  bool has_room();
  bool in_own_thread() const;
  template <class Function>
  void while_loops_run(Function&& function);
};

// NOLINTBEGIN(bugprone-unused-return-value): these put it into `error` too
// Linux lets several sockets with SO_REUSEADDR hold a port as long as at most one listens.
Result<void> Server::Impl::bind() {
  error_code error;
  const auto address = boost::asio::ip::make_address(context.options.address, error);
  if (error) return Error::config("listen: not an IP address: \"" + context.options.address + "\"");
  endpoint = tcp::endpoint(address, context.options.port);
  reservation.emplace(loops.front()->io());
  reservation->open(endpoint.protocol(), error);
  if (!error) close_on_exec(*reservation);
  if (!error) reservation->set_option(tcp::socket::reuse_address(true), error);
  if (!error) reservation->bind(endpoint, error);
  if (!error) endpoint = reservation->local_endpoint(error);
  loops.front()->set_on_lost_operation([this] {
    if (!acceptor) return;
    error_code ignored;
    acceptor->cancel(ignored);
    ++generation;
    accept();
  });
  if (!error) error = listen();
  if (error) return listen_error(context.options, error);
  return {};
}

error_code Server::Impl::listen() {
  error_code error;
  tcp::acceptor fresh(loops.front()->io());
  fresh.open(endpoint.protocol(), error);
  if (!error) close_on_exec(fresh);
  if (!error) fresh.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) fresh.bind(endpoint, error);
  if (!error) fresh.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) return error;
  acceptor = std::move(fresh);
  accept();
  return {};
}
// NOLINTEND(bugprone-unused-return-value)

void Server::Impl::unlisten() {
  pause.reset();
  acceptor.reset();
  ++generation;
}

void Server::Impl::accept() {
  Loop& loop = *loops[next_loop++ % loops.size()];
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): listen() made it
  acceptor->async_accept(
      loop.io(), [this, &loop, accepted_by = generation](const error_code& error, tcp::socket socket) {
        if (accepted_by != generation) return;
        if (error) {
          pause.emplace(loops.front()->io(), kAcceptPause);
          insist([&] {
            pause->async_wait([this, accepted_by](const error_code& canceled) {
              if (!canceled && accepted_by == generation) insist([this] { accept(); });
            });
          });
          return;
        }
        insist([this] { accept(); });  // first: the rest may fail for want of memory
        if (!has_room()) return;
        close_on_exec(socket);
        auto connection = std::make_shared<Connection>(loop, std::move(socket), tls ? &*tls : nullptr);
        boost::asio::dispatch(loop.io(), [&loop, connection]() mutable { loop.add(std::move(connection)); });
      });
}

// Those that another loop is about to add are not counted yet: a few too many do no harm.
bool Server::Impl::has_room() {
  if (count.get() < most_connections) return true;
  if (!std::exchange(told_of_most, true)) {
    log(LogLevel::Warning, "a listener has as many connections as it may, further ones are closed",
        {{"port", std::to_string(endpoint.port())}, {"connections", std::to_string(most_connections)}});
  }
  return false;
}

bool Server::Impl::in_own_thread() const {
  return std::ranges::any_of(loops, [](const auto& loop) { return loop.get() == Loop::current(); });
}

// A thread of ours must not wait for the lock: stop() may hold it and wait for the thread.
template <class Function>
void Server::Impl::while_loops_run(Function&& function) {
  if (in_own_thread()) return function();
  std::lock_guard lock(loops_mutex);
  if (!loops_ended) function();
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler handler) {
  auto impl = std::make_unique<Impl>();
  ServerContext& context = impl->context;
  context.options = std::move(options);
  context.handler = std::move(handler);
  context.tick = tick_length(context.options);
  impl->most_connections = connection_limit(context.options);
  if (!context.options.certificate.empty()) {
    auto tls = make_server_tls(context.options);
    if (!tls) return tls.error();
    impl->tls.emplace(tls->release());
  }
  const std::size_t threads = std::max<std::size_t>(context.options.threads, 1);
  impl->loops.reserve(threads);
  try {
    while (impl->loops.size() < threads) {
      impl->loops.push_back(std::make_unique<Loop>(context, impl->count, impl->loops.size()));
    }
  } catch (const std::exception& e) {  // no thread or no descriptor
    const Error error = Error::config(std::string("an I/O thread cannot be started: ") + e.what());
    if (impl->loops.empty()) return error;
    report_error(error.with_context("fewer will serve"), "httpd");
  }
  Impl& raw = *impl;
  std::unique_ptr<Server> server(new Server(std::move(impl)));
  Result<void> bound = Error::config("listen: out of memory");
  raw.loops.front()->run([&] { bound = raw.bind(); });
  if (!bound) return bound.error();
  return server;
}

Server::~Server() {
  stop();
}

std::uint16_t Server::port() const noexcept {
  return impl_->endpoint.port();
}

void Server::stop(Duration grace) {
  if (impl_->in_own_thread()) throw std::logic_error("httpd::Server stopped from its own I/O thread");
  std::lock_guard lock(impl_->stop_mutex);
  if (std::exchange(impl_->stopped, true)) return;
  Impl& impl = *impl_;
  impl.loops.front()->run([&impl] {
    impl.unlisten();
    impl.reservation.reset();
  });
  if (grace > Duration::zero()) {
    for (const auto& loop : impl.loops) loop->drain();
    impl.count.wait_for_none(grace);
  }
  std::lock_guard ending(impl.loops_mutex);
  impl.loops_ended = true;
  for (const auto& loop : impl.loops) loop->finish();
}

void Server::drop_connections() {
  impl_->while_loops_run([this] {
    for (const auto& loop : impl_->loops) loop->close_all();
  });
}

void Server::set_accepting(bool accepting) {
  Impl& impl = *impl_;
  impl.while_loops_run([&impl, accepting] {
    impl.loops.front()->run([&impl, accepting] {
      if (!accepting) return impl.unlisten();
      if (impl.acceptor || !impl.reservation) return;
      if (const error_code error = impl.listen()) report_error(listen_error(impl.context.options, error), "httpd");
    });
  });
}

std::size_t Server::connections() const {
  return impl_->count.get();
}

}  // namespace kubexx::httpd
