#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/transport/support/fixture.hpp"

namespace kubexx::transport::test {
namespace {

using namespace std::chrono_literals;

Http2Options quiet_watch() {
  return replying([](const Http2Request&) {
    Http2Reply reply;
    reply.body = "hello";
    reply.open_end = true;
    return reply;
  });
}

/// An HTTP/2 server in a process of its own, which can be stopped while its kernel goes on acknowledging.
class ServerProcess {
 public:
  explicit ServerProcess(const ServerTls& tls) {
    ssl_ctx_st* context = make_server_context(tls);
    pid_ = fork();
    if (pid_ == 0) {
      Http2Options behaviour = quiet_watch();
      for (int fd = listener_.accept(); fd >= 0; fd = listener_.accept()) {
        Peer peer(fd);
        if (peer.secure(context)) serve_http2(peer, behaviour);
      }
      _exit(0);
    }
    free_server_context(context);
  }
  ~ServerProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  void stop() { kill(pid_, SIGSTOP); }
  void resume() { kill(pid_, SIGCONT); }
  std::string url() const { return "https://" + listener_.address() + "/"; }

 private:
  Listener listener_;
  pid_t pid_;
};

TEST(DeadPeerTest, AStoppedServerProcessEndsEveryStreamAsDead) {
  Authority authority;
  ServerProcess server(ServerTls{authority.issue({"127.0.0.1"}), "", "h2"});
  TransportOptions options;
  options.tls.ca_data = authority.pem();
  options.metrics = std::make_shared<MetricsRegistry>();
  options.read_idle = 300ms;
  options.ping_timeout = 200ms;
  auto client = make_transport(options);
  Pending first(*client, get(server.url()));
  ASSERT_TRUE(first->await_bytes(5));
  Pending second(*client, get(server.url()));
  ASSERT_TRUE(second->await_bytes(5));

  server.stop();
  Duration until_noticed = measured([&] { ASSERT_TRUE(first->await_end()); });

  ASSERT_TRUE(first->error());
  EXPECT_EQ(first->error()->transport_failure(), TransportFailure::Dead) << *first->error();
  EXPECT_TRUE(first->error()->is_connection_lost());
  EXPECT_LT(until_noticed, 5s);
  ASSERT_TRUE(second->await_end());
  EXPECT_EQ(second->error()->transport_failure(), TransportFailure::Dead);
  std::string exposed = options.metrics->expose();
  EXPECT_NE(exposed.find("kubexx_transport_dead_connections_total 1\n"), std::string::npos) << exposed;
  EXPECT_NE(exposed.find("kubexx_transport_connections_total{protocol=\"http2\"} 1\n"), std::string::npos) << exposed;
}

TEST(DeadPeerTest, AServerThatIsStoppedForAMomentOnlyIsNotDead) {
  Authority authority;
  ServerProcess server(ServerTls{authority.issue({"127.0.0.1"}), "", "h2"});
  TransportOptions options;
  options.tls.ca_data = authority.pem();
  options.read_idle = 50ms;
  options.ping_timeout = 5s;
  auto client = make_transport(options);
  Pending watch(*client, get(server.url()));
  ASSERT_TRUE(watch->await_bytes(5));

  server.stop();
  EXPECT_FALSE(watch->await_end(1s));
  server.resume();

  Pending another(*client, get(server.url()));
  EXPECT_TRUE(another->await_bytes(5));
  EXPECT_FALSE(watch->ended());
}

TEST(DeadPeerTest, ASilentButHealthyServerIsPingedAndNeverCut) {
  std::atomic<int> pings{0};
  Http2Options behaviour = quiet_watch();
  behaviour.pings = &pings;
  Http2Server server(behaviour);
  TransportOptions options = server.options();
  options.read_idle = 20ms;
  options.ping_timeout = 2s;
  auto client = make_transport(options);
  Pending watch(*client, get(server.url()));
  ASSERT_TRUE(watch->await_bytes(5));

  // A busy machine gets more seconds for them.
  for (int second = 0; second < 1 || (second < 30 && pings <= 5); ++second) ASSERT_FALSE(watch->await_end(1s));

  EXPECT_GT(pings, 5);
  EXPECT_EQ(server.server.connections(), 1);
}

TEST(DeadPeerTest, ZeroSwitchesProbingOff) {
  std::atomic<int> pings{0};
  Http2Options behaviour = quiet_watch();
  behaviour.pings = &pings;
  Http2Server server(behaviour);
  TransportOptions options = server.options();
  options.read_idle = Duration::zero();
  auto client = make_transport(options);
  Pending watch(*client, get(server.url()));
  ASSERT_TRUE(watch->await_bytes(5));

  EXPECT_FALSE(watch->await_end(1s));
  EXPECT_EQ(pings, 0);
}

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(EnvironmentTest, Http2CanBeSwitchedOff) {
  Variable off("DISABLE_HTTP2", "1");
  Authority authority;
  std::atomic<bool> http2{false};
  SocketServer server(
      [&](Peer& peer) {
        http2 = peer.http2();
        answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")(peer);
      },
      ServerTls{authority.issue({"127.0.0.1"}), "", "h2,http/1.1"});
  TransportOptions options;
  options.tls.ca_data = authority.pem();
  auto client = make_transport(options);

  EXPECT_EQ(exchange(*client, get(server.url()))->body(), "ok");
  EXPECT_FALSE(http2);
  EXPECT_EQ(server.connections(), 1);
}

TEST(EnvironmentTest, ProbingFollowsTheVariablesOfClientGo) {
  Variable idle("HTTP2_READ_IDLE_TIMEOUT_SECONDS", "1");
  Variable patience("HTTP2_PING_TIMEOUT_SECONDS", "not a number");
  std::atomic<int> pings{0};
  Http2Options behaviour = quiet_watch();
  behaviour.pings = &pings;
  Http2Server server(behaviour);
  auto client = make_transport(server.options());
  Pending watch(*client, get(server.url()));
  ASSERT_TRUE(watch->await_bytes(5));

  for (int turn = 0; turn < 1 || (turn < 15 && pings == 0); ++turn) ASSERT_FALSE(watch->await_end(2s));
  EXPECT_GE(pings, 1);
}

}  // namespace
}  // namespace kubexx::transport::test
