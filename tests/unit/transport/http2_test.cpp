#include <gtest/gtest.h>

#include "kubexx/transport/http_transport.hpp"
#include "unit/transport/support/http2_peer.hpp"
#include "unit/transport/support/sink.hpp"
#include "unit/transport/support/socket_server.hpp"

namespace kubexx::transport::test {
namespace {

TEST(Http2Test, HandsOnStatusHeadersAndBody) {
  Authority authority;
  Http2Options behaviour;
  behaviour.answer = [](const Http2Request& request) {
    Http2Reply reply;
    reply.headers = {{"x-thing", request.path}};
    reply.body = "hello";
    return reply;
  };
  SocketServer server([&](Peer& peer) { serve_http2(peer, behaviour); },
                      ServerTls{authority.issue({"127.0.0.1"}), "", "h2,http/1.1"});
  TransportOptions options;
  options.tls.ca_data = authority.pem();
  auto client = HttpTransport::create(options).value();

  auto answer = exchange(*client, get(server.url("/api?x=1")));

  EXPECT_FALSE(answer->error()) << *answer->error();
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->body(), "hello");
  ASSERT_TRUE(answer->headers().find("x-thing"));
  EXPECT_EQ(*answer->headers().find("X-THING"), "/api?x=1");
}

}  // namespace
}  // namespace kubexx::transport::test
