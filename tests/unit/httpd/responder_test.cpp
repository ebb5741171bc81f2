#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/httpd/server.hpp"
#include "unit/httpd/http2_client.hpp"
#include "unit/httpd/test_server.hpp"

namespace kubexx::httpd {
namespace {

constexpr const char* kAnyGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(ResponderTest, NoAnswerAtAllIsAnInternalError) {
  const auto server = serve([](Request, Responder) {});
  RawClient http1(server->port());
  http1.send(kAnyGet);
  EXPECT_EQ(http1.reply().status, 500);
  Http2Client http2(server->port());
  EXPECT_EQ(http2.get("/").status, 500);
}

TEST(ResponderTest, AHandlerThatThrowsIsReportedAndAnsweredForIt) {
  std::atomic<int> reports = 0;
  set_error_sink([&](const Error&, std::string_view) { ++reports; });
  {
    const auto server = serve([](Request, Responder) { throw std::runtime_error("broken"); });
    RawClient client(server->port());
    client.send(kAnyGet);
    EXPECT_EQ(client.reply().status, 500);
    client.send(kAnyGet);
    EXPECT_EQ(client.reply().status, 500);
  }
  set_error_sink(nullptr);
  EXPECT_EQ(reports, 2);
}

TEST(ResponderTest, AnAnswerThatIsDroppedHalfwayIsCut) {
  const auto server = serve([](Request, Responder responder) {
    responder.start(200, {});
    responder.write("half");
  });
  RawClient http1(server->port());
  http1.send(kAnyGet);
  const auto reply = http1.reply();
  EXPECT_EQ(reply.body, "half");
  EXPECT_FALSE(reply.complete);

  Http2Client http2(server->port());
  const auto& stream = http2.get("/");
  EXPECT_EQ(stream.body, "half");
  EXPECT_FALSE(stream.ended);
}

TEST(ResponderTest, TheFirstAnswerWins) {
  const auto server = serve([](Request, Responder responder) {
    responder.respond(201, {}, "first");
    responder.respond(500, {}, "second");
    responder.start(500, {});
    responder.write("third");
    responder.finish();
  });
  RawClient client(server->port());
  for (int i = 0; i < 2; ++i) {
    client.send(kAnyGet);
    EXPECT_EQ(client.reply().body, "first");
  }
}

TEST(ResponderTest, BodyBeforeTheHeaderIsMisuse) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  RawClient client(server->port());
  client.send(kAnyGet);
  const Responder& responder = inbox.at(0).second;
  EXPECT_THROW(responder.write("x"), std::logic_error);
  EXPECT_THROW(responder.finish(), std::logic_error);
  responder.respond(200, {}, "still fine");
  EXPECT_EQ(client.reply().body, "still fine");
}

TEST(ResponderTest, AStatusNoServerSendsBecomesAnInternalError) {
  const auto server = serve([](Request, Responder responder) { responder.respond(42, {}, ""); });
  RawClient client(server->port());
  client.send(kAnyGet);
  EXPECT_EQ(client.reply().status, 500);
}

TEST(ResponderTest, AbortDeliversWhatWasWrittenThenCuts) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  const std::string half(100'000, 'x');
  RawClient http1(server->port());
  http1.send(kAnyGet);
  inbox.at(0).second.start(200, {{"content-length", "200000"}});
  inbox.at(0).second.write(half);
  inbox.at(0).second.abort();
  const auto reply = http1.reply();
  EXPECT_EQ(reply.body, half);
  EXPECT_FALSE(reply.complete);
  EXPECT_TRUE(http1.was_reset());

  Http2Client http2(server->port(), nullptr, {});
  const auto id = http2.send("GET", "/");
  http2.run_until([&] { return http2.settings > 0; });
  inbox.at(1).second.start(200, {});
  inbox.at(1).second.write(half.substr(0, 60'000));
  inbox.at(1).second.abort();
  ASSERT_TRUE(http2.run_until([&] { return http2.stream(id).closed; }));
  EXPECT_EQ(http2.stream(id).body.size(), 60'000U);
  EXPECT_EQ(http2.stream(id).error, static_cast<std::uint32_t>(NGHTTP2_INTERNAL_ERROR));
  http2.ping();
  EXPECT_TRUE(http2.run_until([&] { return http2.pongs == 1; })) << "the connection lives";
}

TEST(ResponderTest, AbortBeforeTheHeaderGivesNoAnswer) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  RawClient http1(server->port());
  http1.send(kAnyGet);
  inbox.at(0).second.abort();
  EXPECT_EQ(http1.rest(), "");
  EXPECT_TRUE(http1.was_reset());

  Http2Client http2(server->port());
  const auto id = http2.send("GET", "/");
  http2.run_until([&] { return http2.settings > 0; });
  inbox.at(1).second.abort();
  EXPECT_TRUE(inbox.at(1).second.closed());
  ASSERT_TRUE(http2.run_until([&] { return http2.stream(id).closed; }));
  EXPECT_EQ(http2.stream(id).status, 0);
}

// Writes until the backlog stays, as it does when the kernel takes no more.
void pile_up(const Responder& responder, Monitor& monitor) {
  for (int i = 0; i < 20; ++i) responder.write(std::string(1 << 20, 'x'));
  EXPECT_TRUE(monitor.poll([&, last = std::size_t(0), same = 0]() mutable {
    const std::size_t now = responder.backlog();
    same = now == last ? same + 1 : 0;
    last = now;
    return same > 50;
  }));
}

TEST(ResponderTest, ASlowPeerShowsAsBacklogAndDrainsWhenItReads) {
  Inbox inbox;
  Monitor monitor;
  const auto server = serve(inbox.handler());
  RawClient client(server->port(), nullptr, 65536);
  client.send(kAnyGet);
  const Responder& responder = inbox.at(0).second;
  responder.start(200, {{"content-length", std::to_string(20 << 20)}});

  pile_up(responder, monitor);
  EXPECT_GT(responder.backlog(), std::size_t(10) << 20);

  client.reply_head();
  std::size_t got = client.buffer().size();
  while (got < (std::size_t(20) << 20)) {
    const std::size_t more = client.receive(1 << 20).size();
    ASSERT_GT(more, 0U);
    got += more;
  }
  EXPECT_TRUE(monitor.poll([&] { return responder.backlog() == 0; }));
  EXPECT_FALSE(responder.closed());
  responder.finish();
  EXPECT_TRUE(monitor.poll([&] { return responder.closed(); }));
}

TEST(ResponderTest, AStreamWhoseWindowIsShutPilesUpAloneAndCanBeCut) {
  Inbox inbox;
  Monitor monitor;
  const auto server = serve(inbox.handler());
  Http2Client client(server->port(), nullptr, {.read_bodies = false});
  const auto slow = client.send("GET", "/slow");
  const auto quick = client.send("GET", "/quick");
  client.run_until([&] { return client.settings > 0; });
  inbox.at(1).second.start(200, {});
  const Responder& responder = inbox.at(0).second;
  responder.start(200, {});

  for (int i = 0; i < 10; ++i) responder.write(std::string(100'000, 'x'));
  inbox.at(1).second.write("still");
  ASSERT_TRUE(client.run_until(
      [&] { return client.stream(quick).body == "still" && client.stream(slow).body.size() == 65'535; }));

  EXPECT_TRUE(monitor.poll([&] { return responder.backlog() == 1'000'000 - 65'535; }));
  EXPECT_TRUE(monitor.poll([&] { return inbox.at(1).second.backlog() == 0; }));  // counted after the client has it
  responder.abort();
  ASSERT_TRUE(client.run_until([&] { return client.stream(slow).closed; }));
  EXPECT_EQ(client.stream(slow).body.size(), 65'535U);
  EXPECT_TRUE(monitor.poll([&] { return responder.backlog() == 0; }));
  inbox.at(1).second.write(" here");
  EXPECT_TRUE(client.run_until([&] { return client.stream(quick).body == "still here"; }));
}

TEST(ResponderTest, AbortDoesNotWaitForAPeerThatDoesNotRead) {
  Inbox inbox;
  Monitor monitor;
  const auto server = serve(inbox.handler());
  RawClient client(server->port(), nullptr, 65536);
  client.send(kAnyGet);
  const Responder& responder = inbox.at(0).second;
  responder.start(200, {});
  pile_up(responder, monitor);

  responder.abort();

  EXPECT_TRUE(monitor.poll([&] { return server->connections() == 0; }));
  EXPECT_EQ(responder.backlog(), 0U);
}

TEST(ResponderTest, APeerThatNeverReadsIsGivenUp) {
  Inbox inbox;
  Monitor monitor;
  const auto server = serve({.idle_timeout = std::chrono::milliseconds(200)}, inbox.handler());
  RawClient client(server->port(), nullptr, 65536);
  client.send(kAnyGet);
  const Responder& responder = inbox.at(0).second;
  responder.start(200, {});

  for (int i = 0; i < 50; ++i) responder.write(std::string(1 << 20, 'x'));

  EXPECT_TRUE(monitor.poll([&] { return responder.closed(); }));
  EXPECT_EQ(server->connections(), 0U);
}

TEST(ResponderTest, OnCloseIsCalledOnceHoweverTheAnswerEnds) {
  Inbox inbox;
  Monitor monitor;
  std::vector<int> calls(5, 0);
  auto server = serve(inbox.handler());
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < 5; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    clients.back()->send(kAnyGet);
    inbox.at(i).second.on_close([&, i] { monitor.change([&] { ++calls[i]; }); });
    inbox.at(i).second.start(200, {});
    inbox.at(i).second.write("x");
    ASSERT_TRUE(clients[i]->fill_until("x\r\n"));
  }
  EXPECT_THAT(calls, testing::Each(0));

  inbox.at(0).second.finish();
  EXPECT_TRUE(monitor.wait([&] { return calls[0] == 1; }));
  inbox.at(1).second.abort();
  EXPECT_TRUE(monitor.wait([&] { return calls[1] == 1; }));
  clients[2]->close();
  EXPECT_TRUE(monitor.wait([&] { return calls[2] == 1; }));
  server->drop_connections();
  EXPECT_TRUE(monitor.wait([&] { return calls[3] == 1 && calls[4] == 1; }));
  bool at_once = false;
  inbox.at(4).second.on_close([&] { at_once = true; });
  EXPECT_TRUE(at_once);
  server.reset();
  EXPECT_THAT(calls, testing::Each(1));
}

TEST(ResponderTest, AnAnswerMayOutliveItsServer) {
  Inbox inbox;
  RawClient* client = nullptr;
  std::unique_ptr<RawClient> owner;
  {
    const auto server = serve(inbox.handler());
    owner = std::make_unique<RawClient>(server->port());
    client = owner.get();
    client->send(kAnyGet);
    inbox.at(0).second.start(200, {});
  }
  const Responder& responder = inbox.at(0).second;
  EXPECT_TRUE(responder.closed());
  responder.write("nobody");
  responder.finish();
  responder.abort();
  EXPECT_EQ(responder.backlog(), 0U);
}

TEST(ResponderTest, ManyThreadsWriteToManyAnswersWithoutLosingOrMixingAnything) {
  constexpr int kThreads = 4;
  constexpr int kStreams = 40;
  constexpr int kWrites = 200;
  Inbox inbox;
  const auto server = serve({.threads = 2}, inbox.handler());
  Http2Client client(server->port());
  std::vector<std::int32_t> ids;
  for (int i = 0; i < kStreams; ++i) ids.push_back(client.send("GET", "/" + std::to_string(i)));
  client.run_until([&] { return client.settings > 0; });
  inbox.at(kStreams - 1);
  for (int i = 0; i < kStreams; ++i) inbox.at(static_cast<std::size_t>(i)).second.start(200, {});

  std::vector<std::jthread> writers;
  for (int t = 0; t < kThreads; ++t) {
    writers.emplace_back([&, t] {
      for (int n = 0; n < kWrites; ++n) {
        for (int i = 0; i < kStreams; ++i) {
          const auto& [request, responder] = inbox.at(static_cast<std::size_t>(i));
          responder.write(request.target + ":" + std::to_string(t) + ":" + std::to_string(n) + "\n");
        }
      }
    });
  }
  std::jthread finisher([&] {
    writers.clear();
    for (int i = 0; i < kStreams; ++i) inbox.at(static_cast<std::size_t>(i)).second.finish();
  });
  ASSERT_TRUE(client.run_until(
      [&] { return std::ranges::all_of(ids, [&](std::int32_t id) { return client.stream(id).closed; }); }));

  for (const std::int32_t id : ids) {
    std::istringstream lines(client.stream(id).body);
    std::string line;
    std::vector<int> next(kThreads, 0);
    std::string target;
    while (std::getline(lines, line)) {
      const std::size_t first = line.find(':');
      const std::size_t second = line.find(':', first + 1);
      if (target.empty()) target = line.substr(0, first);
      ASSERT_EQ(line.substr(0, first), target);
      int& expected = next.at(std::stoul(line.substr(first + 1, second - first - 1)));
      ASSERT_EQ(std::stoi(line.substr(second + 1)), expected);
      ++expected;
    }
    EXPECT_THAT(next, testing::Each(kWrites));
  }
}

}  // namespace
}  // namespace kubexx::httpd
