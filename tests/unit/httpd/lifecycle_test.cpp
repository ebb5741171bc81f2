#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <set>
#include <stdexcept>
#include <thread>

#include "kubexx/httpd/server.hpp"
#include "support/log_lines.hpp"
#include "unit/httpd/http2_client.hpp"
#include "unit/httpd/test_server.hpp"

namespace kubexx::httpd {
namespace {

using namespace std::chrono_literals;

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(LifecycleTest, StopWithoutGraceClosesEverything) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  RawClient idle(server->port());
  RawClient watching(server->port());
  watching.send(kGet);
  inbox.at(0).second.start(200, {});
  watching.reply_head();

  server->stop();

  EXPECT_EQ(server->connections(), 0U);
  EXPECT_EQ(idle.rest() + watching.rest(), "");
  EXPECT_TRUE(inbox.at(0).second.closed());
  EXPECT_EQ(RawClient(server->port()).connect_error(), ECONNREFUSED);
  server->stop();
  server->drop_connections();
  server->set_accepting(true);
  EXPECT_EQ(RawClient(server->port()).connect_error(), ECONNREFUSED);
}

TEST(LifecycleTest, ConnectionsBeyondTheLimitAreClosedAndOneLineSaysSo) {
  const LogLines lines;
  ServerOptions options;
  options.max_connections = 2;
  const auto server = serve(options, echo);
  std::optional<RawClient> first(std::in_place, server->port());
  RawClient second(server->port());
  for (auto* client : {&*first, &second}) {
    client->send(kGet);
    EXPECT_EQ(client->reply().status, 200);
  }

  for (int i = 0; i < 3; ++i) EXPECT_EQ(RawClient(server->port()).rest(), "") << "closed at once";

  second.send(kGet);
  EXPECT_EQ(second.reply().status, 200) << "those that are there stay";
  EXPECT_THAT(lines.all(), testing::ElementsAre(testing::HasSubstr("as many connections as it may")));
  first.reset();
  Monitor monitor;
  EXPECT_TRUE(monitor.poll([&] { return server->connections() == 1; }));
  RawClient next(server->port());
  next.send(kGet);
  EXPECT_EQ(next.reply().status, 200);
}

TEST(LifecycleTest, ProgramsThatAreStartedMeanwhileInheritNoSocket) {
  const auto inherited = [] {
    std::set<int> found;
    for (int fd = 0; fd < 1024; ++fd) {
      const int flags = fcntl(fd, F_GETFD);
      struct stat info{};
      if (flags >= 0 && (flags & FD_CLOEXEC) == 0 && fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode)) found.insert(fd);
    }
    return found;
  };
  const auto before = inherited();
  Inbox inbox;
  const auto server = serve(inbox.handler());
  RawClient client(server->port());
  client.send(kGet);
  inbox.at(0);

  auto after = inherited();
  after.erase(client.fd());
  EXPECT_EQ(after, before);
}

TEST(LifecycleTest, AGracefulStopLetsRunningAnswersFinish) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  RawClient idle(server->port());
  RawClient http1(server->port());
  http1.send(kGet);
  inbox.at(0).second.start(200, {});
  http1.reply_head();
  Http2Client http2(server->port());
  const auto id = http2.send("GET", "/");
  http2.run_until([&] { return http2.settings > 0; });
  inbox.at(1);

  std::jthread stopping([&] { server->stop(10s); });
  ASSERT_TRUE(http2.run_until([&] { return http2.goaways == 1; }));
  EXPECT_EQ(idle.rest(), "") << "nothing runs here";
  EXPECT_EQ(RawClient(server->port()).connect_error(), ECONNREFUSED);
  inbox.at(0).second.write("the end");
  inbox.at(0).second.finish();
  inbox.at(1).second.respond(200, {}, "also the end");

  EXPECT_TRUE(http2.run_until([&] { return http2.stream(id).closed; }));
  EXPECT_EQ(http2.stream(id).body, "also the end");
  EXPECT_EQ(http2.goaway_error, static_cast<std::uint32_t>(NGHTTP2_NO_ERROR));
  EXPECT_EQ(http1.rest(), "7\r\nthe end\r\n0\r\n\r\n");
  http1.close();
  http2.raw().close();
  stopping.join();
  EXPECT_EQ(server->connections(), 0U);
}

TEST(LifecycleTest, AnAnswerBegunWhileStoppingSaysThatTheConnectionCloses) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  RawClient client(server->port());
  client.send(kGet);
  inbox.at(0);
  RawClient idle(server->port());
  idle.send(kGet);
  inbox.at(1).second.respond(200, {}, "");
  idle.reply();

  std::jthread stopping([&] { server->stop(10s); });
  idle.rest();
  inbox.at(0).second.respond(200, {}, "x");

  EXPECT_EQ(client.reply().headers.at("connection"), "close");
  EXPECT_EQ(client.rest(), "");
  stopping.join();
}

TEST(LifecycleTest, TheGraceEndsForAnswersThatDoNot) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  RawClient client(server->port());
  client.send(kGet);
  inbox.at(0).second.start(200, {});

  server->stop(50ms);

  EXPECT_TRUE(inbox.at(0).second.closed());
  EXPECT_EQ(server->connections(), 0U);
}

