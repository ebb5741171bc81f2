#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <random>

#include "contract/any_server.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/fault_proxy.hpp"
#include "kubexx/testkit/recording_handler.hpp"

namespace kubexx::contract {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testkit::FaultProxy;
using testkit::Recording;

/// An informer of ConfigMaps behind a proxy that breaks its connections; the test itself writes past the proxy.
class BrokenConnectionTest : public AnyServerTest {
 protected:
  void SetUp() override {
    AnyServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    proxy_.emplace(config());
    factory_ = make_factory(through_proxy());
  }
  rest::Client through_proxy() {
    auto options = transport_options(proxy_->config());
    options.read_idle = milliseconds(500);  // so that stopped peers are found within a test
    options.ping_timeout = milliseconds(500);
    rest::ClientOptions client_options;
    client_options.transport = transport::HttpTransport::create(options).value();
    return rest::Client::create(proxy_->config(), client_options).value();
  }
  informer::Informer<meta::Object> config_maps() { return factory_->for_resource(kConfigMaps).value().informer(); }
  reflector::ReflectorStatus reflector() { return config_maps().status().reflector; }
  void sync() { start_and_sync(*factory_); }
  bool watching() {
    return eventually([this] { return reflector().state == reflector::ReflectorState::Watching; });
  }
  bool cache_equals_server() {
    return eventually([this] { return in_cache(config_maps()) == on_server(); });
  }

  std::optional<FaultProxy> proxy_;
  std::unique_ptr<informer::DynamicSharedInformerFactory> factory_;
};
INSTANTIATE_TEST_SUITE_P(AnyServer, BrokenConnectionTest, kAnyServer, server_name);

/// Per key: an add, updates, a delete, and so on.
void expect_legal(const std::vector<std::string>& lines) {
  std::map<std::string, bool> there;
  for (const auto& line : lines) {
    const auto space = line.find(' ');
    const auto verb = line.substr(0, space);
    const auto key = line.substr(space + 1, line.find(' ', space + 1) - space - 1);
    EXPECT_EQ(there[key], verb != "add") << line;
    there[key] = verb != "delete";
  }
}

TEST_P(BrokenConnectionTest, AResetConnectionIsReplacedWithoutAListAndLosesNothing) {
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  sync();
  put("a");
  ASSERT_TRUE(seen.await({add("a")}));
  const auto lists = reflector().lists;

  for (int i = 0; i < 5; ++i) {
    const auto name = "m" + std::to_string(i);
    proxy_->cut();
    put(name);
    ASSERT_TRUE(seen.await({add(name)}, seconds(30))) << name;
  }

  EXPECT_EQ(reflector().lists, lists);
  EXPECT_EQ(seen.lines().size(), 6U);
  EXPECT_GE(proxy_->accepted(), 6U);
}

TEST_P(BrokenConnectionTest, AnEventCutAtAnyByteIsAddedOnceThroughTheNextConnection) {
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  sync();

  int made = 0;
  for (const std::size_t bytes : {1, 4, 8, 9, 12, 30, 31, 64, 200, 500}) {
    const auto name = "m" + std::to_string(made++);
    ASSERT_TRUE(watching());
    proxy_->cut_after(bytes);
    put(name);
    ASSERT_TRUE(seen.await({add(name)}, seconds(30))) << bytes;
  }

  EXPECT_TRUE(cache_equals_server());
  // A watch that ends at once is followed by a list, as in client-go, and a list tells of unchanged objects as updates.
  expect_legal(seen.lines());
}

TEST_P(BrokenConnectionTest, AFirstListThatNeverArrivesWholeShowsNothingAndLaterEverything) {
  for (int i = 0; i < 20; ++i) put("m" + std::to_string(i), std::string(2000, 'x'));
  auto outage = proxy_->cut_each_after(16'000);
  factory_->for_resource(kConfigMaps).value();

  factory_->start();

  ASSERT_TRUE(eventually([this] { return proxy_->accepted() >= 4; }));
  EXPECT_FALSE(config_maps().has_synced());
  EXPECT_TRUE(config_maps().lister().list().empty());
  outage.end();
  sync();
  EXPECT_EQ(in_cache(config_maps()), on_server());
}

TEST_P(BrokenConnectionTest, AStoppedPeerIsNoticedAndItsEventsArriveOnceItMoves) {
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  sync();
  ASSERT_TRUE(watching());

  {
    const auto outage = proxy_->stall();
    put("meanwhile");
    EXPECT_TRUE(eventually([this] { return reflector().state != reflector::ReflectorState::Watching; }));
  }

  EXPECT_TRUE(seen.await({add("meanwhile")}, seconds(60)));
  EXPECT_TRUE(cache_equals_server());
}

TEST_P(BrokenConnectionTest, AServerThatRefusesIsAskedUntilItAnswers) {
  put("a");
  const auto informer = config_maps();
  auto outage = proxy_->refuse();
  factory_->start();
  ASSERT_TRUE(eventually([&] { return informer.status().reflector.last_error.has_value(); }));
  EXPECT_FALSE(informer.has_synced());

  outage.end();

  sync();
  EXPECT_EQ(in_cache(informer), on_server());
}

TEST_P(BrokenConnectionTest, WhatHappensDuringAnOutageIsHeardOfAfterwards) {
  put("kept");
  put("changed");
  put("lost");
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  sync();
  ASSERT_TRUE(seen.await_count(3));

  {
    const auto outage = proxy_->refuse();
    remove("lost");
    put("changed", "2");
    put("new");
    ASSERT_TRUE(eventually([this] { return reflector().state != reflector::ReflectorState::Watching; }));
  }

  EXPECT_TRUE(seen.await({update("changed"), add("new")}, seconds(30)));
  // Told by the watch, or found missing by a list when the watch had just begun.
  EXPECT_TRUE(eventually([&] {
    const auto lines = seen.lines();
    return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.starts_with(gone("lost")); });
  }));
  EXPECT_TRUE(cache_equals_server());
  expect_legal(seen.lines());
}

