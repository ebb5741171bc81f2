#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <list>
#include <thread>

#include "kubexx/base/random.hpp"
#include "unit/transport/support/fixture.hpp"

namespace {

/// Stands in for a name server that does not answer: "slow.test" waits from hold() to release(). A lookup that begins
/// later, its call over already, does not wait: nobody would release it.
class SlowNames {
 public:
  static SlowNames& instance() {
    static SlowNames names;
    return names;
  }
  void hold() {
    std::lock_guard lock(mutex_);
    held_ = true;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held_; });
    --waiting_;
    changed_.notify_all();
  }
  bool await_lookup() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return waiting_ > 0; });
  }
  void release() {
    std::unique_lock lock(mutex_);
    held_ = false;
    changed_.notify_all();
    changed_.wait(lock, [&] { return waiting_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool held_ = false;
};

}  // namespace

// Takes the place of libc's function for everything in this program, libcurl's resolver thread included.
// Visible: libcurl is to find it.
extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* node, const char* service,
                                                                  const addrinfo* hints, addrinfo** result) {
  if (node && std::strcmp(node, "slow.test") == 0) {
    SlowNames::instance().wait();
    return EAI_AGAIN;
  }
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
  return real(node, service, hints, result);
}

namespace kubexx::transport::test {
namespace {

using namespace std::chrono_literals;

TEST(CancelTest, DuringNameResolutionReturnsAtOnce) {
  for (const char* url : {"http://slow.test/", "https://slow.test/"}) {
    const auto in_time = stops_in_time([&] {
      SlowNames::instance().hold();
      auto client = make_transport();
      Pending pending(*client, get(url));
      EXPECT_TRUE(SlowNames::instance().await_lookup());

      const Duration took = measured([&] { pending.exchange.reset(); });
      EXPECT_LT(measured([&] { client.reset(); }), 1s);

      EXPECT_FALSE(pending->ended());
      SlowNames::instance().release();
      return took;
    });
    EXPECT_TRUE(in_time) << url;
  }
}

TEST(CancelTest, DestroyingTheTransportDuringNameResolutionEndsTheCallAtOnce) {
  SlowNames::instance().hold();
  auto client = make_transport();
  Pending pending(*client, get("https://slow.test/"));
  ASSERT_TRUE(SlowNames::instance().await_lookup());

  EXPECT_LT(measured([&] { client.reset(); }), 1s);

  ASSERT_TRUE(pending->ended());
  EXPECT_TRUE(pending->error()->is_canceled());
  SlowNames::instance().release();
}

TEST(CancelTest, ATimeoutEndsACallThatWaitsForAName) {
  SlowNames::instance().hold();
  auto client = make_transport();
  Request request = get("https://slow.test/");
  request.timeout = 50ms;

  auto answer = exchange(*client, request);

  ASSERT_TRUE(answer->error());
  EXPECT_TRUE(answer->error()->is_timeout());
  SlowNames::instance().release();
}

TEST(CancelTest, DuringConnectReturnsAtOnce) {
  Listener full({}, 0);  // a queue of one, filled here: further connections hang
  std::list<int> fillers;
  for (int i = 0; i < 4; ++i) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name.sin_port = htons(static_cast<std::uint16_t>(full.port()));
    [[maybe_unused]] int ignored = connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof name);
    fillers.push_back(fd);
  }
  for (const char* scheme : {"http://", "https://"}) {
    const auto in_time = stops_in_time([&] {
      auto client = make_transport();
      Pending pending(*client, get(scheme + full.address() + "/"));
      EXPECT_FALSE(pending->await_end(1s));

      const Duration took = measured([&] { pending.exchange.reset(); });
      EXPECT_LT(measured([&] { client.reset(); }), 1s);
      return took;
    });
    EXPECT_TRUE(in_time) << scheme;
  }
  TransportOptions impatient;
  impatient.connect_timeout = 50ms;
  auto client = make_transport(impatient);
  auto answer = exchange(*client, get("https://" + full.address() + "/"));
  ASSERT_TRUE(answer->error());
  EXPECT_TRUE(answer->error()->is_timeout()) << *answer->error();
  for (int fd : fillers) close(fd);
}

TEST(CancelTest, DuringTheTlsHandshakeReturnsAtOnceAndClosesTheConnection) {
  EXPECT_TRUE(stops_in_time([] {
    std::atomic<bool> hello{false};
    std::atomic<bool> closed{false};
    SocketServer mute([&](Peer& peer) {
      char buffer[4096];
      hello = peer.read(buffer, sizeof buffer) > 0;
      hello.notify_all();
      while (peer.read(buffer, sizeof buffer) > 0) {
      }
      closed = true;
      closed.notify_all();
    });
    auto client = make_transport();
    Pending pending(*client, get("https://" + mute.address() + "/"));
    hello.wait(false);

    return measured([&] {
      pending.exchange.reset();
      closed.wait(false);
    });
  }));
}

