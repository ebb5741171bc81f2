#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "unit/transport/support/fixture.hpp"

namespace kubexx::transport::test {
namespace {

using namespace std::chrono_literals;

long resident_kilobytes(const char* field) {
  std::ifstream status("/proc/self/status");
  std::string word;
  long value = 0;
  while (status >> word) {
    if (word == field) status >> value;
  }
  return value;
}

TEST(Http1Test, HandsOnStatusHeadersAndBody) {
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Thing: a\r\n\r\nhello"));
  auto client = make_transport();

  auto answer = exchange(*client, get(server.url("/api?x=1")));

  EXPECT_FALSE(answer->error());
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->body(), "hello");
  ASSERT_TRUE(answer->headers().find("x-thing"));
  EXPECT_EQ(*answer->headers().find("X-THING"), "a");
}

TEST(Http1Test, SendsMethodPathHeadersAndBodyAsGiven) {
  std::string seen;
  SocketServer server([&](Peer& peer) {
    seen = peer.read_request();
    char body[7] = {};
    for (std::size_t at = 0; at < 7;)
      at += static_cast<std::size_t>(std::max<ssize_t>(peer.read(body + at, 7 - at), 0));
    seen.append(body, 7);
    peer.write("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
  });
  auto client = make_transport();
  Request request = get(server.url("/a/../b%2Fc?q=%20"));
  request.method = "PATCH";
  request.headers = {{"Content-Type", "application/json"}, {"Empty", ""}, {"Authorization", "Bearer t"}};
  request.body = "[1,2,3]";

  auto answer = exchange(*client, request);

  EXPECT_EQ(answer->status(), 201);
  EXPECT_EQ(seen.substr(0, seen.find("\r\n")), "PATCH /a/../b%2Fc?q=%20 HTTP/1.1");
  EXPECT_NE(seen.find("\r\nContent-Type: application/json\r\n"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\r\nEmpty:\r\n"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\r\nContent-Length: 7\r\n"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("Expect"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("Accept"), std::string::npos) << seen;
  EXPECT_EQ(seen.substr(seen.size() - 7), "[1,2,3]");
}

TEST(Http1Test, ReusesAConnection) {
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  auto client = make_transport();

  for (int i = 0; i < 5; ++i) EXPECT_EQ(exchange(*client, get(server.url()))->body(), "ok");

  EXPECT_EQ(server.connections(), 1);
}

TEST(Http1Test, HandsOnChunksAsTheyArriveByteByByte) {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    for (char c : std::string(
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\nTrailer: x\r\n\r\n"))
      peer.write(std::string_view(&c, 1));
    peer.readable(10'000);
  });
  auto client = make_transport();

  auto answer = exchange(*client, get(server.url()));

  EXPECT_FALSE(answer->error());
  EXPECT_EQ(answer->body(), "abcdefg");
  EXPECT_FALSE(answer->headers().find("trailer"));
}

TEST(Http1Test, HandsOnTheFirstBytesOfAnAnswerThatNeverEnds) {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    peer.readable(10'000);
  });
  auto client = make_transport();

  Pending pending(*client, get(server.url()));

  EXPECT_TRUE(pending->await_bytes(3));
  EXPECT_EQ(pending->body(), "abc");
  EXPECT_FALSE(pending->ended());
}

TEST(Http1Test, SkipsInformationalAnswers) {
  SocketServer server(answering("HTTP/1.1 100 Continue\r\nX: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  auto client = make_transport();

  auto answer = exchange(*client, get(server.url()));

  EXPECT_EQ(answer->status(), 200);
  EXPECT_FALSE(answer->headers().find("x"));
}

TEST(Http1Test, HandsOnARedirectInsteadOfFollowingIt) {
  SocketServer server(answering("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"));
  auto client = make_transport();

  auto answer = exchange(*client, get(server.url()));

  EXPECT_FALSE(answer->error());
  EXPECT_EQ(answer->status(), 302);
  EXPECT_EQ(*answer->headers().find("location"), "http://127.0.0.1:1/");
}

TEST(Http1Test, HandsOnTooManyRequestsWithItsRetryAfter) {
  SocketServer server(answering("HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nbusy"));
  auto client = make_transport();

  auto answer = exchange(*client, get(server.url()));

  EXPECT_EQ(answer->status(), 429);
  EXPECT_EQ(*answer->headers().find("retry-after"), "7");
  EXPECT_EQ(answer->body(), "busy");
}

TEST(Http1Test, HeadHasNoBody) {
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"));
  auto client = make_transport();
  Request request = get(server.url());
  request.method = "HEAD";

  auto answer = exchange(*client, request);

  EXPECT_FALSE(answer->error());
  EXPECT_EQ(answer->received(), 0u);
}

TEST(Http1Test, ReportsARefusedConnection) {
  int port = 0;
  {
    Listener listener;
    port = listener.port();
  }
  auto client = make_transport();

  auto answer = exchange(*client, get("http://127.0.0.1:" + std::to_string(port) + "/"));

  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Refused);
  EXPECT_EQ(answer->error()->message(), "connect 127.0.0.1:" + std::to_string(port) + ": refused");
}

TEST(Http1Test, ReportsABodyCutInTheMiddle) {
  for (const char* answer_text : {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"}) {
    SocketServer server(answering_once(answer_text));
    auto client = make_transport();

    auto answer = exchange(*client, get(server.url()));

    ASSERT_TRUE(answer->error());
    EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Eof) << *answer->error();
    EXPECT_EQ(answer->body(), "abc");
  }
}

TEST(Http1Test, ReportsAReset) {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    peer.reset();
  });
  auto client = make_transport();

  auto answer = exchange(*client, get(server.url()));

  ASSERT_TRUE(answer->error());
  EXPECT_TRUE(answer->error()->is_connection_lost()) << *answer->error();
}

TEST(Http1Test, ReportsAConnectionClosedWithoutAnAnswer) {
  SocketServer server([](Peer& peer) { peer.read_request(); });
  auto client = make_transport();

  auto answer = exchange(*client, get(server.url()));

  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Eof) << *answer->error();
}

TEST(Http1Test, ReportsAnAnswerThatIsNotHttp) {
  for (const char* garbage : {"SSH-2.0-OpenSSH_9.2\r\n", "\x15\x03\x01\x00\x02\x02\x46", "HTTP/9.9 what\r\n\r\n"}) {
    SocketServer server(answering_once(garbage));
    auto client = make_transport();

    auto answer = exchange(*client, get(server.url()));

    ASSERT_TRUE(answer->error()) << garbage;
    EXPECT_EQ(answer->error()->kind(), ErrorKind::Decode) << *answer->error();
  }
}

TEST(Http1Test, CutsOffAHeaderWithoutEnd) {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\n");
    while (peer.write("X-Filler: " + std::string(4000, 'x') + "\r\n")) {
    }
  });
  auto client = make_transport();

