#include "transport/pool.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/internal/insist.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::transport {
namespace {

constexpr int kMaxAttempts = 5;
// A server that did not offer HTTP/2 is asked again after this long: it may have been replaced by one that does.
constexpr Duration kHttp1Memory = std::chrono::minutes(5);

}  // namespace

Pool::Pool(EventLoop& loop, const TransportOptions& options, ProxyRules proxies, TlsSource tls)
    : loop_(&loop),
      options_(&options),
      proxies_(std::move(proxies)),
      tls_(std::move(tls)),
      tls_in_use_(tls_.current()),
      metrics_(options.metrics),
      multi_(loop),
      watchdog_(multi_, options, [this](const Target& target) { return endpoint(target); }) {}

Pool::~Pool() = default;

void Pool::start(std::shared_ptr<Call> call) {
  if (ended_) return call->end(ended_);
  try {
    calls_.insert(call);
  } catch (const std::bad_alloc&) {
    return call->end(lacks_memory_);  // nobody else knows of it
  }
  try {
    begin(call);
  } catch (...) {
    detach(*call);
    finished(call, Error::transport(TransportFailure::Other, current_exception_as_error().message()));
  }
}

void Pool::begin(const std::shared_ptr<Call>& call) {
  metrics_.calls.add();
  auto target = parse_target(call->request().url);
  auto checked = check_request(call->request());
  if (!target) return finished(call, target.error());
  if (!checked) return finished(call, checked.error());
  call->target = *target;
  call->accepts_gzip =
      options_->compression && !call->request().live && !call->request().headers.find("accept-encoding");
  if (const auto timeout = call->request().timeout) {
    call->deadline = loop_->at(loop_->now() + *timeout, [this, call] {
      call->deadline.reset();
      detach(*call);
      finished(call, Error::timeout(call->target.address() + ": no complete answer in time"));
    });
  }
  place(call);
}

void Pool::place(const std::shared_ptr<Call>& call) {
  supersede(tls_.current());
  if (!call->target.tls() || !options_->http2) return place_on_http1(call);
  Origin& origin = origins_[call->target.origin()];
  if (origin.http1_until && *origin.http1_until > loop_->now()) return place_on_http1(call);
  origin.waiting.push_back(call);
  serve(origin);
}

// Gives waiting calls to connections with room and dials as many connections as the rest needs.
void Pool::serve(Origin& origin) {
  std::vector<std::pair<std::shared_ptr<Call>, Error>> kept_back;
  std::erase_if(origin.waiting, [&](const std::shared_ptr<Call>& call) {
    const auto closed = call->request().gate ? call->request().gate->closed() : std::nullopt;
    if (closed) kept_back.emplace_back(call, *closed);
    return closed.has_value();
  });
  for (auto& [call, error] : kept_back) finished(call, error);
  for (std::size_t i = 0; i < origin.connections.size() && !origin.waiting.empty(); ++i) {
    // A connection that breaks while it takes a call leaves the list.
    while (!origin.waiting.empty() && i < origin.connections.size() && origin.connections[i]->has_room()) {
      auto call = origin.waiting.front();
      origin.waiting.pop_front();
      origin.connections[i]->carry(std::move(call));
    }
  }
  if (origin.waiting.empty()) {
    origin.dials.clear();
    return;
  }
  if (!origin.connections.empty()) origin.stream_limit = origin.connections.back()->stream_limit();
  std::size_t limit = limit_of(origin);
  // One connection tells whether the server speaks HTTP/2 at all; more only after that.
  std::size_t needed = origin.speaks_http2 ? (origin.waiting.size() + limit - 1) / limit : 1;
  const Target target = origin.waiting.front()->target;
  while (origin.dials.size() < needed) dial(origin, target);
}

std::size_t Pool::limit_of(const Origin& origin) const {
  return std::max<std::size_t>(origin.stream_limit.value_or(options_->max_streams_per_connection), 1);
}

void Pool::dial(Origin& origin, const Target& target) {
  origin.dials.push_back(std::make_unique<Dial>(
      multi_, endpoint(target),
      [this, &origin](Dial& dial, std::optional<Error> error) { dialed(origin, dial, std::move(error)); }));
}

void Pool::dialed(Origin& origin, Dial& dial, std::optional<Error> error) {
  auto found =
      std::find_if(origin.dials.begin(), origin.dials.end(), [&](auto& other) { return other.get() == &dial; });
  std::unique_ptr<Dial> made = std::move(*found);
  origin.dials.erase(found);
  if (error) {
    // The dial is in libcurl's hands until this returned.
    auto waiting = std::exchange(origin.waiting, {});
    origin.dials.clear();
    for (auto& call : waiting) finished(call, error);
    return;
  }
  if (!made->speaks_http2()) {
    origin.http1_until = loop_->now() + kHttp1Memory;
    origin.speaks_http2 = false;
    auto waiting = std::exchange(origin.waiting, {});
    origin.dials.clear();
    for (auto& call : waiting) place_on_http1(call);
    return;
  }
  metrics_.http2_connections.add();
  origin.speaks_http2 = true;
  origin.http1_until.reset();
  origin.connections.push_back(std::make_unique<Http2Connection>(*loop_, std::move(made), *this, limit_of(origin)));
  serve(origin);
}

