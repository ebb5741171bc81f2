#include <gtest/gtest.h>

#include <atomic>

#include "unit/transport/support/fixture.hpp"

namespace kubexx::transport::test {
namespace {

/// Open for the first `opens` questions.
class CountedGate final : public SendGate {
 public:
  explicit CountedGate(int opens) : opens_(opens) {}
  std::optional<Error> closed() const override {
    if (++asked_ <= opens_) return std::nullopt;
    return Error::canceled("the gate is closed");
  }
  int asked() const { return asked_; }

 private:
  const int opens_;
  mutable std::atomic<int> asked_{0};
};

Request gated(std::string url, std::shared_ptr<const SendGate> gate) {
  auto request = get(std::move(url));
  request.method = "PUT";
  request.body = "x";
  request.gate = std::move(gate);
  return request;
}

TEST(SendGateTest, AClosedGateKeepsAnHttp1RequestBackAfterTheConnectionWasMade) {
  std::atomic<int> connections{0};
  std::atomic<int> requests{0};
  SocketServer server([&](Peer& peer) {
    ++connections;
    if (!peer.read_request().empty()) ++requests;
  });
  {
    auto client = make_transport();
    auto answer = exchange(*client, gated(server.url(), std::make_shared<CountedGate>(0)));

    ASSERT_TRUE(answer->error());
    EXPECT_TRUE(answer->error()->is_canceled());
    EXPECT_NE(answer->error()->message().find("the gate is closed"), std::string::npos);
  }
  EXPECT_EQ(requests, 0);
}

TEST(SendGateTest, AnOpenGateLetsAnHttp1RequestPass) {
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  auto client = make_transport();
  const auto gate = std::make_shared<CountedGate>(1);

  EXPECT_EQ(exchange(*client, gated(server.url(), gate))->body(), "ok");
  EXPECT_EQ(gate->asked(), 1);
}

TEST(SendGateTest, AGateThatClosesWhileTheConnectionIsMadeKeepsAnHttp2RequestBack) {
  std::atomic<int> requests{0};
  Http2Server server(replying([&](const Http2Request&) {
    ++requests;
    return Http2Reply{};
  }));
  auto client = make_transport(server.options());
  const auto gate = std::make_shared<CountedGate>(1);  // open when the call is placed, closed when it could be sent

  auto answer = exchange(*client, gated(server.url(), gate));

  ASSERT_TRUE(answer->error());
  EXPECT_TRUE(answer->error()->is_canceled());
  EXPECT_EQ(requests, 0);
}

}  // namespace
}  // namespace kubexx::transport::test
