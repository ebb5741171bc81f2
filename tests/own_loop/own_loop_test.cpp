#include <gtest/gtest.h>
#include <poll.h>

#include <memory>
#include <thread>

#include "kubexx/base/loop_executor.hpp"
#include "kubexx/client/dynamic_client.hpp"
#include "kubexx/client/pager.hpp"
#include "kubexx/controller/controller.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/election/leader_observer.hpp"
#include "kubexx/events/event_broadcaster.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/informer/until.hpp"
#include "kubexx/logs/log_streams.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "own_loop/server_process.hpp"

namespace kubexx::own_loop {
namespace {

using namespace std::chrono_literals;

const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

meta::Object map(const std::string& name, const std::string& value) {
  return meta::parse_json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                          R"("},"data":{"v":")" + value + R"("}})")
      .value();
}

std::string value(const meta::Object& object) {
  return std::string(object["data"]["v"].string());
}

/// Over HTTP/1.1 (false) and TLS with HTTP/2 (true).
class OwnLoopTest : public ::testing::TestWithParam<bool> {
 protected:
  OwnLoopTest() : server_(GetParam()), loop_(std::make_shared<LoopExecutor>()) {
    client_ = rest::Client::create(server_.config(), {.executor = loop_}).value();
    maps_ = client::DynamicClient(*client_).resource(kConfigMaps).namespaced("default");
  }
  ~OwnLoopTest() override {
    maps_.reset();
    client_.reset();
    loop_->shut_down();
    // The system lists a thread that was joined for a moment longer.
    EXPECT_TRUE(testkit::eventually([&] { return threads() == threads_; })) << threads() << " threads";
  }

  /// The loop of a program: it waits for the descriptor, and for that alone.
  template <class Done>
  bool poll_until(Done done) {
    const TimePoint ceiling = Clock::system().now() + 30s;
    while (!done()) {
      if (Clock::system().now() > ceiling) return false;
      pollfd waiting{loop_->fd(), POLLIN, 0};
      if (::poll(&waiting, 1, 1000) == 1) loop_->run_ready();
      ++turns_;
      EXPECT_EQ(threads(), threads_);
    }
    return true;
  }
  /// How often the descriptor calls for attention in that time.
  int wake_ups(Duration time) {
    int count = 0;
    for (const TimePoint until = Clock::system().now() + time; Clock::system().now() < until;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::system().now());
      pollfd waiting{loop_->fd(), POLLIN, 0};
      if (::poll(&waiting, 1, static_cast<int>(left.count())) != 1) continue;
      loop_->run_ready();
      ++count;
    }
    return count;
  }
  Result<rest::Response> disturb(const std::string& what) {
    rest::Request request;
    request.method = "POST";
    request.absolute_path = "/kubexx/faults";
    request.body = what;
    return client_->send(request);
  }
  const client::ResourceApi& maps() const { return *maps_; }
  const rest::Client& client() const { return *client_; }

  const std::size_t threads_ = threads();
  ServerProcess server_;
  const std::shared_ptr<LoopExecutor> loop_;
  int turns_ = 0;

 private:
  std::optional<rest::Client> client_;
  std::optional<client::ResourceApi> maps_;
};

/// What a handler heard, and that it was this thread.
struct Heard {
  informer::ResourceEventHandlerFuncs<meta::Object> handler() {
    informer::ResourceEventHandlerFuncs<meta::Object> functions;
    functions.on_add = [this](const meta::Object& object) { hear(object); };
    functions.on_update = [this](const meta::Object&, const meta::Object& object) { hear(object); };
    return functions;
  }
  void hear(const meta::Object& object) {
    EXPECT_EQ(std::this_thread::get_id(), thread);
    last[std::string(object.name())] = value(object);
  }
  std::map<std::string, std::string> last;
  const std::thread::id thread = std::this_thread::get_id();
};

