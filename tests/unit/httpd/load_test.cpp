#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "kubexx/httpd/server.hpp"
#include "unit/httpd/http2_client.hpp"
#include "unit/httpd/test_server.hpp"

namespace kubexx::httpd {
namespace {

TEST(LoadTest, AThousandStreamedAnswersRunAtOnce) {
  constexpr std::size_t kConnections = 10;
  constexpr std::size_t kStreams = 100;
  Inbox inbox;
  const auto server = serve(inbox.handler());
  std::vector<std::unique_ptr<Http2Client>> clients;
  for (std::size_t c = 0; c < kConnections; ++c) {
    clients.push_back(std::make_unique<Http2Client>(server->port()));
    for (std::size_t i = 0; i < kStreams; ++i) clients[c]->send("GET", "/watch");
    ASSERT_TRUE(clients[c]->run_until([&] { return clients[c]->settings > 0; }));
  }
  inbox.at(kConnections * kStreams - 1);
  for (std::size_t i = 0; i < kConnections * kStreams; ++i) {
    const Responder& responder = inbox.at(i).second;
    responder.start(200, {});
    for (int n = 0; n < 10; ++n) responder.write("event " + std::to_string(n) + "\n");
  }

  for (auto& client : clients) {
    EXPECT_TRUE(client->run_until([&] {
      for (std::size_t i = 0; i < kStreams; ++i) {
        if (client->stream(static_cast<std::int32_t>(2 * i + 1)).body.size() < 10 * 8) return false;
      }
      return true;
    }));
  }
  EXPECT_EQ(server->connections(), kConnections);
}

TEST(LoadTest, HundredsOfHttpOneWatchesRunAtOnce) {
  constexpr std::size_t kWatches = 300;
  Inbox inbox;
  const auto server = serve(inbox.handler());
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < kWatches; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    clients.back()->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  for (std::size_t i = 0; i < kWatches; ++i) inbox.at(i).second.start(200, {});
  for (std::size_t i = 0; i < kWatches; ++i) inbox.at(i).second.write("event");
  for (auto& client : clients) EXPECT_TRUE(client->fill_until("event"));
}

TEST(LoadTest, ManySmallWritesShareSocketWrites) {
  // 200 watches receive 100 events each while two clients keep asking; nothing is lost.
  constexpr std::size_t kStreams = 100;
  constexpr int kEvents = 100;
  Inbox watches;
  const auto server = serve([&, keep = watches.handler()](Request request, Responder responder) {
    if (request.target == "/watch") return keep(std::move(request), std::move(responder));
    responder.respond(200, {}, "{}");
  });
  Http2Client first(server->port());
  Http2Client second(server->port());
  for (Http2Client* client : {&first, &second}) {
    for (std::size_t i = 0; i < kStreams; ++i) client->send("GET", "/watch");
    ASSERT_TRUE(client->run_until([&] { return client->settings > 0; }));
  }
  watches.at(2 * kStreams - 1);
  for (std::size_t i = 0; i < 2 * kStreams; ++i) watches.at(i).second.start(200, {});

  std::jthread writer([&] {
    for (int n = 0; n < kEvents; ++n) {
      for (std::size_t i = 0; i < 2 * kStreams; ++i) watches.at(i).second.write(std::string(100, 'e'));
    }
  });
  std::jthread asker([&] {
    RawClient client(server->port());
    for (int i = 0; i < 500; ++i) {
      client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      EXPECT_EQ(client.reply().body, "{}");
    }
  });
  for (Http2Client* client : {&first, &second}) {
    EXPECT_TRUE(client->run_until([&] {
      for (std::size_t i = 0; i < kStreams; ++i) {
        if (client->stream(static_cast<std::int32_t>(2 * i + 1)).body.size() < kEvents * 100) return false;
      }
      return true;
    }));
  }
}

}  // namespace
}  // namespace kubexx::httpd
