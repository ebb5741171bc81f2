#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <set>

#include "kubexx/base/stop.hpp"
#include "support/fixture_executor.hpp"
#include "unit/controller/fixture.hpp"

namespace kubexx::controller {
namespace {

using reflector::config_map;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ControllerStopTest : public testing::Test {
 protected:
  ControllerStopTest() {
    options.name = "test";
    options.executor = executor;
    options.handlers = executor;
    options.metrics = std::make_shared<MetricsRegistry>();
  }
  ~ControllerStopTest() override {
    own.informer->stop();
    executor->run_until_idle();
  }
  void make() {
    core = std::make_unique<ControllerCore>(Subject{{"", "ConfigMap"}}, own.informer, Predicate(), options);
  }
  void start(Reconcile reconcile) {
    core->start(stop.get_token(), std::move(reconcile));
    executor->run_until_idle();
  }
  void sync(std::vector<meta::Object> items) {
    own.script->answer(std::move(items), "5");
    own.informer->start();
    executor->run_until_idle();
  }

  FixtureExecutor executor;
  Source own{executor};
  ControllerOptions options;
  std::stop_source stop;
  std::unique_ptr<ControllerCore> core;
};

TEST_F(ControllerStopTest, AStopBeforeTheSyncEndsItWithAReason) {
  make();
  start([](const meta::ObjectKey&, std::stop_token) -> Result<Action> { return Action::done(); });
  stop.request_stop();
  executor->run_until_idle();

  const auto ended = core->join();
  ASSERT_FALSE(ended);
  EXPECT_TRUE(ended.error().is_canceled());
  EXPECT_THAT(ended.error().message(), HasSubstr("controller test"));
  EXPECT_THAT(ended.error().message(), HasSubstr("configmaps"));
}

TEST_F(ControllerStopTest, ASourceThatEndsBeforeItIsSyncedEndsTheController) {
  make();
  own.informer->start();
  start([](const meta::ObjectKey&, std::stop_token) -> Result<Action> { return Action::done(); });
  own.informer->stop();
  executor->run_until_idle();

  const auto ended = core->join();
  ASSERT_FALSE(ended);
  EXPECT_TRUE(ended.error().is_canceled());
}

TEST_F(ControllerStopTest, ASyncThatTakesTooLongEndsItWithATimeout) {
  options.sync_timeout = seconds(20);
  make();
  start([](const meta::ObjectKey&, std::stop_token) -> Result<Action> { return Action::done(); });
  executor->advance(seconds(19));
  EXPECT_EQ(core->status().state, ControllerState::Syncing);
  executor->advance(seconds(1));

  const auto ended = core->join();
  ASSERT_FALSE(ended);
  EXPECT_TRUE(ended.error().is_timeout());
  EXPECT_THAT(ended.error().message(), HasSubstr("configmaps"));
}

TEST_F(ControllerStopTest, AnInformerThatWasStoppedBeforeTheStartIsNoMisuse) {
  make();
  own.informer->stop();
  start([](const meta::ObjectKey&, std::stop_token) -> Result<Action> { return Action::done(); });
  EXPECT_TRUE(core->join().error().is_canceled());
}

TEST_F(ControllerStopTest, WhatWaitsAtTheStopIsStillReconciledAndNothingElse) {
  make();
  std::vector<std::string> seen;
  start([&](const meta::ObjectKey& key, std::stop_token token) -> Result<Action> {
    seen.push_back(key.name);
    if (key.name == "a") {
      stop.request_stop();
      while (!core->status().queue.shutting_down) executor->run_one();
      core->enqueue({"ns", "late"});
    }
    EXPECT_FALSE(token.stop_requested());
    return Action::requeue_after(seconds(1));
  });
  sync({config_map("a", "1"), config_map("b", "2"), config_map("c", "3")});
  executor->advance(seconds(100));

  EXPECT_TRUE(core->join());
  EXPECT_THAT(seen, ElementsAre("a", "b", "c"));
  EXPECT_EQ(core->status().state, ControllerState::Ended);
}

TEST_F(ControllerStopTest, AfterTheDrainDeadlineReconcilesAreAskedToStopAndTheRestIsDropped) {
  options.drain_deadline = seconds(5);
  make();
  std::vector<std::string> seen;
  bool asked = false;
  start([&](const meta::ObjectKey& key, std::stop_token token) -> Result<Action> {
    seen.push_back(key.name);
    stop.request_stop();
    while (executor->run_one()) {
    }
    EXPECT_FALSE(token.stop_requested());
    executor->fake_clock().advance(seconds(5));
    while (executor->run_one()) {
    }
    asked = token.stop_requested();
    return Error::canceled();
  });
  sync({config_map("a", "1"), config_map("b", "2"), config_map("c", "3")});
  executor->run_until_idle();

  const auto ended = core->join();
  ASSERT_FALSE(ended);
  EXPECT_TRUE(ended.error().is_timeout());
  EXPECT_THAT(ended.error().message(), HasSubstr("2 keys"));
  EXPECT_TRUE(asked);
  EXPECT_THAT(seen, ElementsAre("a"));
  EXPECT_EQ(core->status().errors, 0U) << "a canceled call at the end is no failure";
}

TEST_F(ControllerStopTest, WithoutADrainReconcilesAreAskedToStopAtOnce) {
  options.drain_deadline = Duration::zero();
  make();
  int calls = 0;
  start([&](const meta::ObjectKey&, std::stop_token token) -> Result<Action> {
    ++calls;
    stop.request_stop();
    while (executor->run_one()) {
    }
    EXPECT_TRUE(token.stop_requested());
    return Action::done();
  });
  sync({config_map("a", "1"), config_map("b", "2")});
  executor->run_until_idle();

  EXPECT_TRUE(core->join());
  EXPECT_EQ(calls, 1);
}

TEST_F(ControllerStopTest, DestroyedWhileItWorksItLeavesNoTaskThatMatters) {
  make();
  int calls = 0;
  start([&](const meta::ObjectKey&, std::stop_token) -> Result<Action> {
    ++calls;
    return Action::requeue();
  });
  sync({config_map("a", "1")});
  EXPECT_EQ(calls, 1);

  core.reset();
  executor->advance(seconds(1000));
  own.send(meta::WatchEventType::Added, config_map("b", "6"));
  executor->run_until_idle();
  EXPECT_EQ(calls, 1);
}

/// The same machine on threads.
class ControllerThreadsTest : public testing::Test {
 protected:
  ControllerThreadsTest() {
    options.executor = std::make_shared<ThreadExecutor>();
    options.handlers = std::make_shared<ElasticExecutor>();
    options.metrics = std::make_shared<MetricsRegistry>();
    options.rate_limiter = workqueue::RateLimiter::exponential(milliseconds(1), milliseconds(2));
    script->answer({}, "5");
    informer::InformerOptions source;
    source.description = "configmaps";
    source.executor = options.executor;
    source.handlers = options.handlers;
    source.reflector.emplace();
    source.reflector->watch_list = false;
    source.reflector->version_check = Duration::zero();
    informer = informer::SharedIndexInformer::create(script, std::move(source));
  }
  ~ControllerThreadsTest() override {
    informer->stop();
    informer->join();
  }
  std::unique_ptr<ControllerCore> make() {
    return std::make_unique<ControllerCore>(Subject{{"", "ConfigMap"}}, informer, Predicate(), options);
  }

