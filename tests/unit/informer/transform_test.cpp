/// What transforms promise: handlers, stores and readers meet transformed objects only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "kubexx/informer/controller.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "support/fixture_executor.hpp"
#include "unit/informer/fake_source.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using reflector::Script;
using testing::ElementsAre;

/// Marks the value. Twice would show.
Result<meta::Object> mark(meta::Object object) {
  return config_map(std::string(object.name()), std::string(object.resource_version()), value_of(object) + "!");
}

// TestTransformingInformer
TEST(TransformTest, APlainInformerShowsOnlyTransformedObjectsInAddsUpdatesDeletesAndItsStore) {
  const FixtureExecutor executor;
  const auto script = std::make_shared<Script>();
  script->answer({config_map("a", "1", "one")}, "5");
  std::vector<std::string> calls;
  ResourceEventHandlerFuncs<> handler;
  handler.on_add = [&](const meta::Object& o) { calls.push_back("add " + value_of(o)); };
  handler.on_update = [&](const meta::Object& before, const meta::Object& after) {
    calls.push_back("update " + value_of(before) + " " + value_of(after));
  };
  handler.on_delete = [&](const Deleted<meta::Object>& gone) {
    calls.push_back("delete " + value_of(gone.last_known()));
  };
  InformerOptions options;
  options.transform = mark;
  options.reflector.emplace();
  options.reflector->version_check = Duration::zero();
  const auto [store, controller] =
      new_informer(script, make_handler(std::move(handler)), Strand(executor), std::move(options));
  controller->start();
  executor->run_until_idle();
  EXPECT_EQ(value_of(store->find("ns/a")), "one!");
  const auto send = [&](meta::WatchEventType type, meta::Object object) {
    script->stream().send({type, std::move(object)});
    executor->run_until_idle();
  };
  send(meta::WatchEventType::Added, config_map("b", "6", "other"));
  send(meta::WatchEventType::Modified, config_map("a", "7", "two"));
  EXPECT_EQ(value_of(store->find("ns/a")), "two!");
  send(meta::WatchEventType::Deleted, config_map("a", "8", "last"));

  EXPECT_THAT(calls, ElementsAre("add one!", "add other!", "update one! two!", "delete last!"));
  EXPECT_THAT(store->list_keys(), ElementsAre("ns/b"));
  controller->stop();
  executor->run_until_idle();
}

// TestTransformingInformerRace
TEST(TransformTest, FastResyncsNeverTransformWhatIsStoredAndReadersSeeItTransformedOnce) {
  const auto source = std::make_shared<FakeSource>();
  for (int i = 0; i < 10; ++i) source->put("m" + std::to_string(i), "0");
  std::latch reminded(50);
  std::atomic<int> reminders{0};
  std::atomic<int> wrong{0};
  const auto look = [&](const meta::Object& object) {
    const auto value = value_of(object);
    if (value.find('!') != value.size() - 1) ++wrong;
  };
  ResourceEventHandlerFuncs<> handler;
  handler.on_add = [&](const meta::Object& o) { look(o); };
  handler.on_update = [&](const meta::Object& before, const meta::Object& after, const EventContext& context) {
    look(before);
    look(after);
    if (context.cause() == EventCause::Resync && ++reminders <= 50) reminded.count_down();
  };
  InformerOptions options;
  options.transform = mark;
  options.resync_period = std::chrono::milliseconds(1);
  const auto executor = std::make_shared<ThreadExecutor>();
  const auto [store, controller] =
      new_informer(source, make_handler(std::move(handler)), Strand(executor), std::move(options));
  controller->start();
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i) {
      readers.emplace_back([&, &kept = *store](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          for (const auto& object : kept.list()) look(object);
        }
      });
    }
    for (int i = 0; i < 200; ++i) source->put("m" + std::to_string(i % 10), std::to_string(i));
    reminded.wait();
  }
  std::latch ended(1);
  controller->stop([&] { ended.count_down(); });
  ended.wait();

  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(store->size(), 10U);
}

// TestStoreResourceVersionWithNonMetaTransform
TEST(TransformTest, WithoutMetadataTheStoresVersionFollowsListsAndBookmarksOnly) {
  const FixtureExecutor executor;
  const auto script = std::make_shared<Script>();
  script->answer({config_map("a", "1")}, "5");
  InformerOptions options;
  options.description = "configmaps";
  options.executor = executor;
  options.handlers = executor;
  options.reflector.emplace();
  options.reflector->version_check = Duration::zero();
  options.reflector->backoff = Backoff::none();
  options.indexers = {};
  options.transform = [](meta::Object object) -> Result<meta::Object> {
    return meta::object_from_json(R"({"id":")" + std::string(object.name()) + "\"}");
  };
  options.key_func = [](const meta::Object& object) -> Result<std::string> {
    return std::string(object["id"].string());
  };
  const auto informer = SharedIndexInformer::create(script, std::move(options));
  informer->start();
  executor->run_until_idle();
  const auto version = [&] { return informer->store()->last_store_sync_resource_version(); };
  const auto send = [&](meta::WatchEvent event) {
    script->stream().send(std::move(event));
    executor->run_until_idle();
  };
  EXPECT_EQ(version(), "5");
  send({meta::WatchEventType::Added, config_map("b", "6")});
  send({meta::WatchEventType::Modified, config_map("a", "7")});
  send({meta::WatchEventType::Deleted, config_map("a", "8")});
  EXPECT_EQ(version(), "5");
  EXPECT_THAT(informer->store()->list_keys(), ElementsAre("b"));
  send(reflector::bookmark("9"));
  EXPECT_EQ(version(), "9");
  script->answer({config_map("c", "11")}, "12");
  send(reflector::status_event(410, "Expired", "too old"));
  EXPECT_EQ(version(), "12");
  EXPECT_THAT(informer->store()->list_keys(), ElementsAre("c"));
  informer->stop();
  executor->run_until_idle();
}

}  // namespace
}  // namespace kubexx::informer