TEST_P(BrokenConnectionTest, ASlowLineDelaysAndLosesNothing) {
  const auto outage = proxy_->delay(milliseconds(40));
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  sync();

  std::vector<std::string> wanted;
  for (int i = 0; i < 20; ++i) {
    const auto name = "m" + std::to_string(i);
    put(name);
    wanted.push_back(add(name));
  }

  EXPECT_TRUE(seen.await(wanted, seconds(30)));
  EXPECT_EQ(seen.lines().size(), 20U);
}

/// When the last news came, and the longest time without.
class News {
 public:
  std::shared_ptr<informer::ResourceEventHandler> handler() {
    informer::ResourceEventHandlerFuncs<meta::Object> functions;
    functions.on_update = [this](const meta::Object&, const meta::Object&) { look(true); };
    return informer::make_handler(std::move(functions));
  }
  Duration look(bool fresh) {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::system().now();
    longest_ = std::max(longest_, now - last_);
    if (fresh) last_ = now;
    return longest_;
  }

 private:
  std::mutex mutex_;
  TimePoint last_ = Clock::system().now();  // guarded by mutex_
  Duration longest_{};                      // guarded by mutex_
};

// FlakyLinkTest has the whole minute, ten times, on a clock of its own.
TEST_P(BrokenConnectionTest, ALinkThatIsCutTwiceASecondLeavesNoLongTimeWithoutNewsAndNeedsNoList) {
  std::mt19937 random(15);
  factory_ = make_factory(through_proxy(), {}, Backoff());
  const auto informer = config_maps();
  put("m");
  sync();
  ASSERT_TRUE(watching());
  put("m", "worked");
  ASSERT_TRUE(cache_equals_server());
  const auto lists = reflector().lists;

  // On a busy machine a connection may take longer than the link lets it live, several times in a row. That is over
  // the next time; waits that are too long are not.
  Duration longest = Duration::max();
  for (int tries = 0; tries < 3 && longest > seconds(6); ++tries) {
    News news;
    const auto registration = informer.add_event_handler(news.handler());
    const auto end = Clock::system().now() + seconds(8);
    auto next_cut = Clock::system().now();
    std::optional<apiserver::Outage> refusing;
    for (int change = 0; Clock::system().now() < end; ++change) {
      put("m", std::to_string(tries) + "." + std::to_string(change));
      if (Clock::system().now() < next_cut) continue;
      // What is cut is opened again at once: that one is refused, or lives until the next cut.
      refusing.reset();
      const auto refuses = random() % 5 == 0;
      if (refuses) {
        refusing = proxy_->refuse();
      } else {
        proxy_->cut();
      }
      const std::exponential_distribution<double>::param_type mean(refuses ? 10.0 : 2.0);
      const auto life = std::exponential_distribution<double>()(random, mean);
      next_cut = Clock::system().now() + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(life));
    }
    refusing.reset();
    longest = news.look(false);
  }

  EXPECT_LE(longest, seconds(6));
  EXPECT_EQ(reflector().lists, lists);
  EXPECT_TRUE(cache_equals_server());
}

