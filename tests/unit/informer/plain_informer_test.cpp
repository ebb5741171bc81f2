#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/informer/controller.hpp"
#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using reflector::Script;
using testing::ElementsAre;

class PlainInformerTest : public testing::Test {
 protected:
  std::pair<std::shared_ptr<store::Indexer>, std::shared_ptr<Controller>> make(InformerOptions options = {}) {
    ResourceEventHandlerFuncs<> handler;
    handler.on_add = [this](const meta::Object& o) { calls.push_back("add " + std::string(o.name())); };
    handler.on_update = [this](const meta::Object& before, const meta::Object& after) {
      calls.push_back("update " + std::string(before.resource_version()) + " " + std::string(after.resource_version()));
    };
    handler.on_delete = [this](const Deleted<meta::Object>& gone) { calls.push_back("delete " + gone.key()); };
    options.reflector.emplace();
    options.reflector->version_check = Duration::zero();
    return new_informer(script, make_handler(std::move(handler)), Strand(executor), std::move(options));
  }
  void send(meta::WatchEventType type, meta::Object object) {
    script->stream().send({type, std::move(object)});
    executor->run_until_idle();
  }

  std::vector<std::string> calls;
  FixtureExecutor executor;
  std::shared_ptr<Script> script = std::make_shared<Script>();
};

// Example, ExampleNewInformer
TEST_F(PlainInformerTest, TheStoreFollowsTheSourceAndTheHandlerHearsEachChange) {
  script->answer({config_map("a", "1")}, "5");
  const auto [store, controller] = make();
  EXPECT_FALSE(controller->has_synced());
  controller->start();
  executor->run_until_idle();
  EXPECT_TRUE(controller->has_synced());

  send(meta::WatchEventType::Added, config_map("b", "6"));
  send(meta::WatchEventType::Modified, config_map("a", "7"));
  send(meta::WatchEventType::Deleted, config_map("b", "8"));

  EXPECT_THAT(calls, ElementsAre("add a", "add b", "update 1 7", "delete ns/b"));
  EXPECT_THAT(store->list_keys(), ElementsAre("ns/a"));
  EXPECT_EQ(controller->last_sync_resource_version(), "8");
  controller->stop();
  executor->run_until_idle();
}

TEST_F(PlainInformerTest, AnIndexAnswersFromTheFirstListOn) {
  script->answer({config_map("a", "1", "x"), config_map("b", "2", "y")}, "5");
  const auto by_value = [](const meta::Object& object) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{std::string(object["data"]["v"].string())};
  };
  InformerOptions options;
  options.reflector.emplace();
  options.reflector->version_check = Duration::zero();
  options.indexers = {{"value", by_value}};
  const auto [store, controller] =
      new_informer(script, make_handler(ResourceEventHandlerFuncs<>{}), Strand(executor), std::move(options));
  controller->start();
  executor->run_until_idle();
  EXPECT_THAT(store->index_keys("value", "x").value(), ElementsAre("ns/a"));
  send(meta::WatchEventType::Modified, config_map("b", "6", "x"));

  EXPECT_THAT(store->index_keys("value", "x").value(), ElementsAre("ns/a", "ns/b"));
  EXPECT_THAT(store->index_keys("value", "y").value(), ElementsAre());
  controller->stop();
  executor->run_until_idle();
}

TEST_F(PlainInformerTest, ASecondStartDoesNothing) {
  script->answer({}, "5");
  const auto [store, controller] = make();
  controller->start();
  controller->start();
  executor->run_until_idle();

  EXPECT_EQ(script->lists.size(), 1U);
  controller->stop();
  executor->run_until_idle();
}

TEST_F(PlainInformerTest, AStoppedControllerDropsWhatItQueuedAndDoesNotStartAgain) {
  script->answer({config_map("a", "1")}, "5");
  const auto [store, controller] = make();
  controller->start();
  executor->run_until_idle();
  script->stream().send({meta::WatchEventType::Added, config_map("b", "6")});
  bool ended = false;
  controller->stop([&] { ended = true; });
  executor->run_until_idle();
  EXPECT_TRUE(ended);
  EXPECT_THAT(calls, ElementsAre("add a", "add b"));  // what had come before the stop

  controller->start();
  executor->run_until_idle();
  EXPECT_EQ(script->lists.size(), 1U);
  EXPECT_EQ(controller->queue_depth(), 0U);
}

TEST_F(PlainInformerTest, RunReturnsAtOnceWhenItRunsAlreadyOrHasEnded) {
  script->answer({}, "5");
  const auto [store, controller] = make();
  controller->start();
  executor->run_until_idle();
  controller->run({});
  controller->stop();
  executor->run_until_idle();
  controller->run({});
  EXPECT_EQ(script->lists.size(), 1U);
}

TEST_F(PlainInformerTest, TheStoreHasAChangeBeforeTheHandlerHearsOfIt) {
  script->answer({config_map("a", "1")}, "5");
  std::shared_ptr<store::Indexer> store;
  const auto look = [&](const char* call, std::string_view key) {
    const auto held = store->find(key);
    calls.push_back(std::string(call) + " " + (held ? std::string(held.resource_version()) : "nothing"));
  };
  ResourceEventHandlerFuncs<> handler;
  handler.on_add = [&](const meta::Object& o) { look("add", "ns/" + std::string(o.name())); };
  handler.on_update = [&](const meta::Object&, const meta::Object& o) {
    look("update", "ns/" + std::string(o.name()));
  };
  handler.on_delete = [&](const Deleted<meta::Object>& gone) { look("delete", gone.key()); };
  InformerOptions options;
  options.reflector.emplace();
  options.reflector->version_check = Duration::zero();
  const auto [kept, controller] =
      new_informer(script, make_handler(std::move(handler)), Strand(executor), std::move(options));
  store = kept;
  controller->start();
  executor->run_until_idle();
  send(meta::WatchEventType::Modified, config_map("a", "6"));
  script->stream().send({meta::WatchEventType::Added, config_map("b", "7")});  // with the next as one batch
  send(meta::WatchEventType::Deleted, config_map("a", "8"));

  EXPECT_THAT(calls, ElementsAre("add 1", "update 6", "add 7", "delete nothing"));
}

}  // namespace
}  // namespace kubexx::informer
