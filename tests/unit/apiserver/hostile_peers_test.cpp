#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/meta/json.hpp"
#include "support/fixture_executor.hpp"
#include "unit/apiserver/addresses.hpp"
#include "unit/apiserver/comes_true.hpp"
#include "unit/httpd/http2_client.hpp"
#include "unit/httpd/raw_client.hpp"

namespace kubexx::apiserver {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsOurs = false;  // a sanitizer keeps what was freed
#else
constexpr bool kMemoryIsOurs = true;
#endif

void seed(Server& server, int count, const std::string& value) {
  for (int i = 0; i < count; ++i) {
    const auto object = meta::parse_json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default",)"
                                         R"("name":"c)" +
                                         std::to_string(i) + R"("},"data":{"v":")" + value + "\"}}");
    ASSERT_TRUE(server.seed(object.value()).has_value());
  }
}

httpd::HeaderFields credentials(const Server& server) {
  return {{"authorization", "Bearer " + server.admin_token()}};
}

/// Bytes of memory that this process has.
std::size_t resident() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string http1(const Server& server, const std::string& method, const std::string& target,
                  const std::string& body = {}) {
  return method + ' ' + target + " HTTP/1.1\r\nhost: x\r\nauthorization: Bearer " + server.admin_token() +
         "\r\ncontent-type: application/json\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

int ask(httpd::RawClient& client, const std::string& request) {
  client.send(request);
  return client.reply().status;
}

TEST(HostilePeersTest, ListsThatNobodyWaitsForAreNotMade) {
  FixtureExecutor executor;
  Options options;
  options.executor = executor;
  Server server(options);
  seed(server, 100, "x");
  httpd::Http2Client client(server.port());
  for (int i = 0; i < 500; ++i) {
    const auto id = client.send("GET", kConfigMaps, credentials(server));
    client.run_until([] { return true; });
    client.reset(id);
  }
  const auto other = client.send("GET", kConfigMaps + "/c1", credentials(server));
  client.ping();
  ASSERT_TRUE(client.run_until([&] { return client.pongs == 1; }));

  executor->run_until_idle();

  EXPECT_TRUE(client.run_until([&] { return client.stream(other).closed; }));
  EXPECT_EQ(client.stream(other).status, 200);
  EXPECT_EQ(server.requests().count("list", "configmaps"), 500u);
  EXPECT_EQ(server.requests().count("list", "configmaps", {.status = 200}), 0u);
}

TEST(HostilePeersTest, RequestsThatPileUpAreRefused) {
  FixtureExecutor executor;
  Options options;
  options.executor = executor;
  Server server(options);
  const std::string large(2 << 20, 'x');
  std::vector<std::unique_ptr<httpd::RawClient>> clients;
  std::vector<pollfd> answers;
  for (int i = 0; i < 128; ++i) {  // no thread takes them up, and one of them is too much
    clients.push_back(std::make_unique<httpd::RawClient>(server.port()));
    clients.back()->send(http1(server, "POST", kConfigMaps, large));
    answers.push_back({clients.back()->fd(), POLLIN, 0});
  }

  ASSERT_EQ(::poll(answers.data(), answers.size(), 60'000), 1);
  // The one that was whole last, which need not be the one that was sent last.
  const auto answered =
      std::find_if(answers.begin(), answers.end(), [](const pollfd& each) { return each.revents != 0; });
  const auto refused = static_cast<std::size_t>(answered - answers.begin());
  EXPECT_EQ(clients.at(refused)->reply().status, 429);
  executor->run_until_idle();
  EXPECT_EQ(clients.at(refused == 0 ? 1U : 0U)->reply().status, 400);
}

TEST(HostilePeersTest, AnswersThatNobodyReadsAreBoundedTogether) {
  Options options;
  options.unread_bytes = 8 << 20;
  Server server(options);
  seed(server, 20, std::string(100'000, 'x'));
  httpd::Http2Client deaf(server.port(), nullptr, {.read_bodies = false, .connection_window = 65535});
  std::vector<std::int32_t> lists;
  for (int i = 0; i < 20; ++i) lists.push_back(deaf.send("GET", kConfigMaps, credentials(server)));
  const auto answered = [&] {
    return std::all_of(lists.begin(), lists.end(), [&](const auto id) { return deaf.stream(id).status != 0; });
  };

  ASSERT_TRUE(deaf.run_until(answered));

  const auto taken =
      std::count_if(lists.begin(), lists.end(), [&](const auto id) { return deaf.stream(id).status == 200; });
  EXPECT_GE(taken, 4);
  EXPECT_LE(taken, 7);  // two megabytes each, and one a thread on top
  httpd::RawClient other(server.port());
  EXPECT_EQ(ask(other, http1(server, "GET", kConfigMaps + "?limit=0&fieldSelector=metadata.name%3Dnone")), 200);
}

TEST(HostilePeersTest, WatchersThatDoNotReadHoldTheSameMemoryAndGiveItBack) {
  Server server;
  std::vector<std::unique_ptr<httpd::RawClient>> deaf;
  for (int i = 0; i < 60; ++i) {
    deaf.push_back(std::make_unique<httpd::RawClient>(server.port(), nullptr, 4096));
    deaf.back()->send(http1(server, "GET", kConfigMaps + "?watch=1"));
    ASSERT_TRUE(deaf.back()->fill_until("\r\n\r\n"));
  }
  httpd::RawClient writer(server.port());
  const std::string large = R"({"metadata":{"name":"a"},"data":{"v":")" + std::string(1'000'000, 'x');
  ASSERT_EQ(ask(writer, http1(server, "POST", kConfigMaps, large + "\"}}")), 201);
  const std::size_t before = resident();

  for (int i = 0; i < 60; ++i)
    ASSERT_EQ(ask(writer, http1(server, "PUT", kConfigMaps + "/a", large + std::to_string(i) + "\"}}")), 200);
  const std::size_t with_watchers = resident();
  deaf.clear();
  EXPECT_TRUE(comes_true([&] { return server.core().watchers() == 0; }));
  server.core().compact_history();

  if (!kMemoryIsOurs) return;
  EXPECT_LT(with_watchers, before + (256u << 20));  // perhaps less than before: other pages go meanwhile
  const auto given_back = [&] {
    ask(writer, http1(server, "GET", "/healthz"));
    return resident() < before + (32u << 20);
  };
  EXPECT_TRUE(comes_true(given_back)) << (resident() >> 20) << " MB, before " << (before >> 20);
}

}  // namespace
}  // namespace kubexx::apiserver