TEST_P(BrokenConnectionTest, AfterAnyFaultsTheCacheEqualsTheServerAndEveryHistoryIsLegal) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  sync();

  std::map<std::string, bool> there;
  apiserver::Outage outage;
  for (int step = 0; step < 150; ++step) {
    const auto name = "m" + std::to_string(random() % 8);
    if (there[name] && random() % 3 == 0) {
      remove(name);
      there[name] = false;
    } else {
      put(name, std::to_string(step));
      there[name] = true;
    }
    switch (random() % 12) {
      case 0:
        proxy_->cut();
        break;
      case 1:
        proxy_->cut_after(1 + random() % 2000);
        break;
      case 2:
        outage = proxy_->refuse();
        break;
      case 3:
        outage = proxy_->stall();
        break;
      case 4:
        outage = proxy_->delay(milliseconds(random() % 50));
        break;
      default:
        if (random() % 2 == 0) outage.end();
    }
  }
  outage.end();

  EXPECT_TRUE(cache_equals_server());
  // A put that reaches the end of the line tells that everything before it was delivered.
  put("last");
  ASSERT_TRUE(seen.await({add("last")}, seconds(30)));
  expect_legal(seen.lines());
}

TEST_P(BrokenConnectionTest, ADeletionForgottenByTheServersHistoryIsFoundByANewList) {
  // Of secrets, because the server of ./dev test-cluster reads their history from etcd.
  const meta::GroupVersionResource secrets{"", "v1", "secrets"};
  const auto make = [&](std::string_view name) {
    const auto text = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":")" + std::string(name) + "\"}}";
    const auto made = api(secrets).create(meta::parse_json(text).value());
    ASSERT_TRUE(made) << made.error();
  };
  make("kept");
  make("lost");
  const auto informer = factory_->for_resource(secrets).value().informer();
  Recording seen;
  const auto registration = informer.add_event_handler(seen.handler());
  sync();
  ASSERT_TRUE(seen.await({add("kept"), add("lost")}));

  {
    const auto outage = proxy_->refuse();
    ASSERT_TRUE(api(secrets).remove("lost"));
    if (!compact_history()) GTEST_SKIP() << "compaction: the server's etcd is not known ($ETCD_UNDER_TEST)";
  }

  EXPECT_TRUE(seen.await({gone("lost") + " (final state unknown)"}, seconds(30)));
  EXPECT_EQ(in_cache(informer).size(), 1U);
  static_cast<void>(api(secrets).remove("kept"));
}

}  // namespace
}  // namespace kubexx::contract
