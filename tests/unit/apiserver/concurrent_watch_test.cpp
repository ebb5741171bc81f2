#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/meta/json.hpp"
#include "unit/apiserver/addresses.hpp"
#include "unit/httpd/raw_client.hpp"

namespace kubexx::apiserver {
namespace {

using State = std::map<std::string, std::uint64_t>;  // version by name

constexpr int kWriters = 4;
constexpr int kWritesEach = 400;
constexpr int kWatchers = 80;

std::string request(const Server& server, const std::string& method, const std::string& target,
                    const std::string& version = "1.1", const std::string& body = {}) {
  std::string out = method + ' ' + target + " HTTP/" + version + "\r\nhost: x\r\nauthorization: Bearer " +
                    server.admin_token() + "\r\n";
  if (!body.empty()) {
    out += "content-type: application/" + std::string(method == "PATCH" ? "merge-patch+" : "") +
           "json\r\ncontent-length: " + std::to_string(body.size()) + "\r\n";
  }
  return out + "\r\n" + body;
}

/// The listed state at exactly that version.
State listed(const Server& server, std::uint64_t version, const std::string& selector) {
  httpd::RawClient client(server.port());
  client.send(
      request(server, "GET",
              kConfigMaps + "?resourceVersionMatch=Exact&resourceVersion=" + std::to_string(version) + selector));
  const auto reply = client.reply();
  EXPECT_EQ(reply.status, 200) << reply.body;
  State out;
  const auto list = meta::parse_json(reply.body).value();
  for (meta::Value item : list["items"].items())
    out[std::string(item["metadata"]["name"].string())] =
        std::stoull(std::string(item["metadata"]["resourceVersion"].string()));
  return out;
}

struct Plan {
  bool initial_events = false;
  std::uint64_t from = 0;       ///< without initial events
  std::string selector;         ///< of the query, with its '&'
  std::string last;             ///< the object that ends it
  std::size_t leave_after = 0;  ///< so many events; 0: at the last object
};

/// One watch on a connection of its own: replays its stream and compares with the server's list at its last version.
class Follower {
 public:
  Follower(const Server& server, Plan plan) : server_(server), plan_(std::move(plan)), client_(server.port()) {}

  void run() {
    if (!plan_.initial_events) {
      state_ = listed(server_, plan_.from, plan_.selector);
      version_ = plan_.from;
    }
    live_ = !plan_.initial_events;
    const std::string from = plan_.initial_events ? "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                                                  : "&resourceVersion=" + std::to_string(plan_.from);
    // HTTP/1.0: the body is the stream itself, without chunks.
    client_.send(
        request(server_, "GET", kConfigMaps + "?watch=1&allowWatchBookmarks=true" + plan_.selector + from, "1.0"));
    ASSERT_TRUE(client_.fill_until("\r\n\r\n"));
    std::string bytes = std::move(client_.buffer());
    bytes.erase(0, bytes.find("\r\n\r\n") + 4);
    while (!done_ && !::testing::Test::HasFailure()) {
      for (std::size_t end; !done_ && (end = bytes.find('\n')) != std::string::npos; bytes.erase(0, end + 1))
        take(meta::parse_json(std::string_view(bytes).substr(0, end)).value());
      if (done_) break;
      const std::string more = client_.receive();
      ASSERT_FALSE(more.empty()) << "the watch ended, or was silent for too long";
      bytes += more;
    }
    if (::testing::Test::HasFailure()) return;
    EXPECT_EQ(state_, listed(server_, version_, plan_.selector)) << "at " << version_;
  }