TEST_P(OwnLoopTest, AnInformerAListerAnUpdateAndAnElectionAllRunOnThisThread) {
#if !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(threads(), 1U);
#endif
  ASSERT_TRUE(maps().create(map("one", "1")));
  informer::SharedInformerFactory factory(client());
  const auto informer = factory.for_resource(kConfigMaps).value();
  Heard heard;
  const auto registration = informer.informer().add_event_handler(heard.handler());
  factory.start();
  ASSERT_TRUE(poll_until([&] { return registration.has_synced(); }));
  EXPECT_EQ(heard.last["one"], "1");

  const auto cached = informer.lister().get("default/one");
  ASSERT_TRUE(cached);
  auto draft = cached->edit();
  draft["data"]["v"].set("2");
  ASSERT_TRUE(maps().update(draft.to_object()));
  ASSERT_TRUE(poll_until([&] { return heard.last["one"] == "2"; }));
  EXPECT_EQ(value(informer.lister().get("default/one").value()), "2");

  election::LeaderElectionOptions options;
  options.name = "own-loop";
  options.identity = "this";
  std::stop_source stop;
  bool led = false;
  election::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [&](const election::LeaderGuard&) {
    EXPECT_EQ(std::this_thread::get_id(), heard.thread);
    led = true;
    stop.request_stop();
  };
  const auto elector = election::LeaderElector::create(client(), options, callbacks).value();
  elector->run(stop.get_token());
  EXPECT_TRUE(led);
  EXPECT_EQ(threads(), threads_);
}

TEST_P(OwnLoopTest, AnElectionIsWaitedForAndObservedFromTheLoopsThread) {
  election::LeaderElectionOptions options;
  options.name = "observed";
  options.identity = "this";
  options.annotations = {{"address", "here"}};
  std::shared_ptr<void> work;
  election::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [&](const election::LeaderGuard& guard) { work = guard.hold(); };
  const auto elector = election::LeaderElector::create(client(), options, callbacks).value();
  const auto observer = election::LeaderObserver::create(client(), {.name = "observed"}).value();
  observer->start();
  elector->start();

  const auto leading =
      elector->wait_until([](const auto& now) { return now.leading; }, {.timeout = std::chrono::seconds(60)});
  ASSERT_TRUE(leading) << leading.error();
  const auto seen =
      observer->wait_until([](const auto& now) { return now.holder == "this"; }, {.timeout = std::chrono::seconds(60)});
  ASSERT_TRUE(seen) << seen.error();
  EXPECT_EQ(seen->annotation("address"), "here");

  ASSERT_TRUE(poll_until([&] { return work != nullptr; }));
  elector->stop();
  work.reset();
  EXPECT_TRUE(
      observer->wait_until([](const auto& now) { return now.holder.empty(); }, {.timeout = std::chrono::seconds(60)}));
  EXPECT_EQ(threads(), threads_);
}

TEST_P(OwnLoopTest, EveryBlockingCallOnTheLoopsThreadDrivesTheLoop) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(maps().create(map("m" + std::to_string(i), "1")));
  EXPECT_EQ(maps().get("m1")->name(), "m1");
  EXPECT_EQ(maps().list()->items.size(), 5U);
  EXPECT_EQ(maps().list_all({.limit = 2})->items.size(), 5U);
  std::size_t paged = 0;
  const client::Pager pager(maps(), {.page_size = 2});
  EXPECT_TRUE(pager.each_list_item({}, [&](const meta::Object&) -> Result<void> {
    ++paged;
    return {};
  }));
  EXPECT_EQ(paged, 5U);
  std::size_t watched = 0;
  EXPECT_TRUE(maps().watch({.timeout = 60s}, [&](const meta::WatchEvent&) { return ++watched < 5; }));

  informer::SharedInformerFactory factory(client());
  const auto informer = factory.for_resource(kConfigMaps).value().informer();
  Heard heard;
  const auto registration = informer.add_event_handler(heard.handler());
  factory.start();
  EXPECT_TRUE(factory.wait_for_cache_sync({}));
  EXPECT_TRUE(registration.wait_until_synced());
  const auto updated = maps().patch("m1", client::PatchType::Merge, R"({"data":{"v":"2"}})").value();
  EXPECT_TRUE(informer.wait_until(updated.resource_version(), {.timeout = 60s}));
  EXPECT_EQ(value(informer.get("default/m1", updated.resource_version()).value()), "2");
  const auto until = informer::until_with_sync(
      maps(), {.timeout = 60s}, {},
      {[](const meta::WatchEvent& event) -> Result<bool> { return value(event.object) == "2"; }});
  ASSERT_TRUE(until) << until.error();

  {
    events::EventBroadcaster broadcaster(client());
    broadcaster.recorder("test").event(updated, "Normal", "Tried", "it works");
    EXPECT_TRUE(broadcaster.shutdown(60s));
  }
  factory.shutdown();
  EXPECT_EQ(threads(), threads_);
}