TEST(LifecycleTest, WhileNotAcceptingConnectionsAreRefusedAndOldOnesLive) {
  const auto server = serve(echo);
  const std::uint16_t port = server->port();
  RawClient old(port);
  old.send(kGet);
  EXPECT_EQ(old.reply().status, 200);

  for (int i = 0; i < 3; ++i) {
    server->set_accepting(false);
    server->set_accepting(false);
    EXPECT_EQ(RawClient(port).connect_error(), ECONNREFUSED);
    old.send(kGet);
    EXPECT_EQ(old.reply().status, 200);
    server->set_accepting(true);
    server->set_accepting(true);
    EXPECT_EQ(server->port(), port);
    RawClient fresh(port);
    fresh.send(kGet);
    EXPECT_EQ(fresh.reply().status, 200);
  }
}

TEST(LifecycleTest, AHandlerMayRefuseFurtherConnectionsAndDropTheOpenOnes) {
  Server* self = nullptr;
  Monitor monitor;
  const auto server = serve({.threads = 2}, [&](Request request, Responder responder) {
    if (request.target == "/refuse") self->set_accepting(false);
    if (request.target == "/drop") self->drop_connections();
    if (request.target == "/stop") {
      EXPECT_THROW(self->stop(), std::logic_error);
    }
    responder.respond(200, {}, "x");
  });
  monitor.change([&] { self = server.get(); });
  RawClient client(server->port());
  client.send("GET /stop HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.reply().status, 200);
  client.send("GET /refuse HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.reply().status, 200);
  EXPECT_TRUE(monitor.poll([&] { return RawClient(server->port()).connect_error() == ECONNREFUSED; }));
  client.send("GET /drop HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.rest(), "");
  EXPECT_TRUE(monitor.poll([&] { return server->connections() == 0; }));
}

TEST(LifecycleTest, DroppedConnectionsEndAndNewOnesAreServed) {
  Inbox inbox;
  const auto server = serve({.threads = 3}, inbox.handler());
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    clients.back()->send(kGet);
    inbox.at(i).second.start(200, {});
    EXPECT_EQ(clients.back()->reply_head().status, 200);
  }
  EXPECT_EQ(server->connections(), 10U);

  server->drop_connections();

  EXPECT_EQ(server->connections(), 0U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(clients[i]->rest(), "");
    EXPECT_FALSE(clients[i]->timed_out());
    EXPECT_TRUE(inbox.at(i).second.closed());
  }
  RawClient fresh(server->port());
  fresh.send(kGet);
  inbox.at(10).second.respond(200, {}, "");
  EXPECT_EQ(fresh.reply().status, 200);
}

TEST(LifecycleTest, AServerStartsAgainOnThePortItHad) {
  std::uint16_t port = 0;
  std::vector<std::unique_ptr<RawClient>> lingering;
  for (int i = 0; i < 5; ++i) {
    const auto server = serve({.port = port}, echo);
    ASSERT_NE(server, nullptr);
    port = server->port();
    lingering.push_back(std::make_unique<RawClient>(port));
    lingering.back()->send(kGet);
    EXPECT_EQ(lingering.back()->reply().status, 200);
  }
}

TEST(LifecycleTest, APortInUseAndANonsenseAddressAreErrors) {
  const auto server = serve(echo);
  const auto taken = Server::start({.port = server->port()}, echo);
  ASSERT_FALSE(taken.has_value());
  EXPECT_THAT(taken.error().message(), testing::HasSubstr(std::to_string(server->port())));
  EXPECT_EQ(Server::start({.address = "not an address"}, echo).error().kind(), ErrorKind::Config);
}

TEST(LifecycleTest, ItListensOnTheSixthVersionToo) {
  const auto server = Server::start({.address = "::1"}, echo);
  if (!server) GTEST_SKIP() << "no IPv6 here: " << server.error().message();
  EXPECT_NE((*server)->port(), 0);
}

TEST(LifecycleTest, ConnectionsThatComeAndGoAreForgotten) {
  const auto server = serve(echo);
  Monitor monitor;
  for (int i = 0; i < 200; ++i) {
    RawClient client(server->port());
    if (i % 3 == 0) client.send("GET / HT");
    if (i % 3 == 1) client.send(kGet);
  }
  EXPECT_TRUE(monitor.poll([&] { return server->connections() == 0; }));
}

TEST(LifecycleTest, StoppingWhileThreadsWriteIsClean) {
  for (int round = 0; round < 10; ++round) {
    Inbox inbox;
    auto server = serve({.threads = 2}, inbox.handler());
    std::vector<std::unique_ptr<RawClient>> clients;
    for (std::size_t i = 0; i < 4; ++i) {
      clients.push_back(std::make_unique<RawClient>(server->port()));
      clients.back()->send(kGet);
      inbox.at(i).second.start(200, {});
    }
    std::vector<std::jthread> writers;
    for (std::size_t i = 0; i < 4; ++i) {
      writers.emplace_back([&, i] {
        const Responder responder = inbox.at(i).second;
        while (!responder.closed()) {
          if (responder.backlog() < 100'000) responder.write("event\n");
          std::this_thread::yield();
        }
      });
    }
    ASSERT_TRUE(clients[0]->fill_until("event"));
    server.reset();
  }
}

}  // namespace
}  // namespace kubexx::httpd
