#include <gtest/gtest.h>

#include <list>

#include "unit/transport/support/fixture.hpp"

namespace kubexx::transport::test {
namespace {

using namespace std::chrono_literals;

Http2Reply with_body(std::string body) {
  Http2Reply reply;
  reply.body = std::move(body);
  return reply;
}

TEST(Http2Test, HandsOnStatusHeadersAndBody) {
  Http2Server server(replying([](const Http2Request& request) {
    Http2Reply reply = with_body("hello");
    reply.headers = {{"x-thing", request.path}};
    return reply;
  }));
  auto client = make_transport(server.options());

  auto answer = exchange(*client, get(server.url("/api?x=1")));

  ASSERT_FALSE(answer->error()) << *answer->error();
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->body(), "hello");
  ASSERT_TRUE(answer->headers().find("x-thing"));
  EXPECT_EQ(*answer->headers().find("X-THING"), "/api?x=1");
}

TEST(Http2Test, SendsMethodHeadersAndALargeBody) {
  Http2Server server(replying([](const Http2Request& request) {
    auto header = [&](const char* name) { return request.headers.contains(name) ? request.headers.at(name) : "-"; };
    return with_body(request.method + " " + header("content-type") + " " + header("authorization") + " " +
                     header("content-length") + " " + header("connection") + " " + std::to_string(request.body.size()));
  }));
  auto client = make_transport(server.options());
  Request request = get(server.url());
  request.method = "PUT";
  request.headers = {{"Content-Type", "text/plain"}, {"Authorization", "Bearer t"}, {"Connection", "close"}};
  request.body.assign(3 << 20, 'b');

  EXPECT_EQ(exchange(*client, request)->body(), "PUT text/plain Bearer t 3145728 - 3145728");
}

TEST(Http2Test, AHundredAndFiftyStreamsShareTwoConnections) {
  Http2Server server(replying([](const Http2Request&) {
    Http2Reply reply = with_body("first");
    reply.open_end = true;
    return reply;
  }));
  auto client = make_transport(server.options());

  std::list<Pending> watches;
  for (int i = 0; i < 150; ++i) watches.emplace_back(*client, get(server.url()));
  for (auto& watch : watches) ASSERT_TRUE(watch->await_bytes(5));

  EXPECT_EQ(server.server.connections(), 2);
  for (auto& watch : watches) EXPECT_FALSE(watch->ended());
}

TEST(Http2Test, RespectsAServerThatAllowsFewStreams) {
  Http2Options behaviour = replying([](const Http2Request&) {
    Http2Reply reply = with_body("first");
    reply.open_end = true;
    return reply;
  });
  behaviour.max_streams = 10;
  Http2Server server(behaviour);
  auto client = make_transport(server.options());

  std::list<Pending> watches;
  for (int i = 0; i < 35; ++i) watches.emplace_back(*client, get(server.url()));
  for (auto& watch : watches) {
    ASSERT_TRUE(watch->await_bytes(5));
    EXPECT_FALSE(watch->error());
  }

  EXPECT_LE(server.server.connections(), 5);
}

TEST(Http2Test, ACanceledStreamLeavesItsConnectionUsable) {
  Http2Server server(replying([](const Http2Request& request) {
    Http2Reply reply = with_body("data");
    reply.open_end = request.path == "/watch";
    return reply;
  }));
  auto client = make_transport(server.options());

  for (int i = 0; i < 20; ++i) {
    Pending watch(*client, get(server.url("/watch")));
    ASSERT_TRUE(watch->await_bytes(4));
  }
  EXPECT_EQ(exchange(*client, get(server.url("/get")))->body(), "data");

  EXPECT_EQ(server.server.connections(), 1);
}

TEST(Http2Test, ACanceledStreamMakesRoomForAnother) {
  Http2Options behaviour = replying([](const Http2Request& request) {
    Http2Reply reply = with_body("data");
    reply.open_end = request.path == "/watch";
    return reply;
  });
  behaviour.max_streams = 2;
  Http2Server server(behaviour);
  auto client = make_transport(server.options());
  for (int i = 0; i < 2; ++i) {
    Pending watch(*client, get(server.url("/watch")));
    ASSERT_TRUE(watch->await_bytes(4));
  }

  Request request = get(server.url("/get"));
  request.timeout = 10s;  // does not wait longer for what is not answered
  auto answer = exchange(*client, request);

  EXPECT_FALSE(answer->error());
  EXPECT_EQ(answer->body(), "data");
  EXPECT_EQ(server.server.connections(), 1);
}

TEST(Http2Test, APausedReaderStopsItsOwnStreamAfterTheLimit) {
  std::atomic<std::uint64_t> sent{0};
  Http2Options behaviour = replying([](const Http2Request& request) {
    Http2Reply reply;
    reply.filler = request.path == "/slow" ? 64 << 20 : 8 << 20;
    return reply;
  });
  behaviour.sent_on_first_stream = &sent;
  Http2Server server(behaviour);
  auto client = make_transport(server.options());
  Pending slow;
  slow->pause_at(1);
  slow->keep_body(false);
  slow.exchange = client->send(get(server.url("/slow")), slow.sink);
  ASSERT_TRUE(slow->await_bytes(1));

  for (int i = 0; i < 3; ++i) EXPECT_EQ(exchange(*client, get(server.url("/fast")))->received(), 8u << 20);
  EXPECT_EQ(server.server.connections(), 1);
  EXPECT_LE(sent, slow->received() + (1 << 20));

  slow->pause_at(static_cast<std::size_t>(-1));
  slow.exchange->resume();
  ASSERT_TRUE(slow->await_end());
  EXPECT_FALSE(slow->error());
  EXPECT_EQ(slow->received(), 64u << 20);
}

TEST(Http2Test, ACleanEndWaitsForAPausedReader) {
  Http2Server server(replying([](const Http2Request&) { return with_body(std::string(100'000, 'x')); }));
  auto client = make_transport(server.options());
  Pending slow;
  slow->pause_at(1);
  slow.exchange = client->send(get(server.url()), slow.sink);
  ASSERT_TRUE(slow->await_bytes(1));
  EXPECT_EQ(exchange(*client, get(server.url()))->received(), 100'000u);
  EXPECT_FALSE(slow->ended());

  slow->pause_at(static_cast<std::size_t>(-1));
  slow.exchange->resume();

  ASSERT_TRUE(slow->await_end());
  EXPECT_EQ(slow->received(), 100'000u);
}

TEST(Http2Test, ResumingAStreamThatIsNotPausedIsHarmless) {
  Http2Server server(replying([](const Http2Request&) { return with_body("x"); }));
  auto client = make_transport(server.options());
  Pending pending(*client, get(server.url()));
  for (int i = 0; i < 10; ++i) pending.exchange->resume();
  ASSERT_TRUE(pending->await_end());
  pending.exchange->resume();

  EXPECT_EQ(pending->body(), "x");
  EXPECT_EQ(pending->misuse(), 0);
}

TEST(Http2Test, ARequestThatTheServerRefusedUnseenIsSentAgain) {
  std::atomic<int> requests{0};
  Http2Server server(replying([&](const Http2Request&) {
    Http2Reply reply = with_body("at last");
    reply.refuse = ++requests <= 2;
    return reply;
  }));
  auto client = make_transport(server.options());

  auto answer = exchange(*client, get(server.url()));

  EXPECT_FALSE(answer->error());
  EXPECT_EQ(answer->body(), "at last");
  EXPECT_EQ(requests, 3);
}

TEST(Http2Test, AServerThatAlwaysRefusesIsAskedFiveTimesAndThenItIsAnError) {
  std::atomic<int> requests{0};
  Http2Server server(replying([&](const Http2Request&) {
    Http2Reply reply;
    reply.refuse = true;
    ++requests;
    return reply;
  }));
  auto client = make_transport(server.options());

  auto answer = exchange(*client, get(server.url()));

  ASSERT_TRUE(answer->error());
  EXPECT_TRUE(answer->error()->is_retriable()) << *answer->error();
  EXPECT_EQ(requests, 5);
}

TEST(Http2Test, GoAwayMovesNewCallsToAnotherConnectionAndKeepsTheOldOnes) {
  std::atomic<int> requests{0};
  Http2Server server(replying([&](const Http2Request& request) {
    Http2Reply reply = with_body("data");
    reply.open_end = request.path == "/watch";
    reply.go_away = ++requests == 2;
    return reply;
  }));
  auto client = make_transport(server.options());
  Pending watch(*client, get(server.url("/watch")));
  ASSERT_TRUE(watch->await_bytes(4));

  auto answer = exchange(*client, get(server.url("/get")));

  ASSERT_FALSE(answer->error()) << *answer->error();
  EXPECT_EQ(answer->body(), "data");
  EXPECT_EQ(server.server.connections(), 2);
  EXPECT_FALSE(watch->ended());
}

TEST(Http2Test, ReportsAResetStreamAndKeepsTheConnection) {
  Http2Server server(replying([](const Http2Request& request) {
    Http2Reply reply = with_body("part");
    reply.reset_after_body = request.path == "/broken";
    return reply;
  }));
  auto client = make_transport(server.options());

  auto answer = exchange(*client, get(server.url("/broken")));

  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Reset) << *answer->error();
  EXPECT_EQ(exchange(*client, get(server.url()))->body(), "part");
  EXPECT_EQ(server.server.connections(), 1);
}

TEST(Http2Test, AStreamThatIsClosedBeforeTheEndOfItsAnswerIsNoSuccess) {
  Http2Server server(replying([](const Http2Request&) {
    Http2Reply reply = with_body("part");
    reply.stop_after_body = true;
    return reply;
  }));
  auto client = make_transport(server.options());

  auto answer = exchange(*client, get(server.url()));

  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Eof) << *answer->error();
}

TEST(Http2Test, EveryStreamOfACutConnectionEndsWithAnError) {
  Authority authority;
  std::atomic<bool> cut{false};
  Http2Options behaviour = replying([](const Http2Request&) {
    Http2Reply reply;
    reply.open_end = true;
    return reply;
  });
  behaviour.cut = &cut;
  SocketServer server([&](Peer& peer) { serve_http2(peer, behaviour); },
                      ServerTls{authority.issue({"127.0.0.1"}), "", "h2"});
  TransportOptions options;
  options.tls.ca_data = authority.pem();
  auto client = make_transport(options);
  std::list<Pending> watches;
  for (int i = 0; i < 10; ++i) watches.emplace_back(*client, get(server.url()));
  for (auto& watch : watches) ASSERT_TRUE(watch->await_status());

  cut = true;

  for (auto& watch : watches) {
    ASSERT_TRUE(watch->await_end());
    EXPECT_TRUE(watch->error() && watch->error()->is_connection_lost());
  }
}

TEST(Http2Test, ReportsGarbageInsteadOfFrames) {
  Authority authority;
  SocketServer server(
      [](Peer& peer) {
        peer.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\nand more of what is no frame at all");
        char ignored[1024];
        while (peer.read(ignored, sizeof ignored) > 0) {
        }
      },
      ServerTls{authority.issue({"127.0.0.1"}), "", "h2"});
  TransportOptions options;
  options.tls.ca_data = authority.pem();
  auto client = make_transport(options);

  auto answer = exchange(*client, get(server.url()));

  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->kind(), ErrorKind::Decode) << *answer->error();
}

TEST(Http2Test, CutsOffAHeaderThatIsTooLarge) {
  Http2Server server(replying([](const Http2Request& request) {
    Http2Reply reply;
    // The same field again and again is a few bytes on the wire, so the limit must count what comes out.
    for (int i = 0; i < 300 && request.path == "/bomb"; ++i)
      reply.headers.emplace_back("x-filler", std::string(1000, 'x'));
    return reply;
  }));
  auto client = make_transport(server.options());

  auto answer = exchange(*client, get(server.url("/bomb")));

  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::TooLarge) << *answer->error();
  EXPECT_EQ(exchange(*client, get(server.url("/")))->status(), 200);
  EXPECT_EQ(server.server.connections(), 1);
}

TEST(Http2Test, TimesOutAndClosesTheStream) {
  Http2Server server(replying([](const Http2Request& request) {
    Http2Reply reply = with_body("x");
    reply.silent = request.path == "/silent";
    return reply;
  }));
  auto client = make_transport(server.options());
  // Without a connection the time might be over before there is one, and what dials for nobody stops.
  EXPECT_EQ(exchange(*client, get(server.url()))->body(), "x");
  Request request = get(server.url("/silent"));
  request.timeout = 50ms;

  auto answer = exchange(*client, request);

  ASSERT_TRUE(answer->error());
  EXPECT_TRUE(answer->error()->is_timeout());
  EXPECT_EQ(exchange(*client, get(server.url()))->body(), "x");
  EXPECT_EQ(server.server.connections(), 1);
}

TEST(Http2Test, StreamsALargeBodyInOrder) {
  std::string body;
  for (int i = 0; body.size() < 5'000'000; ++i) body += std::to_string(i) + ",";
  Http2Server server(replying([&](const Http2Request&) { return with_body(body); }));
  auto client = make_transport(server.options());

  EXPECT_EQ(exchange(*client, get(server.url()))->body(), body);
}

}  // namespace
}  // namespace kubexx::transport::test
