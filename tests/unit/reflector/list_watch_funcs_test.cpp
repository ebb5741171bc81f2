#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <latch>
#include <mutex>

#include "unit/reflector/reflector_fixture.hpp"

/// A source that a user makes of two blocking functions.
namespace kubexx::reflector {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

/// Events from a vector, then whatever `end` says.
class Canned final : public EventStream {
 public:
  explicit Canned(std::vector<meta::WatchEvent> events, Result<std::optional<meta::WatchEvent>> end = {std::nullopt})
      : events_(events.begin(), events.end()), end_(std::move(end)) {}
  Result<std::optional<meta::WatchEvent>> next(std::stop_token) override {
    if (events_.empty()) return end_;
    auto event = std::move(events_.front());
    events_.pop_front();
    return std::optional(std::move(event));
  }

 private:
  std::deque<meta::WatchEvent> events_;
  Result<std::optional<meta::WatchEvent>> end_;
};

class ListWatchFuncsTest : public testing::Test {
 protected:
  void start(ListWatchFuncs functions) {
    ReflectorOptions options;
    options.type_description = "configmaps";
    options.watch_error_handler = [this](const reflector::WatchError& failed) {
      errors.push_back(failed.error.message());
    };
    reflector = Reflector::create(make_lister_watcher(std::move(functions), executor), sink, Strand(executor),
                                  std::move(options));
    reflector->start();
    executor->run_until_idle();
  }
  void TearDown() override {
    if (reflector) reflector->stop();
    executor->run_until_idle();
  }
  Result<ObjectList> two_maps() const {
    return ObjectList{{"v1", "ConfigMapList", "5", "", {}}, {config_map("a", "1"), config_map("b", "2")}};
  }

