#include "kubexx/informer/controller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "kubexx/delta/delta_fifo.hpp"
#include "kubexx/delta/ordered_queue.hpp"
#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using reflector::Script;
using std::chrono::seconds;
using testing::ElementsAre;

class ControllerTest : public testing::Test {
 protected:
  ControllerTest() : config(make_config()) {}
  Config make_config() {
    Config made;
    made.lister_watcher = script;
    made.queue = delta::DeltaFifo();
    made.reflector.backoff = Backoff::none();
    made.reflector.version_check = Duration::zero();
    made.process = [this](delta::Deltas& deltas, bool) -> Result<void> {
      for (const auto& each : deltas) processed.push_back(std::string(each.object().name()));
      if (failures-- <= 0) return {};
      if (throws) throw std::runtime_error("on purpose");
      return Error::config("on purpose");
    };
    return made;
  }
  void start() {
    controller = Controller::create(std::move(config), Strand(executor));
    controller->start();
    executor->run_until_idle();
  }
  void TearDown() override {
    if (controller) controller->stop();
    executor->run_until_idle();
  }

  FixtureExecutor executor;
  std::shared_ptr<Script> script = std::make_shared<Script>();
  Config config;
  std::vector<std::string> processed;
  int failures = 0;
  bool throws = false;
  std::shared_ptr<Controller> controller;
};

TEST_F(ControllerTest, WhatCouldNotBeProcessedComesAgainWhenThatIsWanted) {
  for (const bool by_exception : {false, true}) {
    processed.clear();
    failures = 2;
    throws = by_exception;
    config = make_config();
    config.retry_on_error = true;
    script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
    start();

    EXPECT_THAT(processed, ElementsAre("a", "b", "a", "b")) << by_exception;
    EXPECT_TRUE(controller->has_synced());
  }
}

TEST_F(ControllerTest, WhatCouldNotBeProcessedIsGoneOtherwise) {
  failures = 1;
  script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
  start();

  EXPECT_THAT(processed, ElementsAre("a", "b"));
}

TEST_F(ControllerTest, ObjectsOfAnotherTypeAreDroppedAndCounted) {
  config.object_type = meta::GroupVersionKind{"", "v1", "Pod"};
  config.object_description = "pods";
  script->answer({}, "5");
  start();
  script->stream().send({meta::WatchEventType::Added, config_map("a", "6")});
  executor->run_until_idle();

  EXPECT_TRUE(processed.empty());
  EXPECT_EQ(controller->status().skipped, 1U);
}

TEST_F(ControllerTest, ResyncsComeInTheirPeriodAndAreAskedFor) {
  int asked = 0;
  config.full_resync_period = seconds(10);
  config.should_resync = [&] {
    ++asked;
    return false;
  };
  script->answer({}, "5");
  start();
  executor->advance(seconds(35));

  EXPECT_EQ(asked, 3);
}

TEST_F(ControllerTest, ListsHaveThePageSizeAndFailuresReachTheErrorHandler) {
  std::vector<std::string> errors;
  config.page_size = 7;
  config.watch_error_handler = [&](const reflector::WatchError& failed) { errors.push_back(failed.error.message()); };
  script->answer(Error::api(403, "Forbidden", "not yours"));
  script->answer({}, "5");
  start();
  executor->advance(seconds(1));

  ASSERT_FALSE(script->lists.empty());
  EXPECT_EQ(script->lists.front().limit, 7);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors.front(), testing::HasSubstr("not yours"));
}

TEST_F(ControllerTest, ItsMakerHearsWhenEverythingWasProcessed) {
  std::vector<std::string> versions;
  config.processed = [&](const QueueProgress& queue) {
    EXPECT_TRUE(queue.synced);
    if (queue.empty) versions.push_back(controller->last_sync_resource_version());
  };
  script->answer({config_map("a", "1")}, "5");
  start();
  script->stream().send({meta::WatchEventType::Modified, config_map("a", "6")});
  script->stream().send(reflector::bookmark("9"));
  executor->run_until_idle();

  ASSERT_FALSE(versions.empty());
  EXPECT_EQ(versions.back(), "9");
}

}  // namespace
}  // namespace kubexx::informer
