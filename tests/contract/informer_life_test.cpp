/// Informers that are stopped, blocked or led to another server, over sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <thread>

#include "contract/any_server.hpp"
#include "contract/queue_under_test.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/informer/client_lister_watcher.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/fault_proxy.hpp"
#include "kubexx/testkit/recording_handler.hpp"

namespace kubexx::informer {
namespace {

using contract::kConfigMaps;
using reflector::ReflectorState;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::UnorderedElementsAre;
using testkit::make_config_map;
using testkit::Recording;

/// Until what an informer's reflector says of itself is as wanted.
bool await(const SharedIndexInformer& informer, const std::function<bool(const reflector::ReflectorStatus&)>& wanted) {
  return testkit::eventually([&] { return wanted(informer.status().reflector); }, seconds(60));
}

InformerOptions options_for(const rest::Client& client) {
  InformerOptions options;
  options.resource = kConfigMaps;
  options.queue = contract::queue_under_test();
  options.executor = client.executor();
  options.handlers = client.handlers();
  return options;
}

/// Stops a proxy the moment a reflector is in a state.
struct StallAt final : reflector::Owner {
  StallAt(testkit::FaultProxy& p, ReflectorState s) : proxy(p), state(s) {}
  void on_change() override {
    const auto watched = informer.lock();
    if (done || !watched || watched->status().reflector.state != state) return;
    done = true;
    outage = proxy.stall();
  }
  testkit::FaultProxy& proxy;
  const ReflectorState state;
  std::weak_ptr<SharedIndexInformer> informer;  // set before it is started
  bool done = false;                            // strand
  apiserver::Outage outage;
};

/// Where an informer may be when it is stopped, and how it gets there.
struct Stage {
  std::string name;
  ReflectorState state;
  bool stalled = false;  ///< from the moment it is there nothing passes between client and server
  bool watch_list = true;
  std::function<apiserver::Outage(apiserver::Server&, testkit::FaultProxy&)> prepare = {};
  meta::GroupVersionResource resource = kConfigMaps;
  bool watchable = true;
  std::int64_t page_size = 0;
  std::size_t items = 0;  ///< so many have arrived
};

std::ostream& operator<<(std::ostream& out, const Stage& stage) {
  return out << stage.name;
}

std::vector<Stage> stages() {
  const auto refusing = [](auto&, auto& proxy) { return proxy.refuse(); };
  const auto without_bookmarks = [](auto& server, auto&) { return server.core().drop_bookmarks(); };
  const auto failing = [](auto& server, auto&) { return server.core().add_fault({.verb = "list", .status = 500}); };
  return {
      {.name = "NoConnection", .state = ReflectorState::BackingOff, .prepare = refusing},
      {.name = "UnansweredList", .state = ReflectorState::Listing, .stalled = true, .watch_list = false},
      {.name = "UnansweredWatchList", .state = ReflectorState::WatchListing, .stalled = true},
      {.name = "WatchListBeforeItsBookmark",
       .state = ReflectorState::WatchListing,
       .prepare = without_bookmarks,
       .items = 1000},
      {.name = "UnansweredWatch", .state = ReflectorState::Opening, .stalled = true, .watch_list = false},
      {.name = "Watching", .state = ReflectorState::Watching},
      {.name = "WatchingAfterPages", .state = ReflectorState::Watching, .watch_list = false, .page_size = 1},
      {.name = "StalledWatch", .state = ReflectorState::Watching, .stalled = true},
      {.name = "FailingList", .state = ReflectorState::BackingOff, .watch_list = false, .prepare = failing},
      {.name = "Parked", .state = ReflectorState::Parked, .resource = {"example.com", "v1", "widgets"}},
      {.name = "Polling", .state = ReflectorState::Polling, .watchable = false},
  };
}

class StopStageTest : public ::testing::TestWithParam<Stage> {
 protected:
  apiserver::Server server_;
  testkit::FaultProxy proxy_{testkit::config(server_)};
};

TEST_P(StopStageTest, StoppedThereAnInformerEndsSoonAndCallsNobodyAfterwards) {
  const Stage& stage = GetParam();
  for (std::size_t i = 0; i < stage.items + 3; ++i) {
    ASSERT_TRUE(server_.seed(make_config_map("default/m" + std::to_string(i))));
  }
  apiserver::Outage outage;
  if (stage.prepare) outage = stage.prepare(server_, proxy_);
  const auto client = rest::Client::create(proxy_.config()).value();
  InformerOptions options = options_for(client);
  const auto stall = std::make_shared<StallAt>(proxy_, stage.state);
  options.reflector.emplace();
  if (stage.stalled) options.reflector->owner = stall;
  options.reflector->watch_list = stage.watch_list;
  options.reflector->page_size = stage.page_size;
  options.reflector->backoff = {.initial = minutes(10), .cap = minutes(10)};
  ClientSourceOptions source;
  source.watchable = stage.watchable;
  const auto informer =
      SharedIndexInformer::create(make_client_lister_watcher(client, stage.resource, source), options);
  Recording seen;
  const auto registration = informer->add_event_handler(seen.handler());
  stall->informer = informer;
  informer->start();
  ASSERT_TRUE(await(*informer, [&](const auto& status) {
    return status.state == stage.state && status.initial_items >= stage.items;
  }));

  informer->stop();
  auto joined = std::async(std::launch::async, [&] { informer->join(); });
  ASSERT_EQ(joined.wait_for(seconds(10)), std::future_status::ready);

  EXPECT_EQ(informer->status().reflector.state, ReflectorState::Stopped);
  const auto told = seen.lines();
  outage.end();
  stall->outage.end();
  ASSERT_TRUE(server_.seed(make_config_map("default/late")));
  EXPECT_EQ(seen.lines(), told);
}

INSTANTIATE_TEST_SUITE_P(Stages, StopStageTest, ::testing::ValuesIn(stages()),
                         [](const auto& each) { return each.param.name; });

TEST(InformerLifeTest, ABlockedHandlerDelaysNoOtherInformerAndItsOwnCacheGoesOn) {
  apiserver::Server server;
  ASSERT_TRUE(server.seed(make_config_map("default/a")));
  DynamicSharedInformerFactory factory(testkit::client(server), {.defaults = {.queue = contract::queue_under_test()}});
  const auto blocked = factory.for_resource(kConfigMaps).value().informer();
  const auto free = factory.for_resource({"", "v1", "namespaces"}).value().informer();
  std::latch entered(1);
  ResourceEventHandlerFuncs<meta::Object> block;
  block.on_add = [&](const meta::Object& object, const EventContext& context) {
    if (object.name() == "a") entered.count_down();
    wait_for_stop(context.stop());
  };
  const auto blocking = blocked.add_event_handler(std::move(block));
  Recording seen;
  const auto registration = free.add_event_handler(seen.handler());
  factory.start();
  entered.wait();
  EXPECT_TRUE(seen.await({"add default", "add kube-system"}));

  const auto written = server.seed(make_config_map("default/b")).value();
  ASSERT_TRUE(blocked.shared()->get("default/b", written.resource_version(), {.timeout = seconds(10)}));
  ASSERT_TRUE(server.core().remove({"", "v1", "namespaces"}, {"", "kube-public"}));
  EXPECT_TRUE(seen.await({"delete kube-public"}));
  EXPECT_TRUE(blocked.has_synced());
  EXPECT_FALSE(blocking.has_synced());
  factory.shutdown();  // its context tells the blocked call
}

/// Sends to one server, and from some moment on to another.
class SwitchTransport final : public transport::Transport {
 public:
  SwitchTransport(std::shared_ptr<transport::Transport> next, std::string from, std::string to)
      : next_(std::move(next)), from_(std::move(from)), to_(std::move(to)) {}
  std::unique_ptr<transport::Exchange> send(transport::Request request,
                                            std::shared_ptr<transport::ResponseSink> sink) override {
    if (switched && request.url.starts_with(from_)) request.url.replace(0, from_.size(), to_);
    return next_->send(std::move(request), std::move(sink));
  }
  std::atomic<bool> switched{false};

