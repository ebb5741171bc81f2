#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "inspect/event_stream.hpp"
#include "kubexx/inspect/server.hpp"
#include "unit/httpd/raw_client.hpp"

namespace kubexx::inspect {
namespace {

using httpd::RawClient;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ask(const std::string& target, const std::string& method = "GET") {
  return method + " " + target + " HTTP/1.1\r\nhost: localhost\r\n\r\n";
}

TEST(InspectServerTest, ListensOnLoopbackWithARandomTokenAndSaysWhere) {
  const auto page = Server::start();
  ASSERT_TRUE(page);
  EXPECT_THAT((*page)->url(), StartsWith("http://127.0.0.1:" + std::to_string((*page)->port()) + "/?token="));
  EXPECT_EQ((*page)->token().size(), 32U);

  RawClient client((*page)->port());
  client.send(ask("/api/status?token=" + (*page)->token()));
  const auto reply = client.reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, HasSubstr("\"informers\":[]"));
}

TEST(InspectServerTest, EveryAnswerForbidsKeepingGuessingAndFraming) {
  const auto page = Server::start();
  ASSERT_TRUE(page);
  RawClient client((*page)->port());
  for (const char* target : {"/", "/app.js", "/api/status", "/nothing", "/healthz"}) {
    client.send(ask(target));
    auto reply = client.reply();
    EXPECT_EQ(reply.headers["cache-control"], "no-store") << target;
    EXPECT_EQ(reply.headers["x-content-type-options"], "nosniff") << target;
    EXPECT_EQ(reply.headers["x-frame-options"], "DENY") << target;
    EXPECT_THAT(reply.headers["content-security-policy"], HasSubstr("default-src 'none'; script-src 'self'")) << target;
    EXPECT_EQ(reply.headers["content-security-policy"].find("unsafe"), std::string::npos);
  }
}

TEST(InspectServerTest, HeadHasTheFieldsWithoutTheBody) {
  const auto page = Server::start();
  ASSERT_TRUE(page);
  RawClient client((*page)->port());
  client.send(ask("/", "HEAD"));
  const auto reply = client.reply(true);
  EXPECT_EQ(reply.status, 200);
  client.send(ask("/healthz"));
  EXPECT_EQ(client.reply().body, "ok\n");
}

TEST(InspectServerTest, OtherAddressesShortTokensAndNonsenseAreErrors) {
  const auto error_of = [](Options options) {
    const auto page = Server::start(std::move(options));
    return page ? std::string() : page.error().message();
  };
  EXPECT_THAT(error_of({.listen = "0.0.0.0:0"}), HasSubstr("allow_remote"));
  EXPECT_THAT(error_of({.listen = "[::]:0"}), HasSubstr("allow_remote"));
  EXPECT_THAT(error_of({.token = "short"}), HasSubstr("token"));
  EXPECT_THAT(error_of({.token = "has a space in the middle"}), HasSubstr("token"));
  for (const char* listen : {"", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", "example.com:80", ":80"}) {
    EXPECT_THAT(error_of({.listen = listen}), HasSubstr("listen is an IP address and a port")) << listen;
  }
  EXPECT_EQ(error_of({.listen = "0.0.0.0:0", .allow_remote = true}), "");
}

TEST(InspectServerTest, FurtherPagesAreToldToWait) {
  const auto page = Server::start({.max_pages = 2});
  ASSERT_TRUE(page);
  const auto events = ask("/events?token=" + (*page)->token());
  RawClient first((*page)->port());
  RawClient second((*page)->port());
  RawClient third((*page)->port());
  first.send(events);
  EXPECT_TRUE(first.fill_until("event: status"));
  second.send(events);
  EXPECT_TRUE(second.fill_until("event: status"));
  third.send(events);
  EXPECT_EQ(third.reply().status, 503);
  second.close();
}

/// A stream over a real connection whose other end does not read.
class EventStreamTest : public ::testing::Test {
 protected:
  EventStreamTest() {
    server_ = httpd::Server::start({}, [this](httpd::Request, httpd::Responder responder) {
                opened_.store(events_.open(responder, {}, "first"));
              }).value();
    client_ = std::make_unique<RawClient>(server_->port(), nullptr, 4096);
    client_->send(ask("/"));
    EXPECT_TRUE(client_->fill_until("first"));
  }
  void fall_behind() {
    const std::string message(64 << 10, 'x');
    const auto missed = events_.missed();
    for (int i = 0; i < 2000 && events_.missed() == missed; ++i) events_.send(message);
    ASSERT_GT(events_.missed(), missed);
  }

  FakeClock clock_;
  EventStream events_{4, clock_};
  std::atomic<bool> opened_{false};
  std::unique_ptr<httpd::Server> server_;
  std::unique_ptr<RawClient> client_;
};

TEST_F(EventStreamTest, APageThatDoesNotReadMissesMessagesInsteadOfPilingThemUp) {
  fall_behind();
  const auto missed = events_.missed();
  for (int i = 0; i < 200; ++i) events_.send(std::string(64 << 10, 'y'));
  EXPECT_EQ(events_.size(), 1U);
  EXPECT_GE(events_.missed(), missed + 100) << "the kernel's buffers take a few more while the test sends";
}

TEST_F(EventStreamTest, APageThatStaysBehindIsCutOff) {
  // What waits may go into the kernel's buffers before the last message: then the page has caught up. They are full
  // soon.
  for (int turn = 0; turn < 200 && events_.size() > 0; ++turn) {
    fall_behind();
    clock_.advance(EventStream::kPatience);
    events_.send("late");
  }
  EXPECT_EQ(events_.size(), 0U);
}

}  // namespace
}  // namespace kubexx::inspect