  auto answer = exchange(*client, get(server.url()));

  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::TooLarge) << *answer->error();
}

TEST(Http1Test, AHeaderLineThatIsTooLongIsNotALackOfMemory) {
  for (const std::string before :
       {"HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"}) {
    SocketServer server([&](Peer& peer) {
      peer.read_request();
      peer.write(before + "X-Filler: ");
      while (peer.write(std::string(4000, 'x'))) {
      }
    });
    auto client = make_transport();

    auto answer = exchange(*client, get(server.url()));

    ASSERT_TRUE(answer->error());
    EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::TooLarge) << *answer->error();
    EXPECT_NE(answer->error()->message().find("header of the answer too large"), std::string::npos) << *answer->error();
  }
}

TEST(Http1Test, ABadChunkIsNotALostConnection) {
  for (const std::string chunk : {"zz\r\nabc\r\n", "3\r\nabcdef\r\n", "-1\r\n", "ffffffffffffffffffff\r\nabc\r\n"}) {
    SocketServer server(answering_once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk));
    auto client = make_transport();

    auto answer = exchange(*client, get(server.url()));

    ASSERT_TRUE(answer->error()) << chunk;
    EXPECT_EQ(answer->error()->kind(), ErrorKind::Decode) << *answer->error();
    EXPECT_NE(answer->error()->message().find("chunks are not HTTP"), std::string::npos) << *answer->error();
  }
}

TEST(Http1Test, CutsOffTrailersWithoutEnd) {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n");
    while (peer.write("X-Filler: " + std::string(1000, 'x') + "\r\n")) {
    }
  });
  auto client = make_transport();

  auto answer = exchange(*client, get(server.url()));

  EXPECT_EQ(answer->body(), "ok");
  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::TooLarge) << *answer->error();
}

