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
  PlainInformer make(NewInformerOptions options = {}) {
    ResourceEventHandlerFuncs<> handler;
    handler.on_add = [this](const meta::Object& o) { calls.push_back("add " + std::string(o.name())); };
    handler.on_update = [this](const meta::Object& before, const meta::Object& after) {
      calls.push_back("update " + std::string(before.resource_version()) + " " + std::string(after.resource_version()));
    };
    handler.on_delete = [this](const Deleted<meta::Object>& gone) { calls.push_back("delete " + gone.key()); };
    options.reflector.version_check = Duration::zero();
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
  const auto informer = make();
  EXPECT_FALSE(informer.controller->has_synced());
  informer.controller->start();
  executor->run_until_idle();
  EXPECT_TRUE(informer.controller->has_synced());

  send(meta::WatchEventType::Added, config_map("b", "6"));
  send(meta::WatchEventType::Modified, config_map("a", "7"));
  send(meta::WatchEventType::Deleted, config_map("b", "8"));

  EXPECT_THAT(calls, ElementsAre("add a", "add b", "update 1 7", "delete ns/b"));
  EXPECT_THAT(informer.store->list_keys(), ElementsAre("ns/a"));
  EXPECT_EQ(informer.controller->last_sync_resource_version(), "8");
  informer.controller->stop();
  executor->run_until_idle();
}

TEST_F(PlainInformerTest, AnIndexAnswersFromTheFirstListOn) {
  script->answer({config_map("a", "1", "x"), config_map("b", "2", "y")}, "5");
  const auto by_value = [](const meta::Object& object) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{std::string(object["data"]["v"].string())};
  };
  NewInformerOptions options;
  options.reflector.version_check = Duration::zero();
  const auto informer = new_indexer_informer(script, make_handler(ResourceEventHandlerFuncs<>{}), Strand(executor),
                                             {{"value", by_value}}, std::move(options));
  informer.controller->start();
  executor->run_until_idle();
  EXPECT_THAT(informer.store->index_keys("value", "x").value(), ElementsAre("ns/a"));
  send(meta::WatchEventType::Modified, config_map("b", "6", "x"));

  EXPECT_THAT(informer.store->index_keys("value", "x").value(), ElementsAre("ns/a", "ns/b"));
  EXPECT_THAT(informer.store->index_keys("value", "y").value(), ElementsAre());
  informer.controller->stop();
  executor->run_until_idle();
}

TEST_F(PlainInformerTest, ASecondStartDoesNothing) {
  script->answer({}, "5");
  const auto informer = make();
  informer.controller->start();
  informer.controller->start();
  executor->run_until_idle();

  EXPECT_EQ(script->lists.size(), 1U);
  informer.controller->stop();
  executor->run_until_idle();
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
  NewInformerOptions options;
  options.reflector.version_check = Duration::zero();
  const auto informer = new_informer(script, make_handler(std::move(handler)), Strand(executor), std::move(options));
  store = informer.store;
  informer.controller->start();
  executor->run_until_idle();
  send(meta::WatchEventType::Modified, config_map("a", "6"));
  script->stream().send({meta::WatchEventType::Added, config_map("b", "7")});  // with the next as one batch
  send(meta::WatchEventType::Deleted, config_map("a", "8"));

  EXPECT_THAT(calls, ElementsAre("add 1", "update 6", "add 7", "delete nothing"));
}

}  // namespace
}  // namespace kubexx::informer
