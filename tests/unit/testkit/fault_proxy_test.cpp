#include "kubexx/testkit/fault_proxy.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <future>

#include "kubexx/base/result.hpp"
#include "unit/transport/support/socket_server.hpp"

namespace kubexx::testkit {
namespace {

using std::chrono::milliseconds;
using transport::test::Peer;
using transport::test::SocketServer;

/// Sends back what it gets.
void echo(Peer& peer) {
  char buffer[4096];
  for (ssize_t count = 0; (count = peer.read(buffer, sizeof buffer)) > 0;)
    if (!peer.write({buffer, static_cast<std::size_t>(count)})) return;
}

/// A client of the proxy; waits at most ten seconds for anything.
class Line {
 public:
  explicit Line(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    error_ = connected_ ? 0 : errno;
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() { ::close(fd_); }

  bool connected() const { return connected_; }
  int error() const { return error_; }  ///< of connecting, or of the last read
  void send(std::string_view bytes) const { static_cast<void>(!::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL)); }
  void close_sending() const { ::shutdown(fd_, SHUT_WR); }
  /// So many bytes, fewer when the connection ends first.
  std::string read(std::size_t size) {
    std::string out;
    while (out.size() < size) {
      char buffer[4096];
      if (!readable(10'000)) return out + "(nothing came)";
      const auto count = ::recv(fd_, buffer, std::min(sizeof buffer, size - out.size()), 0);
      error_ = count < 0 ? errno : 0;
      if (count <= 0) return out;
      out.append(buffer, static_cast<std::size_t>(count));
    }
    return out;
  }
  bool readable(int ms) const {
    pollfd waiting{fd_, POLLIN, 0};
    return ::poll(&waiting, 1, ms) > 0;
  }

 private:
  int fd_;
  bool connected_ = false;
  int error_ = 0;
};

class FaultProxyTest : public ::testing::Test {
 protected:
  SocketServer server_{echo};
  FaultProxy proxy_{"127.0.0.1", static_cast<std::uint16_t>(server_.port())};
};

TEST_F(FaultProxyTest, BytesPassUnchangedInBothDirectionsAndSoDoesTheEnd) {
  Line line(proxy_.port());
  std::string sent;
  for (int i = 0; i < 1'000'000; ++i) sent += static_cast<char>(i * 7);

  auto writer = std::async(std::launch::async, [&] {
    for (std::size_t at = 0; at < sent.size(); at += 50'000) line.send(std::string_view(sent).substr(at, 50'000));
    line.close_sending();
  });

  EXPECT_TRUE(line.read(sent.size()) == sent);
  EXPECT_EQ(line.read(1), "");
  EXPECT_EQ(line.error(), 0);
  writer.get();
}

TEST_F(FaultProxyTest, CuttingResetsEveryOpenConnectionAndNewOnesLive) {
  Line first(proxy_.port());
  Line second(proxy_.port());
  first.send("x");
  second.send("y");
  ASSERT_EQ(first.read(1) + second.read(1), "xy");
  ASSERT_EQ(proxy_.open(), 2U);

  proxy_.cut();

  EXPECT_EQ(proxy_.open(), 0U);
  EXPECT_EQ(first.read(1) + second.read(1), "");
  EXPECT_EQ(first.error(), ECONNRESET);
  Line third(proxy_.port());
  third.send("z");
  EXPECT_EQ(third.read(1), "z");
  EXPECT_EQ(proxy_.accepted(), 3U);
}

TEST_F(FaultProxyTest, ACutAfterSomeBytesDeliversTheseAndNoMore) {
  Line line(proxy_.port());
  line.send("before");
  ASSERT_EQ(line.read(6), "before");

  proxy_.cut_after(4);
  line.send("0123456789");

  EXPECT_EQ(line.read(10), "0123");
}

TEST_F(FaultProxyTest, ALimitOfEachConnectionHoldsUntilItIsLifted) {
  auto outage = proxy_.cut_each_after(2);
  for (int i = 0; i < 2; ++i) {
    Line line(proxy_.port());
    line.send("abc");
    EXPECT_EQ(line.read(3), "ab");
  }

  outage.end();

  Line line(proxy_.port());
  line.send("abc");
  EXPECT_EQ(line.read(3), "abc");
}

TEST_F(FaultProxyTest, AStalledProxyKeepsConnectionsAndDeliversLater) {
  Line line(proxy_.port());
  line.send("a");
  ASSERT_EQ(line.read(1), "a");

  auto outage = proxy_.stall();
  line.send("b");
  Line late(proxy_.port());
  late.send("c");

  EXPECT_TRUE(late.connected());
  EXPECT_FALSE(line.readable(50));
  EXPECT_FALSE(late.readable(50));
  outage.end();
  EXPECT_EQ(line.read(1), "b");
  EXPECT_EQ(late.read(1), "c");
}

TEST_F(FaultProxyTest, WhileItRefusesNobodyListensAndAfterwardsItIsTheSamePort) {
  Line line(proxy_.port());
  line.send("a");
  ASSERT_EQ(line.read(1), "a");
  auto first = proxy_.refuse();
  auto second = proxy_.refuse();

  EXPECT_EQ(line.read(1), "");
  first.end();
  EXPECT_EQ(Line(proxy_.port()).error(), ECONNREFUSED);
  second.end();

  Line again(proxy_.port());
  again.send("b");
  EXPECT_EQ(again.read(1), "b");
}

TEST_F(FaultProxyTest, DelayedBytesArriveLateAndInOrder) {
  Line line(proxy_.port());
  const auto start = Clock::system().now();
  {
    const auto outage = proxy_.delay(milliseconds(60));
    line.send("ab");
    ASSERT_EQ(line.read(2), "ab");
    EXPECT_GE(Clock::system().now() - start, milliseconds(120));
    line.send("cd");
  }
  line.send("ef");

  EXPECT_EQ(line.read(4), "cdef");
}

TEST_F(FaultProxyTest, AServerThatIsNotThereShowsAsAReset) {
  std::uint16_t unused = 0;
  {
    unused = static_cast<std::uint16_t>(transport::test::Listener().port());
  }
  FaultProxy proxy("127.0.0.1", unused);
  Line line(proxy.port());

  EXPECT_TRUE(line.connected());
  EXPECT_EQ(line.read(1), "");
}

TEST(FaultProxyConfigTest, TheConfigurationLeadsThroughTheProxyAndKeepsTheServersName) {
  const transport::test::Listener listener;
  rest::Config config;
  config.host = "https://localhost:" + std::to_string(listener.port()) + "/base";

  const FaultProxy proxy(config);

  EXPECT_EQ(proxy.config().host, "https://127.0.0.1:" + std::to_string(proxy.port()) + "/base");
  EXPECT_EQ(proxy.config().tls.server_name, "localhost");
}

TEST(FaultProxyConfigTest, AConfigurationWithoutAnAddressIsRefused) {
  rest::Config config;
  config.host = "https://:0";
  EXPECT_THROW(FaultProxy{config}, Exception);
}

}  // namespace
}  // namespace kubexx::testkit
