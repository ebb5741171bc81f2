#include <gtest/gtest.h>
#include <zlib.h>

#include "unit/transport/support/fixture.hpp"

namespace kubexx::transport::test {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// Compresses when it is asked to; both protocols.
class GzipTest : public testing::TestWithParam<const char*> {
 protected:
  SocketServer& server() {
    if (!server_) {
      behaviour_ = replying([this](const Http2Request& request) {
        Http2Reply reply;
        bool asked = request.headers.contains("accept-encoding") && request.headers.at("accept-encoding") == "gzip";
        if (asked) reply.headers = {{"content-encoding", "gzip"}};
        if (!unasked_.empty()) reply.headers = {{"content-encoding", unasked_}};
        reply.body = asked ? compressed_ : "plain";
        return reply;
      });
      server_ = std::make_unique<SocketServer>(
          [this](Peer& peer) {
            if (peer.http2()) return serve_http2(peer, behaviour_);
            std::string request = peer.read_request();
            bool asked = request.find("Accept-Encoding: gzip\r\n") != std::string::npos;
            peer.write("HTTP/1.1 200 OK\r\n" + std::string(asked ? "Content-Encoding: gzip\r\n" : "") +
                       (unasked_.empty() ? "" : "Content-Encoding: " + unasked_ + "\r\n") +
                       "Connection: close\r\n\r\n" + (asked ? compressed_ : "plain"));
          },
          ServerTls{authority_.issue({"127.0.0.1"}), "", GetParam()});
    }
    return *server_;
  }
  std::shared_ptr<HttpTransport> client(bool compression = true) {
    TransportOptions options;
    options.tls.ca_data = authority_.pem();
    options.compression = compression;
    return make_transport(options);
  }

  Authority authority_;
  std::string text_;
  std::string compressed_;
  std::string unasked_;  // the encoding of what was to be plain
  Http2Options behaviour_;
  std::unique_ptr<SocketServer> server_;
};

INSTANTIATE_TEST_SUITE_P(Protocols, GzipTest, testing::Values("h2", "http/1.1"));

TEST_P(GzipTest, HandsOnTheInflatedBody) {
  for (int i = 0; text_.size() < 1'000'000; ++i) text_ += std::to_string(i * 7919) + ",";
  compressed_ = gzip(text_);
  EXPECT_EQ(exchange(*client(), get(server().url()))->body(), text_);
}

TEST_P(GzipTest, AcceptsABodyOfSeveralMembers) {
  compressed_ = gzip("one ") + gzip("two");
  EXPECT_EQ(exchange(*client(), get(server().url()))->body(), "one two");
}

TEST_P(GzipTest, IsNotAskedForOnLiveStreamsNorWithoutTheOption) {
  compressed_ = gzip("compressed");
  Request live = get(server().url("/pods"));
  live.live = true;
  EXPECT_EQ(exchange(*client(), live)->body(), "plain");
  EXPECT_EQ(exchange(*client(false), get(server().url("/pods")))->body(), "plain");
}

TEST_P(GzipTest, ABodyThatTheCallerAskedForIsHandedOnAsItIs) {
  compressed_ = gzip("compressed");
  Request request = get(server().url());
  request.headers = {{"Accept-Encoding", "gzip"}};
  EXPECT_EQ(exchange(*client(), request)->body(), compressed_);
}

TEST_P(GzipTest, AnEncodingThatNobodyAskedForIsNamed) {
  for (const std::string encoding : {"gzip", "br", "gzip, gzip"}) {
    unasked_ = encoding;
    auto answer = exchange(*client(false), get(server().url()));
    ASSERT_TRUE(answer->error());
    EXPECT_EQ(answer->error()->kind(), ErrorKind::Decode);
    EXPECT_NE(answer->error()->message().find("the answer is encoded as " + encoding + ", which nobody asked for"),
              std::string::npos)
        << *answer->error();
  }
  unasked_ = "identity";
  EXPECT_EQ(exchange(*client(false), get(server().url()))->body(), "plain");
}

TEST_P(GzipTest, ReportsAMalformedBody) {
  compressed_ = "this is not gzip at all";
  auto answer = exchange(*client(), get(server().url()));
  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->kind(), ErrorKind::Decode) << *answer->error();
}

TEST_P(GzipTest, ReportsABodyThatEndsEarly) {
  compressed_ = gzip(std::string(100'000, 'x') + "end");
  compressed_.resize(compressed_.size() - 12);
  auto answer = exchange(*client(), get(server().url()));
  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->kind(), ErrorKind::Decode) << *answer->error();
}

TEST_P(GzipTest, APausedReaderDoesNotPileUpAnInflatingBody) {
  constexpr std::size_t size = 64 << 20;
  compressed_ = gzip(std::string(size, 'x'));
  Pending slow;
  slow->keep_body(false);
  slow->pause_at(1);
  auto sender = client();
  slow.exchange = sender->send(get(server().url()), slow.sink);
  ASSERT_TRUE(slow->await_bytes(1));
  EXPECT_LE(slow->received(), 64u * 1024);
  std::size_t before = slow->received();
  slow.exchange->resume();
  ASSERT_TRUE(slow->await_bytes(before + 1));
  EXPECT_LE(slow->received(), 2 * 64u * 1024);

  slow->pause_at(static_cast<std::size_t>(-1));
  slow.exchange->resume();

  ASSERT_TRUE(slow->await_end());
  EXPECT_FALSE(slow->error());
  EXPECT_EQ(slow->received(), size);
}

}  // namespace
}  // namespace kubexx::transport::test
