#include <gtest/gtest.h>

#include "kubexx/transport/http_transport.hpp"
#include "unit/transport/support/sink.hpp"
#include "unit/transport/support/socket_server.hpp"

namespace kubexx::transport::test {
namespace {

std::shared_ptr<HttpTransport> transport(TransportOptions options = {}) {
  return HttpTransport::create(std::move(options)).value();
}

SocketServer::Handler answering(std::string answer) {
  return [answer](Peer& peer) {
    while (!peer.read_request().empty()) {
      if (!peer.write(answer)) return;
    }
  };
}

TEST(Http1Test, HandsOnStatusHeadersAndBody) {
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Thing: a\r\n\r\nhello"));
  auto client = transport();

  auto answer = exchange(*client, get(server.url("/api?x=1")));

  EXPECT_FALSE(answer->error());
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->body(), "hello");
  ASSERT_TRUE(answer->headers().find("x-thing"));
  EXPECT_EQ(*answer->headers().find("X-THING"), "a");
}

}  // namespace
}  // namespace kubexx::transport::test