TEST_P(OwnLoopTest, AHandlerAndAReconcileMayBlockInACall) {
  ASSERT_TRUE(maps().create(map("one", "1")));
  informer::SharedInformerFactory factory(client());
  const auto informer = factory.for_resource(kConfigMaps).value().informer();
  std::string read;
  const auto registration = informer.add_event_handler({.on_add = [&](const meta::Object& object) {
    const auto again = maps().get(object.name());
    read = again ? value(*again) : again.error().message();
  }});
  std::stop_source stop;
  std::string reconciled;
  controller::ControllerOptions options;
  options.name = "own";
  options.executor = client().executor();
  options.handlers = client().handlers();
  controller::ControllerCore core({{"", "ConfigMap"}}, informer.shared(), {}, options);
  core.start(stop.get_token(),
             [&](const meta::ObjectKey& key, const std::stop_token& reconcile_stop) -> Result<controller::Action> {
               auto written =
                   maps().patch(key.name, client::PatchType::Merge, R"({"data":{"v":"2"}})", {.stop = reconcile_stop});
               if (!written) return written.error();
               reconciled = value(*written);
               stop.request_stop();
               return controller::Action::done();
             });
  factory.start();

  EXPECT_TRUE(core.join());

  EXPECT_TRUE(read == "1" || read == "2") << read;  // both calls are under way at once
  EXPECT_EQ(reconciled, "2");
}

TEST_P(OwnLoopTest, ABlockingCallEndsWithItsStopAndItsTime) {
  ASSERT_TRUE(maps().create(map("one", "1")));
  server_.freeze();
  std::stop_source stop;
  const auto timer = loop_->post_after(50ms, [&] { stop.request_stop(); });
  EXPECT_TRUE(maps().get("one", {.stop = stop.get_token()}).error().is_canceled());

  const TimePoint before = Clock::system().now();
  EXPECT_TRUE(maps().get("one", {.timeout = 100ms}).error().is_timeout());
  EXPECT_GE(Clock::system().now() - before, 100ms);
  EXPECT_LT(Clock::system().now() - before, 10s);
  server_.thaw();
  EXPECT_TRUE(maps().get("one"));
}

TEST_P(OwnLoopTest, AnInformerIsIdleWhileNothingHappens) {
  informer::SharedInformerFactory factory(client());
  const auto informer = factory.for_resource(kConfigMaps).value().informer();
  factory.start();
  ASSERT_TRUE(poll_until([&] { return informer.has_synced(); }));
  wake_ups(200ms);  // what the start left

  EXPECT_LE(wake_ups(1s), 10);
}

TEST_P(OwnLoopTest, ACutConnectionAndARestartAreOvercome) {
  ASSERT_TRUE(maps().create(map("one", "1")));
  informer::SharedInformerFactory factory(client());
  const auto informer = factory.for_resource(kConfigMaps).value().informer();
  Heard heard;
  const auto registration = informer.add_event_handler(heard.handler());
  factory.start();
  ASSERT_TRUE(poll_until([&] { return registration.has_synced(); }));

  disturb(R"({"action":"dropConnections"})").has_value();  // its answer may be lost too
  ASSERT_TRUE(
      poll_until([&] { return maps().patch("one", client::PatchType::Merge, R"({"data":{"v":"2"}})").has_value(); }));
  EXPECT_TRUE(poll_until([&] { return heard.last["one"] == "2"; }));

  disturb(R"({"action":"restart","downMillis":300})").has_value();
  ASSERT_TRUE(
      poll_until([&] { return maps().patch("one", client::PatchType::Merge, R"({"data":{"v":"3"}})").has_value(); }));
  EXPECT_TRUE(poll_until([&] { return heard.last["one"] == "3"; }));
  EXPECT_EQ(threads(), threads_);
}