  FixtureExecutor executor;
  std::shared_ptr<Recorder> sink = std::make_shared<Recorder>();
  std::shared_ptr<Reflector> reflector;
  std::vector<std::string> errors;
};

TEST_F(ListWatchFuncsTest, TheFunctionsAreAskedAsAServerIs) {
  std::vector<meta::ListOptions> lists;
  std::vector<meta::ListOptions> watches;
  ListWatchFuncs functions;
  functions.list = [&](const meta::ListOptions& options, std::stop_token) {
    lists.push_back(options);
    return two_maps();
  };
  functions.watch = [&](const meta::ListOptions& options, std::stop_token) -> Result<std::unique_ptr<EventStream>> {
    watches.push_back(options);
    if (watches.size() > 1) return Error::api(403, "Forbidden", "no more");
    return std::make_unique<Canned>(std::vector<meta::WatchEvent>{
        {meta::WatchEventType::Modified, config_map("a", "6")}, {meta::WatchEventType::Deleted, config_map("b", "7")}});
  };
  start(std::move(functions));

  EXPECT_THAT(sink->history, ElementsAre("replace a@1 b@2 at 5", "update a@6", "remove b@7"));
  EXPECT_EQ(lists.at(0).resource_version, "0");
  EXPECT_EQ(watches.at(0).resource_version, "5");
  EXPECT_EQ(watches.at(1).resource_version, "7");  // the stream closed cleanly
  EXPECT_THAT(errors, ElementsAre("failed to watch configmaps: no more"));
}

// TestNewReflectorWithDisablementWatchList, TestToListWatcherWithWatchListSemantics: what the source says decides,
// unless the option is off
TEST_F(ListWatchFuncsTest, AWatchListIsTriedOnlyWhereTheSourceSupportsItAndTheOptionIsOn) {
  for (const bool supported : {false, true}) {
    for (const bool wanted : {false, true}) {
      std::vector<meta::ListOptions> watches;
      ListWatchFuncs functions;
      functions.supports_watch_list = supported;
      functions.list = [&](const meta::ListOptions&, std::stop_token) { return two_maps(); };
      functions.watch = [&](const meta::ListOptions& options, std::stop_token) -> Result<std::unique_ptr<EventStream>> {
        watches.push_back(options);
        return Error::canceled("enough");
      };
      const auto source = make_lister_watcher(functions, executor);
      EXPECT_EQ(source->supports_watch_list(), supported);
      ReflectorOptions options;
      options.watch_list = wanted;
      const auto made = Reflector::create(source, sink, Strand(executor), std::move(options));
      made->start();
      executor->run_until_idle();
      made->stop();
      executor->run_until_idle();

      ASSERT_EQ(watches.size(), 1U);
      EXPECT_EQ(watches[0].send_initial_events.value_or(false), supported && wanted);
    }
  }
}

TEST_F(ListWatchFuncsTest, FunctionsThatThrowFailTheRoundAndAreAskedAgain) {
  int lists = 0;
  int watches = 0;
  ListWatchFuncs functions;
  functions.list = [&](const meta::ListOptions&, std::stop_token) -> Result<ObjectList> {
    if (++lists == 1) throw std::runtime_error("no list");
    return two_maps();
  };
  functions.watch = [&](const meta::ListOptions&, std::stop_token) -> Result<std::unique_ptr<EventStream>> {
    if (++watches == 1) throw std::runtime_error("no watch");
    return Error::canceled("enough");
  };
  start(std::move(functions));
  EXPECT_THAT(errors, ElementsAre(HasSubstr("no list")));
  // The waits are random: 0.8 to 1.6 s, then 1.6 to 3.2 s, then 3.2 s at least.
  executor->advance(seconds(2));
  EXPECT_THAT(errors, ElementsAre(HasSubstr("no list"), HasSubstr("no watch")));
  executor->advance(seconds(3));

  EXPECT_EQ(lists, 3);
  EXPECT_EQ(watches, 2);
}

TEST_F(ListWatchFuncsTest, ASourceWithoutAWatchFunctionIsPolled) {
  ListWatchFuncs functions;
  functions.list = [&](const meta::ListOptions&, std::stop_token) { return two_maps(); };

  start(std::move(functions));

  EXPECT_EQ(reflector->status().state, ReflectorState::Polling);
}

TEST_F(ListWatchFuncsTest, ASourceWithoutAListFunctionSaysSo) {
  start({});

  EXPECT_THAT(errors, ElementsAre(HasSubstr("no list function")));
}

TEST_F(ListWatchFuncsTest, AStreamIsReadOnlySomeEventsAheadOfTheSink) {
  struct Counting final : EventStream {
    explicit Counting(int& c) : count(c) {}
    Result<std::optional<meta::WatchEvent>> next(std::stop_token) override {
      if (count == 5000) return Error::canceled("enough");
      ++count;
      return std::optional(meta::WatchEvent{meta::WatchEventType::Modified, config_map("a", std::to_string(count))});
    }
    int& count;
  };
  int produced = 0;
  ListWatchFuncs functions;
  functions.list = [&](const meta::ListOptions&, std::stop_token) { return two_maps(); };
  functions.watch = [&](const meta::ListOptions&, std::stop_token) -> Result<std::unique_ptr<EventStream>> {
    return std::make_unique<Counting>(produced);
  };
  reflector = Reflector::create(make_lister_watcher(std::move(functions), executor), sink, Strand(executor), {});
  reflector->start();

  int most_ahead = 0;
  while (executor->run_one()) {
    most_ahead = std::max(most_ahead, produced - static_cast<int>(sink->history.size()));
  }

  EXPECT_EQ(sink->history.size(), 5001U);
  EXPECT_LE(most_ahead, 256);
}

TEST_F(ListWatchFuncsTest, AReflectorMayBeDestroyedAtAnyMomentWhileItsSourceIsBusy) {
  struct Endless final : EventStream {
    Result<std::optional<meta::WatchEvent>> next(std::stop_token stop) override {
      if (stop.stop_requested()) return Error::canceled();
      return std::optional(meta::WatchEvent{meta::WatchEventType::Modified, config_map("a", std::to_string(++count))});
    }
    int count = 10;
  };
  struct Counter final : DeltaSink {
    Result<void> add(meta::Object) override { return {}; }
    Result<void> update(meta::Object) override { return taken(); }
    Result<void> remove(meta::Object) override { return {}; }
    Result<void> replace(std::vector<meta::Object>, std::string) override { return taken(); }
    Result<void> resync() override { return {}; }
    Result<void> taken() {
      ++count;
      count.notify_all();
      return {};
    }
    std::atomic<int> count = 0;
  };
  ListWatchFuncs functions;
  functions.list = [list = two_maps()](const meta::ListOptions&, std::stop_token) { return list; };
  functions.watch = [](const meta::ListOptions&, std::stop_token) -> Result<std::unique_ptr<EventStream>> {
    return std::make_unique<Endless>();
  };
  const auto strands = std::make_shared<ThreadExecutor>();
  const auto blocking = std::make_shared<ElasticExecutor>();
  std::vector<Strand> used;

  for (int events = 0; events < 40; ++events) {
    const auto counter = std::make_shared<Counter>();
    used.emplace_back(strands);
    auto running = Reflector::create(make_lister_watcher(functions, blocking), counter, used.back(), {});
    running->start();
    for (int seen = 0; seen < events * 20; seen = counter->count) counter->count.wait(seen);
    running.reset();
  }

  for (const auto& strand : used) {
    const auto reached = std::make_shared<std::latch>(1);  // behind the end of the calls
    strand.post([reached] { reached->count_down(); });
    reached->wait();
  }
}

TEST_F(ListWatchFuncsTest, StopReachesAFunctionThatBlocks) {
  std::stop_source stop;
  std::atomic<bool> ended = false;
  const auto threads = std::make_shared<ElasticExecutor>();  // joins before the others go
  ListWatchFuncs functions;
  functions.list = [&](const meta::ListOptions&, std::stop_token inner) -> Result<ObjectList> {
    stop.request_stop();
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, inner, [] { return false; });
    ended = true;
    ended.notify_all();
    return Error::canceled("stopped");
  };
  const auto running = Reflector::create(make_lister_watcher(std::move(functions), threads), sink, Strand(threads), {});

  running->run(stop.get_token());
  ended.wait(false);

  EXPECT_TRUE(sink->history.empty());
}

}  // namespace
}  // namespace kubexx::reflector
