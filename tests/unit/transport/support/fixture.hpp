#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "kubexx/base/clock.hpp"
#include "kubexx/transport/http_transport.hpp"
#include "unit/transport/support/certificates.hpp"
#include "unit/transport/support/http2_peer.hpp"
#include "unit/transport/support/sink.hpp"
#include "unit/transport/support/socket_server.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KUBEXX_SANITIZED 1
#else
#define KUBEXX_SANITIZED 0
#endif

namespace kubexx::transport::test {

inline std::shared_ptr<HttpTransport> make_transport(TransportOptions options = {}) {
  return HttpTransport::create(std::move(options)).value();
}

/// Answers every HTTP/1.1 request of a connection with the same bytes.
inline SocketServer::Handler answering(std::string answer) {
  return [answer](Peer& peer) {
    while (!peer.read_request().empty()) {
      if (!peer.write(answer)) return;
    }
  };
}

/// Answers one request with these bytes, then closes.
inline SocketServer::Handler answering_once(std::string answer) {
  return [answer](Peer& peer) {
    if (!peer.read_request().empty()) peer.write(answer);
  };
}

/// An HTTP/2 server with a certificate for 127.0.0.1 and options of a client that trusts it.
struct Http2Server {
  explicit Http2Server(Http2Options behaviour_) : behaviour(std::move(behaviour_)) {}

  TransportOptions options() const {
    TransportOptions result;
    result.tls.ca_data = authority.pem();
    return result;
  }
  std::string url(const std::string& path = "/") const { return server.url(path); }

  Authority authority;
  Http2Options behaviour;
  SocketServer server{[this](Peer& peer) { serve_http2(peer, behaviour); },
                      ServerTls{authority.issue({"127.0.0.1"}), "", "h2,http/1.1"}};
};

inline Http2Options replying(std::function<Http2Reply(const Http2Request&)> answer) {
  Http2Options options;
  options.answer = std::move(answer);
  return options;
}

/// How long something takes.
template <class F>
Duration measured(F&& action) {
  TimePoint before = Clock::system().now();
  action();
  return Clock::system().now() - before;
}

// A stopped call returns within 50 ms; a machine busy with sanitized builds gets more.
inline constexpr Duration kStopBound = std::chrono::milliseconds(KUBEXX_SANITIZED ? 500 : 50);

/// Whether something stops within kStopBound; `attempt` says how long it took. The quickest of a few counts: others may
/// have the processors during any one of them, but what waits for something else waits for it every time.
template <class Attempt>
testing::AssertionResult stops_in_time(Attempt&& attempt) {
  Duration quickest = Duration::max();
  for (int i = 0; i < 5 && quickest >= kStopBound; ++i) quickest = std::min<Duration>(quickest, attempt());
  if (quickest < kStopBound) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the quickest took " << quickest / std::chrono::milliseconds(1) << " ms";
}

}  // namespace kubexx::transport::test