 private:
  const std::shared_ptr<transport::Transport> next_;
  const std::string from_;
  const std::string to_;
};

// Behind an address that stands for several servers, one of which was restored from a backup.
TEST(InformerLifeTest, WhileTheGroupIsNotServedAParkedInformerAsksWithoutBeingAnsweredNotFound) {
  apiserver::Server server;
  const auto client = testkit::client(server);
  const auto informer = SharedIndexInformer::create(
      make_client_lister_watcher(client, {"example.com", "v1", "widgets"}, {}), options_for(client));
  informer->start();
  ASSERT_TRUE(await(*informer, [](const auto& status) { return status.state == ReflectorState::Parked; }));
  server.requests().clear();

  const auto asked = [&] {
    for (const auto& request : server.requests().entries()) {
      if (request.path == "/apis" && request.status == 200) return true;
    }
    return false;
  };
  EXPECT_TRUE(testkit::eventually(asked));
  EXPECT_EQ(server.requests().count("", "", {.status = 404}), 0U);
  informer->stop();
  informer->join();
}

TEST(InformerLifeTest, VersionsThatWentBackAreNoticedOnAWatchThatNobodyCut) {
  const apiserver::Options options{.admin_token = "made-for-this-test"};
  apiserver::Server restored(options);
  apiserver::Server server(options);
  ASSERT_TRUE(restored.seed(make_config_map("default/old", "1")));
  for (const auto* value : {"1", "2", "3"}) ASSERT_TRUE(server.seed(make_config_map("default/old", value)));
  ASSERT_TRUE(server.seed(make_config_map("default/new")));
  ASSERT_LT(restored.version(), server.version());
  const auto config = testkit::config(server);
  const auto transport = std::make_shared<SwitchTransport>(
      transport::HttpTransport::create(contract::transport_options(config)).value(), server.url(), restored.url());
  rest::ClientOptions client_options;
  client_options.transport = transport;
  const auto client = testkit::client(server, client_options);
  InformerOptions informer_options = options_for(client);
  informer_options.reflector.emplace();
  informer_options.reflector->version_check = milliseconds(20);
  const auto informer = SharedIndexInformer::create(make_client_lister_watcher(client, kConfigMaps), informer_options);
  Recording seen;
  const auto registration = informer->add_event_handler(seen.handler());
  informer->start();
  ASSERT_TRUE(seen.await({"add default/old", "add default/new"}));
  ASSERT_TRUE(await(*informer, [](const auto& status) { return status.state == ReflectorState::Watching; }));
  ASSERT_EQ(server.core().watchers(), 1U);
  // What it waits on from is read in this call: a thread of its own may begin to wait when all is over.
  const auto told = std::make_shared<std::promise<Result<void>>>();
  informer->wait_until_reached_async({{{"default", "old"}, "999999", {}}}, {.timeout = seconds(60)})
      .start([told](Result<void> end) { told->set_value(std::move(end)); });

  transport->switched = true;

  EXPECT_TRUE(seen.await({"update default/old", "delete default/new (final state unknown)"}));
  EXPECT_THAT(informer->store()->list_keys(), UnorderedElementsAre("default/old"));
  EXPECT_EQ(informer->store()->find("default/old")["data"]["v"].string(), "1");
  EXPECT_TRUE(await(*informer, [](const auto& status) { return status.restarts.contains("versions_went_back"); }));
  EXPECT_FALSE(informer->status().reflector.last_error);
  const auto result = told->get_future().get();
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is_expired()) << result.error().message();
  ASSERT_TRUE(restored.seed(make_config_map("default/after")));
  EXPECT_TRUE(seen.await({"add default/after"}));
  informer->stop();
  informer->join();
}

}  // namespace
}  // namespace kubexx::informer
