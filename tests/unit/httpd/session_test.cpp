#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <random>

#include "unit/httpd/session_harness.hpp"

namespace kubexx::httpd {
namespace {

const char* const kHttp1Traffic =
    "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
    "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
    "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\nwiki\r\n5\r\npedia\r\n0\r\nA: b\r\n\r\n"
    "GET /stream HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n"
    "HEAD /d HTTP/1.1\r\nHost: x\r\n\r\n";

// What a client of nghttp2 sends for some requests.
std::string http2_traffic() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session* session = nullptr;
  nghttp2_session_client_new(&session, callbacks, nullptr);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  const auto field = [](const char* name, const char* value) {
    return nghttp2_nv{reinterpret_cast<std::uint8_t*>(const_cast<char*>(name)),
                      reinterpret_cast<std::uint8_t*>(const_cast<char*>(value)), std::string_view(name).size(),
                      std::string_view(value).size(), NGHTTP2_NV_FLAG_NONE};
  };
  for (const char* path : {"/a", "/stream", "/b"}) {
    const nghttp2_nv fields[] = {field(":method", "POST"), field(":scheme", "http"), field(":authority", "x"),
                                 field(":path", path), field("user-agent", "t")};
    nghttp2_data_provider body{};
    body.read_callback = [](nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t, std::uint32_t* flags,
                            nghttp2_data_source*, void*) -> ssize_t {
      std::copy_n("hello", 5, out);
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      return 5;
    };
    nghttp2_submit_request(session, nullptr, fields, std::size(fields), &body, nullptr);
  }
  nghttp2_submit_ping(session, NGHTTP2_FLAG_NONE, nullptr);
  std::string bytes;
  const std::uint8_t* data = nullptr;
  while (const ssize_t size = nghttp2_session_mem_send(session, &data)) {
    bytes.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
  }
  nghttp2_session_del(session);
  return bytes;
}

TEST(SessionTest, TrafficInPiecesOfAnySizeGivesTheSameAnswers) {
  const std::string traffic2 = http2_traffic();
  for (const bool http2 : {false, true}) {
    const std::string_view traffic = http2 ? std::string_view(traffic2) : kHttp1Traffic;
    for (const std::size_t piece : {std::size_t(1), std::size_t(3), std::size_t(17), traffic.size()}) {
      SessionHarness harness(http2);
      std::string out;
      for (std::size_t at = 0; at < traffic.size(); at += piece) out += harness.exchange(traffic.substr(at, piece));
      EXPECT_EQ(harness.requests, http2 ? 3 : 5) << "pieces of " << piece;
      EXPECT_FALSE(harness.session().finished());
      EXPECT_FALSE(out.empty());
    }
  }
}

TEST(SessionTest, DamagedTrafficNeverBreaksASession) {
  const std::string traffic2 = http2_traffic();
  std::mt19937 random(20240517);
  for (int round = 0; round < 4000; ++round) {
    const bool http2 = round % 2 == 1;
    std::string bytes = http2 ? traffic2 : kHttp1Traffic;
    // The preface stays: without it everything after is lost on HTTP/2.
    const std::size_t first = http2 ? kHttp2Preface.size() : 0;
    for (std::size_t damage = random() % 6; damage > 0 && bytes.size() > first; --damage) {
      const std::size_t at = first + random() % (bytes.size() - first);
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, 1 + random() % 8);
          break;
        case 2:
          bytes.insert(at, bytes, first + random() % (bytes.size() - first), 1 + random() % 64);
          break;
        default:
          bytes.resize(std::max(at, first + 1));
      }
    }
    SessionHarness harness(http2, {.max_body = 64, .max_header = 512});
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece = 1 + random() % 100;
      harness.exchange(std::string_view(bytes).substr(at, piece));
      at += piece;
    }
    EXPECT_LE(harness.largest_body, 64U);
    harness.session().tick();
    harness.session().drain();
    harness.exchange({});
  }
}

TEST(SessionTest, AnEndlessChunkLineIsNotKept) {
  SessionHarness harness(false, {.max_header = 1000});
  harness.exchange("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;");
  std::string out;
  for (int i = 0; i < 100 && out.empty(); ++i) out = harness.exchange(std::string(100, 'x'));
  EXPECT_THAT(out, testing::HasSubstr(" 431 "));
  EXPECT_TRUE(harness.session().finished());
}

TEST(SessionTest, PipelinedRequestsStopTheInputWhenTheyPileUp) {
  ServerContext server;
  std::vector<Responder> waiting;
  server.tick = std::chrono::seconds(1);
  server.handler = [&](Request, Responder responder) { waiting.push_back(std::move(responder)); };
  const Ticks now = 0;
  const auto queue = std::make_shared<AnswerQueue>([] {});
  const auto session = make_http1_session({server, now, queue, "peer", {}});
  EXPECT_TRUE(session->wants_input());
  int sent = 0;
  while (session->wants_input() && sent < 100'000) {
    session->receive("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    ++sent;
  }
  EXPECT_LT(sent, 10'000);
  EXPECT_EQ(waiting.size(), 1U);
  queue->close();
}

TEST(SessionTest, TimeoutsFollowWhatIsAwaited) {
  const ServerOptions options{.header_timeout = std::chrono::seconds(30), .idle_timeout = std::chrono::seconds(300)};
  SessionHarness head(false, options);
  head.exchange("GET / HT");
  head.now = 30;
  EXPECT_TRUE(head.session().tick());
  head.now = 31;
  EXPECT_FALSE(head.session().tick());

  SessionHarness body(false, options);
  body.exchange("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe");
  body.now = 300;
  EXPECT_TRUE(body.session().tick());
  body.now = 301;
  EXPECT_FALSE(body.session().tick());

  SessionHarness idle(false, options);
  idle.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  idle.now = 300;
  EXPECT_TRUE(idle.session().tick());
  EXPECT_FALSE(idle.session().finished());
  idle.now = 301;
  EXPECT_TRUE(idle.session().tick());
  EXPECT_TRUE(idle.session().finished());
}

TEST(SessionTest, DatesAreThoseOfHttp) {
  EXPECT_THAT(http_date(), testing::MatchesRegex("[A-Z][a-z][a-z], [0-9][0-9] [A-Z][a-z][a-z] [0-9]+ [0-9:]+ GMT"));
}

}  // namespace
}  // namespace kubexx::httpd