void Pool::place_on_http1(const std::shared_ptr<Call>& call) {
  auto transfer = std::make_unique<Http1Transfer>(multi_, endpoint(call->target), call, *this, watchdog_);
  auto* const carrier = transfer.get();
  transfers_.emplace(carrier, std::move(transfer));
  call->carrier = carrier;
}

Endpoint Pool::endpoint(const Target& target) {
  return {target, options_->unix_socket.empty() ? proxies_.proxy_for(target) : std::string(), tls_in_use_, options_};
}

// Connections made with replaced certificates serve the calls they have and take no new ones.
void Pool::supersede(const std::shared_ptr<const TlsMaterial>& current) {
  if (current == tls_in_use_) return;
  tls_in_use_ = current;
  for (auto& [name, origin] : origins_) {
    for (std::size_t i = origin.connections.size(); i-- > 0;) origin.connections[i]->drain();
  }
}

void Pool::replace_client_certificate(std::string certificate, std::string key) {
  tls_.replace_client(std::move(certificate), std::move(key));
  supersede(tls_.current());
}

void Pool::cancel(const std::shared_ptr<Call>& call) {
  if (!calls_.contains(call)) return;
  detach(*call);
  if (const auto deadline = call->deadline) loop_->cancel(*deadline);
  calls_.erase(call);
}

// Takes a call from whatever carries it, without an end.
void Pool::detach(Call& call) {
  if (Carrier* carrier = std::exchange(call.carrier, nullptr)) return carrier->drop(call);
  auto origin = origins_.find(call.target.origin());
  if (origin == origins_.end()) return;
  auto erased = std::erase_if(origin->second.waiting, [&](const auto& other) { return other.get() == &call; });
  if (erased != 0 && origin->second.waiting.empty()) origin->second.dials.clear();
}

void Pool::resume(const std::shared_ptr<Call>& call) {
  if (!calls_.contains(call)) return;
  std::size_t taken = call->resume();
  if (call->carrier) {
    call->carrier->resumed(*call, taken);
  } else if (call->ended()) {
    calls_.erase(call);
  }
}

void Pool::finished(std::shared_ptr<Call> call, std::optional<Error> error) {
  call->carrier = nullptr;
  if (const auto deadline = std::exchange(call->deadline, std::nullopt)) loop_->cancel(*deadline);
  call->end(std::move(error));
  if (call->ended()) calls_.erase(call);
  if (auto origin = origins_.find(call->target.origin()); origin != origins_.end() && !origin->second.waiting.empty()) {
    serve(origin->second);
  }
}

void Pool::refused(std::shared_ptr<Call> call, Error error) {
  if (++call->attempts >= kMaxAttempts) return finished(std::move(call), std::move(error));
  place(call);
}

void Pool::retire(Carrier& carrier) {
  if (auto transfer = transfers_.find(&carrier); transfer != transfers_.end()) {
    metrics_.http1_connections.add(transfer->second->connections_made());
    if (transfer->second->found_dead()) metrics_.dead_connections.add();
    transfers_.erase(transfer);
    return;
  }
  for (auto& [name, origin] : origins_) {
    auto found = std::find_if(origin.connections.begin(), origin.connections.end(),
                              [&](auto& connection) { return connection.get() == &carrier; });
    if (found == origin.connections.end()) continue;
    if ((*found)->found_dead()) metrics_.dead_connections.add();
    insist([&] { retired_.push_back(std::move(*found)); });  // it is still at work
    origin.connections.erase(found);
    loop_->defer([this] { retired_.clear(); });
    return;
  }
}

void Pool::end_all(const Error& error) {
  ended_ = error;
  end_calls(error);
}

void Pool::end_calls(const Error& error) {
  auto calls = std::exchange(calls_, {});
  for (auto& call : calls) {
    call_isolated("transport", [&] { detach(*call); });
    call_isolated("transport", [&] { call->end(error); });
  }
}

/// Something was left in the middle: every call ends, and no connection is used again.
void Pool::start_over(const Error& error) {
  end_calls(error);
  for (auto& [name, origin] : origins_) {
    origin.waiting.clear();
    origin.dials.clear();
    for (std::size_t i = origin.connections.size(); i-- > 0;) {
      call_isolated("transport", [&connection = *origin.connections[i]] { connection.drain(); });
    }
  }
}

}  // namespace kubexx::transport
