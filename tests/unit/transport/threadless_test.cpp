#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <stdexcept>
#include <thread>

#include "unit/transport/support/fixture.hpp"

namespace kubexx::transport::test {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<HttpTransport> make_threadless(TransportOptions options = {}) {
  options.threadless = true;
  return make_transport(std::move(options));
}

/// What a program's loop does, until done() or thirty seconds are over. How often it was woken.
template <class Done>
int turn_until(HttpTransport& transport, Done done) {
  const TimePoint ceiling = Clock::system().now() + 30s;
  int woken = 0;
  while (!done() && Clock::system().now() < ceiling) {
    pollfd waiting{transport.fd(), POLLIN, 0};
    if (::poll(&waiting, 1, 30'000) != 1) break;
    ++woken;
    transport.on_ready();
  }
  EXPECT_TRUE(done());
  return woken;
}

std::size_t threads_of_io() {
  std::size_t count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::ifstream(task.path() / "comm") >> name;
    if (name == "kxx-io") ++count;
  }
  return count;
}

TEST(ThreadlessTest, AnExchangeRunsInsideOnReadyAndNoThreadIsStarted) {
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
  const auto transport = make_threadless();
  Pending pending(*transport, get(server.url()));
  EXPECT_EQ(pending->status(), 0);

  turn_until(*transport, [&] { return pending->ended(); });

  EXPECT_EQ(pending->status(), 200);
  EXPECT_EQ(pending->body(), "hello");
  EXPECT_EQ(pending->misuse(), 0);
  EXPECT_EQ(threads_of_io(), 0U);
}

TEST(ThreadlessTest, SpeaksHttp2OverTls) {
  const Http2Server server(replying([](const Http2Request&) {
    Http2Reply reply;
    reply.body = "two";
    return reply;
  }));
  const auto transport = make_threadless(server.options());
  std::vector<Pending> all;
  for (int i = 0; i < 20; ++i) all.emplace_back(*transport, get(server.url()));

  turn_until(*transport,
             [&] { return std::all_of(all.begin(), all.end(), [](const Pending& each) { return each->ended(); }); });

  for (const Pending& each : all) EXPECT_EQ(each->body(), "two");
  EXPECT_EQ(server.server.connections(), 1);
}

TEST(ThreadlessTest, ATimeoutMakesItReadableInTimeWithoutBusyTurns) {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    peer.readable(10'000);
  });
  const auto transport = make_threadless();
  auto request = get(server.url());
  request.timeout = 200ms;
  const TimePoint before = Clock::system().now();
  Pending pending(*transport, request);
  transport->on_ready();
  ASSERT_TRUE(transport->deadline());
  EXPECT_LE(*transport->deadline(), Clock::system().now() + 200ms);

  const int woken = turn_until(*transport, [&] { return pending->ended(); });

  EXPECT_GE(Clock::system().now() - before, 200ms);
  ASSERT_TRUE(pending->error());
  EXPECT_TRUE(pending->error()->is_timeout());
  EXPECT_LE(woken, 60);  // libcurl has timers of its own while it connects
}

TEST(ThreadlessTest, SendingFromAnotherThreadMakesItReadable) {
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  const auto transport = make_threadless();
  const auto sink = std::make_shared<Collector>();
  std::unique_ptr<Exchange> exchange;
  std::jthread other([&] { exchange = transport->send(get(server.url()), sink); });

  turn_until(*transport, [&] { return sink->ended(); });

  EXPECT_EQ(sink->status(), 200);
}

TEST(ThreadlessTest, ACanceledExchangeHearsNothingMore) {
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
  const auto transport = make_threadless();
  Pending canceled(*transport, get(server.url()));
  transport->on_ready();
  canceled.exchange.reset();
  Pending other(*transport, get(server.url()));

  turn_until(*transport, [&] { return other->ended(); });

  EXPECT_EQ(canceled->status(), 0);
  EXPECT_FALSE(canceled->ended());
}

/// Destroys what it is given at its first call.
class Dropping final : public ResponseSink {
 public:
  void on_headers(int, const Headers&) override { drop(); }
  bool on_data(Buffer) override { return true; }
  void on_end(const Error* error) override {
    ended = true;
    if (error) canceled = error->is_canceled();
  }
  std::function<void()> drop;
  bool ended = false;
  bool canceled = false;
};

TEST(ThreadlessTest, ASinkMayCancelItselfAndDestroyTheTransport) {
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
  auto transport = make_threadless();
  const auto quits = std::make_shared<Dropping>();
  auto exchange = transport->send(get(server.url()), quits);
  bool quit = false;
  quits->drop = [&] {
    exchange.reset();
    quit = true;
  };
  turn_until(*transport, [&] { return quit; });
  EXPECT_FALSE(quits->ended);

  const auto destroys = std::make_shared<Dropping>();
  const auto last = transport->send(get(server.url()), destroys);
  HttpTransport* const driven = transport.get();
  destroys->drop = [&] { transport.reset(); };
  while (transport) driven->on_ready();

  EXPECT_TRUE(destroys->ended);
}

TEST(ThreadlessTest, DestroyingItEndsWhatIsUnderWay) {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    peer.readable(10'000);
  });
  auto transport = make_threadless();
  Pending started(*transport, get(server.url()));
  transport->on_ready();
  Pending waiting(*transport, get(server.url()));

  transport.reset();

  for (const Pending* each : {&started, &waiting}) {
    ASSERT_TRUE((*each)->ended());
    EXPECT_TRUE((*each)->error()->is_canceled());
  }
}

TEST(ThreadlessTest, DestroyingItOnAnotherThreadWaitsForTheTurn) {
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
  auto transport = make_threadless();
  const auto sink = std::make_shared<Dropping>();
  const auto exchange = transport->send(get(server.url()), sink);
  HttpTransport* const driven = transport.get();
  std::promise<void> begun;
  std::jthread other;
  bool destroying = false;
  bool in_sink = false;
  sink->drop = [&] {
    in_sink = true;
    other = std::jthread([&] {
      begun.set_value();
      transport.reset();
    });
    begun.get_future().wait();
    destroying = true;
    in_sink = false;
  };
  while (!destroying) {
    pollfd waiting{driven->fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&waiting, 1, 30'000), 1);
    driven->on_ready();
  }
  other.join();

  EXPECT_FALSE(in_sink);
  EXPECT_TRUE(sink->ended);
}

TEST(ThreadlessTest, OneWithAThreadHasNoLoopToOffer) {
  const auto transport = make_transport();
  EXPECT_THROW(transport->fd(), std::logic_error);
  EXPECT_THROW(transport->on_ready(), std::logic_error);
  EXPECT_THROW(transport->deadline(), std::logic_error);
}

}  // namespace
}  // namespace kubexx::transport::test