TEST(Http1Test, TimesOutWhenTheServerNeverAnswers) {
  SocketServer server([](Peer& peer) {
    peer.read_request();
    peer.readable(10'000);
  });
  auto client = make_transport();
  Request request = get(server.url());
  request.timeout = 50ms;

  auto answer = exchange(*client, request);

  ASSERT_TRUE(answer->error());
  EXPECT_TRUE(answer->error()->is_timeout());
}

TEST(Http1Test, StreamsTwoGigabytesInBoundedMemory) {
  const std::uint64_t size = KUBEXX_SANITIZED ? 64ull << 20 : 2'200'000'000ull;
  SocketServer server([&](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n");
    const std::string piece(1 << 18, 'x');
    for (std::uint64_t left = size; left > 0;) {
      auto count = std::min<std::uint64_t>(left, piece.size());
      if (!peer.write(std::string_view(piece).substr(0, count))) return;
      left -= count;
    }
  });
  auto client = make_transport();
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak so far is that of other tests
  long before = resident_kilobytes("VmRSS:");

  Pending pending;
  pending->keep_body(false);
  pending.exchange = client->send(get(server.url()), pending.sink);
  ASSERT_TRUE(pending->await_end(120s));

  EXPECT_FALSE(pending->error());
  EXPECT_EQ(pending->received(), size);
  EXPECT_LT(resident_kilobytes("VmHWM:") - before, KUBEXX_SANITIZED ? 200'000 : 32'000);
}

TEST(Http1Test, APausedReaderStopsItsOwnAnswerOnly) {
  constexpr std::size_t size = 32 << 20;
  std::atomic<std::size_t> written{0};
  SocketServer server([&](Peer& peer) {
    std::string request = peer.read_request();
    bool large = request.find("/large") != std::string::npos;
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(large ? size : 2) + "\r\n\r\n");
    if (!large) {
      peer.write("ok");
      return;
    }
    const std::string piece(1 << 16, 'x');
    while (written < size && peer.write(piece)) written += piece.size();
  });
  auto client = make_transport();
  Pending slow;
  slow->pause_at(1);
  slow.exchange = client->send(get(server.url("/large")), slow.sink);
  ASSERT_TRUE(slow->await_bytes(1));
  std::size_t taken = slow->received();

  for (int i = 0; i < 20; ++i) EXPECT_EQ(exchange(*client, get(server.url("/small")))->body(), "ok");
  EXPECT_EQ(slow->received(), taken);
  EXPECT_LT(written, size);

  slow->pause_at(static_cast<std::size_t>(-1));
  slow.exchange->resume();
  ASSERT_TRUE(slow->await_end());
  EXPECT_EQ(slow->received(), size);
}

TEST(Http1Test, GoesThroughAUnixSocketWhateverTheHost) {
  std::string path = std::filesystem::temp_directory_path() / ("kubexx-" + std::to_string(getpid()) + ".sock");
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), std::nullopt, path);
  TransportOptions options;
  options.unix_socket = path;
  auto client = make_transport(options);

  EXPECT_EQ(exchange(*client, get("http://kubernetes.invalid/"))->body(), "ok");
}

TEST(Http1Test, AMissingUnixSocketIsAnErrorThatNamesIt) {
  TransportOptions options;
  options.unix_socket = "/nowhere/kubexx.sock";
  auto client = make_transport(options);

  auto answer = exchange(*client, get("http://kubernetes.invalid/"));

  ASSERT_TRUE(answer->error());
  EXPECT_NE(answer->error()->message().find("/nowhere/kubexx.sock"), std::string::npos) << *answer->error();
}

TEST(Http1Test, RefusesHeadersThatSmuggleOthers) {
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  auto client = make_transport();
  for (auto field : {Headers::Field{"X", "a\r\nY: b"}, Headers::Field{"X\r\nY", "b"}, Headers::Field{"", "b"},
                     Headers::Field{"X", std::string("a\0b", 3)}}) {
    Request request = get(server.url());
    request.headers.add(field.first, field.second);
    auto answer = exchange(*client, request);
    ASSERT_TRUE(answer->error());
    EXPECT_EQ(answer->error()->kind(), ErrorKind::Config);
  }
  Request request = get(server.url());
  request.method = "GET / HTTP/1.1\r\nX: y\r\n\r\nGET";
  EXPECT_TRUE(exchange(*client, request)->error());
  EXPECT_EQ(server.connections(), 0);
}

TEST(Http1Test, RefusesUrlsItCannotServeWithoutRepeatingCredentials) {
  auto client = make_transport();
  for (const char* url :
       {"", "ftp://host/", "file:///etc/passwd", "http://", "http://u:s3cret@127.0.0.1/", "http://h:99999/"}) {
    auto answer = exchange(*client, get(url));
    ASSERT_TRUE(answer->error()) << url;
    EXPECT_EQ(answer->error()->kind(), ErrorKind::Config) << url;
    EXPECT_EQ(answer->error()->message().find("s3cret"), std::string::npos);
  }
}

TEST(Http1Test, AServerWithoutHttp2IsServedOverTls) {
  Authority authority;
  SocketServer server(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
                      ServerTls{authority.issue({"127.0.0.1"}), "", "http/1.1"});
  TransportOptions options;
  options.tls.ca_data = authority.pem();
  auto client = make_transport(options);

  for (int i = 0; i < 3; ++i) EXPECT_EQ(exchange(*client, get(server.url()))->body(), "ok");

  EXPECT_EQ(server.connections(), 2);  // one that asked for HTTP/2, one that serves all three
}

}  // namespace
}  // namespace kubexx::transport::test
