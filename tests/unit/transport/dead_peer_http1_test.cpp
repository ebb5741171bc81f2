#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <list>

#include "unit/transport/support/fixture.hpp"

namespace kubexx::transport::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kQuietWatch = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
constexpr const char* kPong = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// What a connection says: "hello" and then nothing to a GET, an empty answer to anything else.
void answer(Peer& peer, std::atomic<int>* probes = nullptr) {
  const std::string request = peer.read_request();
  const bool probe = request.starts_with("OPTIONS * ");
  if (probe && probes) ++*probes;
  peer.write(probe ? kPong : kQuietWatch);
}

/// An HTTP/1.1 server in a process of its own, which can be stopped while its kernel goes on acknowledging.
class Http1ServerProcess {
 public:
  Http1ServerProcess() {
    pid_ = fork();
    if (pid_ == 0) {
      std::list<Peer> open;
      for (int fd = listener_.accept(); fd >= 0; fd = listener_.accept()) answer(open.emplace_back(fd));
      _exit(0);
    }
  }
  ~Http1ServerProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  void stop() { kill(pid_, SIGSTOP); }
  void resume() { kill(pid_, SIGCONT); }
  std::string url() const { return "http://" + listener_.address() + "/"; }

 private:
  Listener listener_;
  pid_t pid_;
};

TransportOptions probing(Duration idle, Duration patience) {
  TransportOptions options;
  options.proxy_url = "none";
  options.metrics = std::make_shared<MetricsRegistry>();
  options.read_idle = idle;
  options.ping_timeout = patience;
  return options;
}

TEST(DeadHttp1PeerTest, AStoppedServerProcessEndsItsSilentAnswersAsDead) {
  Http1ServerProcess server;
  const TransportOptions options = probing(300ms, 200ms);
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
  const std::string exposed = options.metrics->expose();
  EXPECT_NE(exposed.find("kubexx_transport_dead_connections_total 2\n"), std::string::npos) << exposed;
}

TEST(DeadHttp1PeerTest, AServerThatIsStoppedForAMomentOnlyIsNotDead) {
  Http1ServerProcess server;
  auto client = make_transport(probing(50ms, 5s));
  Pending watch(*client, get(server.url()));
  ASSERT_TRUE(watch->await_bytes(5));
  Pending beside(*client, get(server.url()));
  ASSERT_TRUE(beside->await_bytes(5));

  server.stop();
  EXPECT_FALSE(watch->await_end(1s));
  server.resume();

  Pending another(*client, get(server.url()));
  EXPECT_TRUE(another->await_bytes(5));
  EXPECT_FALSE(watch->ended());
}

TEST(DeadHttp1PeerTest, ASilentButHealthyServerIsAskedAndNeverCut) {
  std::atomic<int> probes{0};
  SocketServer server([&](Peer& peer) {
    answer(peer, &probes);
    char byte = 0;
    peer.read(&byte, 1);
  });
  auto client = make_transport(probing(20ms, 2s));
  Pending watch(*client, get(server.url()));
  ASSERT_TRUE(watch->await_bytes(5));

  // A busy machine gets more seconds for them.
  for (int second = 0; second < 1 || (second < 30 && probes <= 5); ++second) ASSERT_FALSE(watch->await_end(1s));

  EXPECT_GT(probes, 5);
}

TEST(DeadHttp1PeerTest, AServerOfOneConnectionAtATimeIsNotTakenForAStoppedOne) {
  std::mutex one_at_a_time;
  SocketServer server([&](Peer& peer) {
    std::lock_guard lock(one_at_a_time);
    answer(peer);
    char byte = 0;
    peer.read(&byte, 1);
  });
  auto client = make_transport(probing(50ms, 50ms));
  Pending watch(*client, get(server.url()));
  ASSERT_TRUE(watch->await_bytes(5));

  const auto too_few = [&] { return server.connections() <= 2; };
  for (int second = 0; second < 1 || (second < 30 && too_few()); ++second) ASSERT_FALSE(watch->await_end(1s));
  EXPECT_GT(server.connections(), 2);
}

TEST(DeadHttp1PeerTest, AServerThatTakesNoNewConnectionsKeepsTheOldOnes) {
  Listener listener;
  auto client = make_transport(probing(1s, 300ms));
  Pending watch(*client, get("http://" + listener.address() + "/"));
  Peer first(listener.accept());
  answer(first);
  ASSERT_TRUE(watch->await_bytes(5));
  Pending beside(*client, get("http://" + listener.address() + "/"));
  Peer second(listener.accept());
  answer(second);
  ASSERT_TRUE(beside->await_bytes(5));

  listener.shut_down();

  EXPECT_FALSE(watch->await_end(2s));
  EXPECT_FALSE(beside->ended());
}

TEST(DeadHttp1PeerTest, APausedReaderIsNoSilence) {
  Http1ServerProcess server;
  auto client = make_transport(probing(300ms, 300ms));
  Pending beside(*client, get(server.url()));
  ASSERT_TRUE(beside->await_bytes(5));
  Pending watch;
  watch->pause_at(0);
  watch.exchange = client->send(get(server.url()), watch.sink);
  ASSERT_TRUE(watch->await_bytes(5));

  server.stop();

  ASSERT_TRUE(beside->await_end());
  EXPECT_FALSE(watch->await_end(1s));
  watch->pause_at(1000);
  watch.exchange->resume();
  ASSERT_TRUE(watch->await_end());
  EXPECT_EQ(watch->error()->transport_failure(), TransportFailure::Dead);
}

TEST(DeadHttp1PeerTest, ZeroSwitchesProbingOff) {
  SocketServer server([&](Peer& peer) {
    answer(peer);
    char byte = 0;
    peer.read(&byte, 1);
  });
  auto client = make_transport(probing(Duration::zero(), 50ms));
  Pending watch(*client, get(server.url()));
  ASSERT_TRUE(watch->await_bytes(5));

  EXPECT_FALSE(watch->await_end(1s));
  EXPECT_EQ(server.connections(), 1);
}

}  // namespace
}  // namespace kubexx::transport::test
