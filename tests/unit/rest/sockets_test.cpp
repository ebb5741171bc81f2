#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kubexx/rest/client.hpp"
#include "support/function_sink.hpp"
#include "unit/base/wait.hpp"
#include "unit/transport/support/fixture.hpp"

namespace kubexx::rest {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using transport::test::answering;
using transport::test::Peer;
using transport::test::SocketServer;
using transport::test::stops_in_time;

constexpr const char* kPodA = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})";

std::string answer(const std::string& head, const std::string& body) {
  return "HTTP/1.1 " + head + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// A client of a server that misbehaves, over a real socket.
class SocketsTest : public testing::Test {
 protected:
  static Client client_of(const SocketServer& server) {
    Config config;
    config.host = server.url("");
    config.bearer_token = "fake-token";
    config.allow_insecure_credentials = true;
    ClientOptions options;
    options.metrics = std::make_shared<MetricsRegistry>();
    return Client::create(config, options).value();
  }
  static Request get_pod() {
    Request request;
    request.path = {{"", "v1", "pods"}, "ns", "a", ""};
    return request;
  }
};

TEST_F(SocketsTest, ARedirectIsAnErrorAndNobodyElseSeesTheToken) {
  SocketServer elsewhere(answering(answer("200 OK", kPodA)));
  SocketServer server(answering(answer("307 Temporary Redirect\r\nLocation: " + elsewhere.url("/x"), "")));

  const auto got = client_of(server).send(get_pod());

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), 307);
  EXPECT_EQ(elsewhere.connections(), 0);
}

TEST_F(SocketsTest, TooManyRequestsIsRetriedWhenTheServerSaysWhenAndAnErrorElse) {
  std::atomic<int> asked = 0;
  SocketServer polite([&](Peer& peer) {
    while (!peer.read_request().empty()) {
      peer.write(++asked == 1 ? answer("429 Too Many Requests\r\nRetry-After: 0", "slow down")
                              : answer("200 OK\r\nContent-Type: application/json", kPodA));
    }
  });
  EXPECT_TRUE(client_of(polite).send(get_pod()));
  EXPECT_EQ(asked, 2);

  SocketServer curt(answering(answer("429 Too Many Requests", "slow down")));
  const auto refused = client_of(curt).send(get_pod());
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is_too_many_requests());
}

TEST_F(SocketsTest, AnAnswerOfTwoGigabytesIsCutOff) {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    if (!peer.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2147483648\r\n\r\n")) return;
    const std::string piece(1 << 20, ' ');
    for (int i = 0; i < 2048 && peer.write(piece); ++i) {
    }
  });

  const auto got = client_of(server).send(get_pod());

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().transport_failure(), TransportFailure::TooLarge);
}

TEST_F(SocketsTest, AnErrorWithoutEndIsTheErrorAllTheSame) {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    if (!peer.write("HTTP/1.1 500 Oh\r\nContent-Type: text/plain\r\n\r\n")) return;
    const std::string piece(64 << 10, 'x');
    while (peer.write(piece)) {
    }
  });

  const auto got = client_of(server).send(get_pod());

  ASSERT_FALSE(got);
  EXPECT_TRUE(got.error().is_internal());
}

TEST_F(SocketsTest, AnAnswerThatIsNoHttpIsADecodeError) {
  SocketServer server(transport::test::answering_once("SSH-2.0-OpenSSH_9.2\r\n"));
  const auto got = client_of(server).send(get_pod());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind(), ErrorKind::Decode) << got.error();
}

TEST_F(SocketsTest, AServerThatNeverAnswersIsATimeoutOrEndsWithStop) {
  test::Count asked;  // for what is stopped: what is late may never have been sent
  SocketServer server([&](Peer& peer) {
    if (peer.read_request().find("/pods/stopped") != std::string::npos) asked.add();
    peer.readable(10'000);
  });
  const auto client = client_of(server);
  EXPECT_TRUE(client.send(get_pod(), {{}, milliseconds(50)}).error().is_timeout());

  const auto in_time = stops_in_time([&, attempt = 0]() mutable {
    std::stop_source stop;
    TimePoint stopped{};
    std::jthread stopper([&, nth = ++attempt] {
      EXPECT_TRUE(asked.reaches(nth));
      stopped = Clock::system().now();
      stop.request_stop();
    });
    auto request = get_pod();
    request.path.name = "stopped";
    const auto got = client.send(request, {stop.get_token(), {}});
    const TimePoint returned = Clock::system().now();
    stopper.join();
    EXPECT_TRUE(got.error().is_canceled());
    return returned - stopped;
  });
  EXPECT_TRUE(in_time);
  const auto ceiling = Clock::system().now() + seconds(30);
  while (server.open() != 0 && Clock::system().now() < ceiling) std::this_thread::yield();
  EXPECT_EQ(server.open(), 0);
}

TEST_F(SocketsTest, AWatchCutInsideAnEventGivesTheWholeOnesAndALostConnection) {
  const std::string one = R"({"type":"ADDED","object":)" + std::string(kPodA) + "}\n";
  SocketServer server([&](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    const auto text = one + one.substr(0, 30);
    for (const char byte : text) peer.write("1\r\n" + std::string(1, byte) + "\r\n");
  });
  const auto client = client_of(server);
  const Strand strand(client.executor());
  test::Count ended;
  std::vector<std::string> seen;
  std::optional<Error> end;
  std::unique_ptr<meta::Call> watch;
  strand.post([&] {
    watch = client.watch(
        {{"", "v1", "pods"}, "", "", ""}, {}, {}, strand,
        make_sink({.on_event = [&](const meta::WatchEvent& event) { seen.emplace_back(event.object.name()); },
                   .on_end =
                       [&](const Result<meta::ListMeta>& result) {
                         if (!result) end = result.error();
                         ended.add();
                       }}));
  });

  ASSERT_TRUE(ended.reaches(1));
  EXPECT_THAT(seen, ElementsAre("a"));
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->is_connection_lost()) << *end;
  test::Count gone;
  strand.post([&] {
    watch.reset();
    gone.add();
  });
  ASSERT_TRUE(gone.reaches(1));
}

TEST_F(SocketsTest, AListWhoseItemNeverEndsIsADecodeErrorInBoundedMemory) {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
    if (!peer.write(R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"x":")")) return;
    const std::string piece(1 << 20, 'x');
    while (peer.write(piece)) {
    }
  });
  const auto client = client_of(server);
  const Strand strand(client.executor());
  test::Count ended;
  std::optional<Error> end;
  std::unique_ptr<meta::Call> list;
  strand.post([&] {
    list = client.list({{"", "v1", "pods"}, "", "", ""}, {}, {}, strand,
                       make_sink({.on_end = [&](const Result<meta::ListMeta>& result) {
                         if (!result) end = result.error();
                         ended.add();
                       }}));
  });

  ASSERT_TRUE(ended.reaches(1));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind(), ErrorKind::Decode) << *end;
  test::Count gone;
  strand.post([&] {
    list.reset();
    gone.add();
  });
  ASSERT_TRUE(gone.reaches(1));
}

}  // namespace
}  // namespace kubexx::rest