TEST_P(OwnLoopTest, AServerThatIsAwayIsAskedAgainWithoutHaste) {
  ASSERT_TRUE(disturb(R"({"action":"refuseConnections","downMillis":1500})"));
  informer::SharedInformerFactory factory(client());
  const auto informer = factory.for_resource(kConfigMaps).value().informer();
  factory.start();
  ASSERT_TRUE(poll_until([&] { return informer.status().reflector.attempts > 0 || informer.has_synced(); }));

  turns_ = 0;
  EXPECT_TRUE(poll_until([&] { return informer.has_synced(); }));

  EXPECT_LE(turns_, 500);
}

TEST_P(OwnLoopTest, StoppingInTheMiddleOfAListEndsEverything) {
  server_.freeze();
  std::stop_source stop;
  {
    informer::SharedInformerFactory factory(client());
    const auto informer = factory.for_resource(kConfigMaps).value().informer();
    factory.start(stop.get_token());
    const auto timer = loop_->post_after(50ms, [&] { stop.request_stop(); });
    const auto sync = factory.wait_for_cache_sync(stop.get_token());
    EXPECT_FALSE(sync);
    EXPECT_TRUE(sync.as_error()->is_canceled());
    informer->join();
  }
  server_.thaw();
}

TEST_P(OwnLoopTest, HandlersMayHaveThreadsOfTheirOwnThatWaitForTheLoop) {
  ASSERT_TRUE(maps().create(map("one", "1")));
  const auto handlers = std::make_shared<ElasticExecutor>();
  const auto mixed = rest::Client::create(server_.config(), {.executor = loop_, .handlers = handlers}).value();
  const auto api = client::DynamicClient(mixed).resource(kConfigMaps).namespaced("default");
  informer::SharedInformerFactory factory(mixed);
  const auto informer = factory.for_resource(kConfigMaps).value().informer();
  std::atomic<bool> began{false};
  std::string read;
  auto registration = informer.add_event_handler({.on_add = [&](const meta::Object&) {
    began = true;
    read = value(api.get("one").value());  // answered by the loop, whose thread waits for this call below
  }});
  factory.start();
  const TimePoint ceiling = Clock::system().now() + 30s;
  while (!began && Clock::system().now() < ceiling) {
    pollfd waiting{loop_->fd(), POLLIN, 0};
    if (::poll(&waiting, 1, 10) == 1) loop_->run_ready();
  }
  ASSERT_TRUE(began);

  registration.remove();

  EXPECT_EQ(read, "1");
  factory.shutdown();
}

TEST_P(OwnLoopTest, LogsArriveGoOnAfterACutAndPauseOnThisThread) {
  const auto pods = client::DynamicClient(client()).resource({"", "v1", "pods"}).namespaced("default");
  ASSERT_TRUE(pods.create(
      meta::parse_json(
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"web","image":"i"}]}})")
          .value()));
  const auto write = [this](const std::string& text) {
    return disturb(R"({"action":"appendLog","namespace":"default","pod":"p","text":")" + text + R"("})").has_value();
  };
  ASSERT_TRUE(write("one"));
  std::vector<std::string> lines;
  logs::LogStreamsOptions options;
  options.backoff = {.initial = 50ms};
  options.max_waiting_bytes = 1;  // every line pauses it
  options.on_line = [&, thread = std::this_thread::get_id()](const logs::LogLine& line) {
    EXPECT_EQ(std::this_thread::get_id(), thread);
    lines.emplace_back(line.text);
  };
  const auto streams = logs::LogStreams::create(client(), std::move(options)).value();
  streams->start();
  ASSERT_TRUE(poll_until([&] { return lines.size() == 1; }));

  ASSERT_TRUE(disturb(R"({"action":"cutLogs"})"));
  ASSERT_TRUE(write("two") && write("three"));
  ASSERT_TRUE(poll_until([&] { return lines.size() == 3; }));

  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(streams->status().resumed, 1U);
}

INSTANTIATE_TEST_SUITE_P(Servers, OwnLoopTest, ::testing::Values(false, true),
                         [](const auto& test) { return test.param ? "https" : "http"; });

}  // namespace
}  // namespace kubexx::own_loop