  std::shared_ptr<reflector::Script> script = std::make_shared<reflector::Script>();
  ControllerOptions options;
  std::shared_ptr<informer::SharedIndexInformer> informer;
};

TEST_F(ControllerThreadsTest, AKeyIsNeverWithTwoWorkersAndEveryKeyIsReconciledAfterItsLastChange) {
  options.workers = 4;
  constexpr int kKeys = 20;
  constexpr int kRounds = 500;
  const auto core = make();
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::string> running;
  std::vector<int> wanted(kKeys);
  std::vector<int> got(kKeys);
  std::atomic<int> overlaps{0};
  std::atomic<std::size_t> most{0};
  std::stop_source stop;
  core->start(stop.get_token(), [&](const meta::ObjectKey& key, std::stop_token) -> Result<Action> {
    const auto index = static_cast<std::size_t>(std::stoi(key.name));
    {
      const std::lock_guard lock(mutex);
      if (!running.insert(key.name).second) ++overlaps;
      most = std::max(most.load(), running.size());
      got[index] = wanted[index];
    }
    const std::lock_guard lock(mutex);
    running.erase(key.name);
    changed.notify_all();
    if (got[index] % 7 == 3) return Error::api(500, "", "once more");
    return Action::done();
  });
  informer->start();
  for (int round = 1; round <= kRounds; ++round) {
    for (int key = 0; key < kKeys; ++key) {
      {
        const std::lock_guard lock(mutex);
        wanted[static_cast<std::size_t>(key)] = round;
      }
      core->enqueue({"", std::to_string(key)});
    }
  }
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, seconds(60), [&] { return got == wanted; }));
  }
  stop.request_stop();

  EXPECT_TRUE(core->join());
  EXPECT_EQ(overlaps, 0);
  EXPECT_LE(most, 4U);
}

TEST_F(ControllerThreadsTest, TheDestructorWaitsForARunningReconcileAndTellsItToStop) {
  auto core = make();
  std::latch running(1);
  std::atomic<bool> over{false};
  core->start({}, [&](const meta::ObjectKey&, std::stop_token token) -> Result<Action> {
    running.count_down();
    wait_for_stop(token);
    over = true;
    return Action::done();
  });
  informer->start();
  core->enqueue({"", "a"});
  running.wait();

  core.reset();

  EXPECT_TRUE(over);
}

}  // namespace
}  // namespace kubexx::controller