TEST(CancelTest, NoCallReachesTheSinkAfterwards) {
  Http2Server server(replying([](const Http2Request&) {
    Http2Reply reply;
    reply.filler = 1 << 30;
    return reply;
  }));
  auto client = make_transport(server.options());
  for (int i = 0; i < 20; ++i) {
    Pending pending;
    pending->keep_body(false);
    pending.exchange = client->send(get(server.url()), pending.sink);
    ASSERT_TRUE(pending->await_bytes(100'000));

    pending.exchange.reset();
    std::size_t received = pending->received();

    EXPECT_EQ(pending.sink.use_count(), 1);
    EXPECT_EQ(pending->received(), received);
    EXPECT_FALSE(pending->ended());
  }
}

/// Destroys its own exchange, and what else it is given, from inside a call.
class Suicidal final : public ResponseSink {
 public:
  void on_headers(int, const Headers&) override {}
  bool on_data(Buffer) override {
    if (at_data) drop();
    return true;
  }
  void on_end(const Error*) override {
    if (!at_data) drop();
  }
  void drop() {
    std::lock_guard lock(mutex);
    exchange.reset();
    transport.reset();
    dropped = true;
    dropped.notify_all();
  }
  bool at_data = true;
  std::mutex mutex;
  std::unique_ptr<Exchange> exchange;
  std::shared_ptr<Transport> transport;
  std::atomic<bool> dropped{false};
};

TEST(CancelTest, AnExchangeMayBeDestroyedFromInsideItsSink) {
  Http2Server server(replying([](const Http2Request&) {
    Http2Reply reply;
    reply.body = "x";
    return reply;
  }));
  auto client = make_transport(server.options());
  for (bool at_data : {true, false}) {
    auto sink = std::make_shared<Suicidal>();
    sink->at_data = at_data;
    {
      std::lock_guard lock(sink->mutex);
      sink->exchange = client->send(get(server.url()), sink);
    }
    sink->dropped.wait(false);
  }
  Request after = get(server.url());
  EXPECT_EQ(exchange(*client, after)->body(), "x");
}

TEST(CancelTest, TheTransportMayBeDestroyedFromInsideASink) {
  Http2Server server(replying([](const Http2Request&) {
    Http2Reply reply;
    reply.body = "x";
    return reply;
  }));
  for (bool at_data : {true, false}) {
    auto client = make_transport(server.options());
    auto sink = std::make_shared<Suicidal>();
    sink->at_data = at_data;
    {
      std::lock_guard lock(sink->mutex);
      sink->exchange = client->send(get(server.url()), sink);
      sink->transport = std::move(client);
    }
    sink->dropped.wait(false);
  }
}

TEST(CancelTest, DestroyingTheTransportEndsEveryCallAsCanceled) {
  Http2Server server(replying([](const Http2Request&) {
    Http2Reply reply;
    reply.body = "x";
    reply.open_end = true;
    return reply;
  }));
  SocketServer http1([](Peer& peer) {
    peer.read_request();
    peer.readable(10'000);
  });
  auto client = make_transport(server.options());
  std::list<Pending> calls;
  for (int i = 0; i < 5; ++i) {
    calls.emplace_back(*client, get(server.url()));
    ASSERT_TRUE(calls.back()->await_bytes(1));
    calls.emplace_back(*client, get(http1.url()));
  }
  calls.emplace_back();
  calls.back()->pause_at(0);
  calls.back().exchange = client->send(get(server.url()), calls.back().sink);
  ASSERT_TRUE(calls.back()->await_bytes(1));

  EXPECT_LT(measured([&] { client.reset(); }), 1s);

  for (auto& call : calls) {
    ASSERT_TRUE(call->ended());
    EXPECT_TRUE(call->error() && call->error()->is_canceled());
    EXPECT_EQ(call.sink.use_count(), 1);
    call.exchange->resume();  // harmless
  }
}

TEST(CancelTest, ThreadsThatSendAndCancelAtRandomDisturbNobody) {
  Http2Server server(replying([](const Http2Request& request) {
    Http2Reply reply;
    reply.filler = request.path == "/large" ? 300'000 : 10;
    reply.open_end = request.path == "/watch";
    return reply;
  }));
  auto client = make_transport(server.options());
  Pending watch(*client, get(server.url("/watch")));
  ASSERT_TRUE(watch->await_bytes(10));

  std::list<std::jthread> threads;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      Random random(seed);
      for (int i = 0; i < 100; ++i) {
        Pending pending;
        pending->pause_at(random.below(2) ? 1 : 1 << 30);
        pending.exchange = client->send(get(server.url(random.below(2) ? "/large" : "/small")), pending.sink);
        if (random.below(2)) pending->await_bytes(1);
        if (random.below(2)) pending.exchange->resume();
        pending.exchange.reset();
        EXPECT_EQ(pending->misuse(), 0);
        EXPECT_FALSE(pending->error());
      }
    });
  }
  threads.clear();

  EXPECT_FALSE(watch->ended());
  EXPECT_EQ(exchange(*client, get(server.url("/large")))->received(), 300'000u);
}

}  // namespace
}  // namespace kubexx::transport::test