 private:
  void take(const meta::Object& event) {
    const meta::Value metadata = event["object"]["metadata"];
    const std::string_view type = event["type"].string();
    const std::string name(metadata["name"].string());
    const std::uint64_t version = std::stoull(std::string(metadata["resourceVersion"].string()));
    ++events_;
    if (type == "BOOKMARK") {
      EXPECT_GE(version, version_);  // everything up to it was sent
      version_ = std::max(version_, version);
      live_ = live_ || metadata["annotations"]["k8s.io/initial-events-end"].string() == "true";
      done_ = live_ && state_.count(plan_.last) == 1;
      return leave();
    }
    if (live_) {
      EXPECT_GT(version, version_) << type << ' ' << name;
      version_ = version;
    }
    if (type == "ADDED") {
      EXPECT_TRUE(state_.emplace(name, version).second) << name;
    } else if (type == "MODIFIED") {
      EXPECT_EQ(state_.count(name), 1U) << name;
      state_[name] = version;
    } else {
      EXPECT_EQ(type, "DELETED");
      EXPECT_EQ(state_.erase(name), 1U) << name;
    }
    done_ = live_ && name == plan_.last;
    leave();
  }
  void leave() { done_ = done_ || (live_ && plan_.leave_after > 0 && events_ >= plan_.leave_after); }

  const Server& server_;
  const Plan plan_;
  httpd::RawClient client_;
  State state_;
  std::uint64_t version_ = 0;
  std::size_t events_ = 0;
  bool live_ = false;
  bool done_ = false;
};

std::string config_map(const std::string& name, const std::string& label, std::uint64_t value) {
  return R"({"metadata":{"name":")" + name + R"(","labels":{"app":")" + label + R"("}},"data":{"v":")" +
         std::to_string(value) + "\"}}";
}

/// Creates, replaces, patches and deletes objects that the other writers write too; refusals are part of it.
void write_at_random(const Server& server, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  httpd::RawClient client(server.port());
  for (int i = 0; i < kWritesEach; ++i) {
    const std::string name = "m" + std::to_string(random() % 12);
    const std::string body = config_map(name, random() % 2 ? "x" : "y", random());
    switch (random() % 6) {
      case 0:
      case 1:
        client.send(request(server, "POST", kConfigMaps, "1.1", body));
        break;
      case 2:
      case 3:
        client.send(request(server, "PUT", kConfigMaps + '/' + name, "1.1", body));
        break;
      case 4:
        client.send(request(server, "PATCH", kConfigMaps + '/' + name, "1.1", body));
        break;
      default:
        client.send(request(server, "DELETE", kConfigMaps + '/' + name));
    }
    const int status = client.reply().status;
    EXPECT_TRUE(status < 300 || status == 404 || status == 409) << status;
  }
}

TEST(ConcurrentWatchTest, EveryStreamReplaysToTheStateListedAtItsLastVersionWhileSeveralClientsWrite) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Options options;
  options.io_threads = 2;
  options.bookmark_interval = std::chrono::milliseconds(20);
  Server server(options);
  const std::uint64_t start = server.version();

  std::vector<std::jthread> followers;
  {
    std::atomic<int> writing = kWriters;
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&server, &writing, own = random()] {
        write_at_random(server, own);
        --writing;
      });
    }
    for (int i = 0; i < kWatchers; ++i) {
      Plan plan;
      plan.initial_events = random() % 3 == 0;
      plan.from = start + random() % (server.version() - start + 1);
      const std::string label = random() % 2 ? "x" : "y";
      if (random() % 2) plan.selector = "&labelSelector=app%3D" + label;
      plan.last = "last-" + label;
      if (random() % 4 == 0) plan.leave_after = 1 + random() % 60;
      followers.emplace_back([&server, plan] { Follower(server, plan).run(); });
      // Spread over the time of the writes: the next one starts some writes later.
      const std::uint64_t wanted = start + static_cast<std::uint64_t>(i) * kWriters * kWritesEach / (3 * kWatchers);
      httpd::RawClient client(server.port());
      while (server.version() < wanted && writing > 0) {
        client.send(request(server, "GET", "/healthz"));
        if (client.reply().status != 200) break;
      }
    }
  }
  httpd::RawClient client(server.port());
  for (const char* label : {"x", "y"}) {
    client.send(request(server, "POST", kConfigMaps, "1.1", config_map(std::string("last-") + label, label, 0)));
    EXPECT_EQ(client.reply().status, 201);
  }
  followers.clear();
}

}  // namespace
}  // namespace kubexx::apiserver
