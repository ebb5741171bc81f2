// Every verb of the clients in a program that has one thread, which never blocks: all of it is tasks of one executor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "kubexx/client/discovery.hpp"
#include "kubexx/client/dynamic_client.hpp"
#include "kubexx/client/pager.hpp"
#include "kubexx/client/resource_mapper.hpp"
#include "kubexx/client/until.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/events/event_broadcaster.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/testkit/client.hpp"
#include "support/coroutine.hpp"
#include "support/one_thread.hpp"

namespace kubexx::contract {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testkit::make_config_map;

class OneThreadTest : public ::testing::Test {
 protected:
  client::ResourceApi maps() {
    return client::DynamicClient(*world.client).resource({"", "v1", "configmaps"}).namespaced("default");
  }
  void seed(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(world.core->seed(make_config_map("default/m" + std::to_string(i))));
    }
  }
  OneThread world;
};

TEST_F(OneThreadTest, AnObjectIsCreatedReadChangedAndRemoved) {
  const auto created = *world.result(maps().create_async(make_config_map("default/a", "1")));
  ASSERT_TRUE(created) << created.error();
  EXPECT_EQ((**world.result(maps().get_async("a")))["data"]["v"].string(), "1");

  auto draft = created->edit();
  draft["data"]["v"].set("2");
  ASSERT_TRUE(*world.result(maps().update_async(draft.to_object())));
  const auto patched = *world.result(maps().patch_async("a", client::PatchType::Merge, R"({"data":{"w":"3"}})", {}));
  ASSERT_TRUE(patched) << patched.error();
  EXPECT_EQ((*patched)["data"]["v"].string(), "2");
  EXPECT_EQ((*patched)["data"]["w"].string(), "3");
  const auto applied = *world.result(maps().apply_async(make_config_map("default/b", "4"), {.field_manager = "test"}));
  ASSERT_TRUE(applied) << applied.error();

  EXPECT_EQ((**world.result(maps().list_async())).items.size(), 2U);
  EXPECT_TRUE(*world.result(maps().remove_async("a")));
  EXPECT_TRUE((*world.result(maps().get_async("a"))).error().is_not_found());
  EXPECT_TRUE(*world.result(maps().remove_collection_async()));
  EXPECT_TRUE((**world.result(maps().list_all_async())).items.empty());
}

TEST_F(OneThreadTest, SubresourcesAreWritten) {
  const auto pods = client::DynamicClient(*world.client).resource({"", "v1", "pods"}).namespaced("default");
  const auto pod = **world.result(pods.create_async(testkit::make_pod("default/web")));
  auto draft = pod.edit();
  draft["status"]["phase"].set("Running");
  ASSERT_TRUE(*world.result(pods.update_status_async(draft.to_object())));
  EXPECT_EQ((**world.result(pods.get_subresource_async("web", "status")))["status"]["phase"].string(), "Running");
}

TEST_F(OneThreadTest, WhatIsRefusedBeforeItIsSentComesAsACompletionToo) {
  std::vector<Error> errors;
  const auto keep = [&](const auto& result) { errors.push_back(result.error()); };
  maps().get_async("").start(keep);
  maps().remove_async("").start(keep);
  maps().patch_async("", client::PatchType::Merge, "{}").start(keep);
  maps().apply_async(make_config_map("default/a"), {}).start(keep);
  maps().logs_async("").start(keep);
  EXPECT_TRUE(errors.empty());

  world.executor->run_until_idle();

  ASSERT_EQ(errors.size(), 5U);
  for (const auto& error : errors) EXPECT_EQ(error.kind(), ErrorKind::Config) << error;
}

TEST_F(OneThreadTest, AVerbNeedsNothingOfItsCallersArgumentsAfterwards) {
  seed(1);
  std::optional<Async<Result<meta::Object>>> operation;
  {
    std::string name = "m0";
    client::GetOptions options;
    operation = maps().get_async(name, options);
    name.assign("xx");
  }
  EXPECT_EQ((**world.result(std::move(*operation))).name(), "m0");
}

TEST_F(OneThreadTest, ALongListIsReadInPages) {
  seed(25);
  const client::Pager pager(maps(), {.page_size = 10});

  const auto all = *world.result(pager.list_async());
  ASSERT_TRUE(all) << all.error();
  EXPECT_TRUE(all->paginated);
  EXPECT_EQ(all->items.size(), 25U);

  std::vector<std::string> seen;
  const auto visited = *world.result(pager.each_list_item_async({}, [&](const meta::Object& item) -> Result<void> {
    seen.emplace_back(item.name());
    if (seen.size() == 17) return Error::config("enough");
    return {};
  }));
  EXPECT_EQ(visited.error().message(), "enough");
  EXPECT_EQ(seen.size(), 17U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST_F(OneThreadTest, AVisitorThatThrowsEndsTheVisitWithItsError) {
  seed(1);
  const auto visited = *world.result(client::Pager(maps()).each_list_item_async(
      {}, [](const meta::Object&) -> Result<void> { throw std::runtime_error("no good"); }));
  EXPECT_THAT(visited.error().message(), ::testing::HasSubstr("no good"));
}

TEST_F(OneThreadTest, TheServersResourcesAreFound) {
  const auto found = *world.result(client::discover_async(*world.client));
  ASSERT_TRUE(found) << found.error();
  EXPECT_GT(found->resources.size(), 20U);
  EXPECT_FALSE((**world.result(client::server_version_async(*world.client))).git_version.empty());

  std::optional<Async<Result<client::ApiResource>>> outlives;
  {
    client::ResourceMapper mapper(*world.client);
    EXPECT_EQ((**world.result(mapper.get_async("deploy"))).kind, "Deployment");
    EXPECT_EQ((**world.result(mapper.get_async(meta::GroupVersionKind{"", "v1", "Pod"}))).singular, "pod");
    EXPECT_EQ((**world.result(mapper.all_async())).size(), found->resources.size());
    EXPECT_TRUE((*world.result(mapper.get_async("pdos"))).error().is_not_found());
    outlives = mapper.get_async(meta::GroupVersionResource{"apps", "v1", "deployments"});
  }
  EXPECT_EQ((**world.result(std::move(*outlives))).kind, "Deployment");
}

TEST_F(OneThreadTest, AConditionIsWaitedFor) {
  const auto before = **world.result(maps().create_async(make_config_map("default/a", "1")));
  const auto is_two = [](const meta::WatchEvent& event) -> Result<bool> {
    return event.object["data"]["v"].string() == "2";
  };
  std::optional<Result<meta::WatchEvent>> met;
  client::until_async(maps(), {.resource_version = std::string(before.resource_version())}, {is_two})
      .start([&](Result<meta::WatchEvent> event) { met = std::move(event); });
  world.executor->run_until_idle();
  EXPECT_FALSE(met);

  ASSERT_TRUE(world.core->update(make_config_map("default/a", "2")));
  world.executor->run_until_idle();
  ASSERT_TRUE(met && *met);
  EXPECT_EQ((*met)->object["data"]["v"].string(), "2");

  client::until_async(
      maps(), {.resource_version = std::string((*met)->object.resource_version()), .timeout = seconds(5)}, {is_two})
      .start([&](Result<meta::WatchEvent> event) { met = std::move(event); });
  world.executor->advance(seconds(5));
  ASSERT_TRUE(met && !*met);
  EXPECT_TRUE(met->error().is_timeout());
}

Coroutine rename(client::ResourceApi maps, std::vector<std::string>& log) {
  auto old = co_await maps.get_async("m0");
  if (!old) co_return;
  auto draft = old->edit();
  draft["metadata"]["name"].set("renamed");
  draft["metadata"].erase("resourceVersion");
  draft["metadata"].erase("uid");
  const auto made = co_await maps.create_async(draft.to_object());
  log.emplace_back(made ? made->name() : made.error().message());
  auto removal = maps.remove_async("m0", {.propagation_policy = "Background"});  // see Async about g++ 12
  const auto gone = co_await std::move(removal);
  log.emplace_back(gone ? "removed" : gone.error().message());
  const client::ListOptions which{.field_selector = "metadata.name=renamed"};
  const auto left = co_await maps.list_async(which);
  log.push_back(left ? std::to_string(left->items.size()) + " left" : left.error().message());
}

TEST_F(OneThreadTest, ACoroutineAwaitsVerbs) {
  seed(1);
  std::vector<std::string> log;
  rename(maps(), log);
  world.executor->run_until_idle();

  EXPECT_THAT(log, ElementsAre("renamed", "removed", "1 left"));
  EXPECT_EQ(world.core->list({"", "v1", "configmaps"}, "default").size(), 1U);
}

TEST_F(OneThreadTest, ALeaderIsElectedKeepsItsLeaseGivesItBackAndStandsAgain) {
  int terms = 0;
  int ends = 0;
  election::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [&](const election::LeaderGuard&) { ++terms; };
  callbacks.on_stopped_leading = [&] { ++ends; };
  const auto elector =
      election::LeaderElector::create(*world.client, {.name = "widget", .identity = "a"}, callbacks).value();
  const auto holder = [&] {
    const auto lease = world.core->get({"coordination.k8s.io", "v1", "leases"}, {"default", "widget"});
    return std::string((*lease)["spec"]["holderIdentity"].string());
  };
  EXPECT_TRUE(*world.result(elector->ended_async()));
  for (int round = 1; round <= 2; ++round) {
    std::optional<Result<void>> ended;
    elector->start();
    elector->ended_async().start([&](Result<void> end) { ended = std::move(end); });
    world.executor->advance(milliseconds(1));
    EXPECT_EQ(terms, round);
    world.executor->advance(seconds(60));
    EXPECT_TRUE(elector->is_leader());
    EXPECT_EQ(holder(), "a");
    EXPECT_FALSE(ended);

    elector->stop();
    world.executor->run_until_idle();
    EXPECT_TRUE(ended && *ended);
    EXPECT_EQ(ends, round);
    EXPECT_EQ(holder(), "");
    EXPECT_FALSE(elector->is_leader());
  }
}

TEST_F(OneThreadTest, EventsAreFlushedAndNothingBlocksAtTheEnd) {
  const auto pod = world.core->seed(testkit::make_pod("default/web")).value();
  {
    events::EventBroadcaster broadcaster(*world.client);
    broadcaster.recorder("test").event(pod, "Normal", "Synced", "all is well");
    EXPECT_EQ(world.result(broadcaster.shutdown_async(seconds(5))), true);
    EXPECT_EQ(world.result(broadcaster.shutdown_async(seconds(5))), true);
    EXPECT_TRUE(broadcaster.shutdown(seconds(5)));
  }
  EXPECT_EQ(world.core->list({"", "v1", "events"}).size(), 1U);
}

/// Begins something with a stop token, and says how it ended.
using Begin = std::function<void(std::stop_token, std::function<void(const Error*)>)>;

class StoppedVerbTest : public OneThreadTest {
 protected:
  template <class T>
  static void follow(Async<Result<T>> operation, std::function<void(const Error*)> ended) {
    std::move(operation).start(
        [ended = std::move(ended)](const Result<T>& result) { ended(result ? nullptr : &result.error()); });
  }

  /// Stops it after every number of steps that it can take.
  void stop_everywhere(const std::string& what, const Begin& begin) {
    SCOPED_TRACE(what);
    int canceled = 0;
    for (int steps = 0;; ++steps) {
      int ends = 0;
      std::optional<Error> error;
      std::stop_source stop;
      begin(stop.get_token(), [&](const Error* end) {
        ++ends;
        if (end) error = *end;
      });
      bool idle = false;
      for (int i = 0; i < steps && !idle; ++i) idle = !world.executor->run_one();
      const bool early = ends > 0;
      stop.request_stop();
      world.executor->run_until_idle();

      ASSERT_EQ(ends, 1) << "after " << steps << " steps";
      if (!early && error && error->is_canceled()) ++canceled;
      if (steps == 0) {
        ASSERT_EQ(canceled, 1);
      }
      if (idle) {
        ASSERT_TRUE(early || canceled > 0);
      }
      if (early || idle) break;
      ASSERT_LT(steps, 5000);
    }
    EXPECT_GT(canceled, 3);
  }
};

TEST_F(StoppedVerbTest, EveryVerbEndsOnceWhateverItsStepWhenItIsStopped) {
  seed(25);
  const auto object = make_config_map("default/a", "1");
  const auto& client = *world.client;
  client::ResourceMapper mapper(client);
  const client::Pager pager(maps(), {.page_size = 10});
  const auto merge = client::PatchType::Merge;
  const auto m = maps();
  const std::map<std::string, Begin> verbs{
      {"create", [&](auto stop, auto end) { follow(m.create_async(object, {.stop = stop}), end); }},
      {"get", [&](auto stop, auto end) { follow(m.get_async("m0", {.stop = stop}), end); }},
      {"list", [&](auto stop, auto end) { follow(m.list_async({.stop = stop}), end); }},
      {"list_all", [&](auto stop, auto end) { follow(m.list_all_async({.limit = 5, .stop = stop}), end); }},
      {"update",
       [&](auto stop, auto end) { follow(m.update_async(make_config_map("default/m1"), {.stop = stop}), end); }},
      {"patch", [&](auto stop, auto end) { follow(m.patch_async("m2", merge, "{}", {.stop = stop}), end); }},
      {"apply",
       [&](auto stop, auto end) {
         follow(m.apply_async(object, {.field_manager = "x", .force = true, .stop = stop}), end);
       }},
      {"remove", [&](auto stop, auto end) { follow(m.remove_async("none", {.stop = stop}), end); }},
      {"remove_collection",
       [&](auto stop, auto end) {
         follow(m.remove_collection_async({.label_selector = "no=one"}, {.stop = stop}), end);
       }},
      {"logs", [&](auto stop, auto end) { follow(m.logs_async("m0", {.stop = stop}), end); }},
      {"discover", [&](auto stop, auto end) { follow(client::discover_async(client, {.stop = stop}), end); }},
      {"server_version",
       [&](auto stop, auto end) { follow(client::server_version_async(client, {.stop = stop}), end); }},
      {"mapper",
       [&](auto stop, auto end) {
         mapper.forget();
         follow(mapper.get_async("po", {.stop = stop}), end);
       }},
      {"pager", [&](auto stop, auto end) { follow(pager.list_async({.stop = stop}), end); }},
      {"each_list_item",
       [&](auto stop, auto end) {
         follow(pager.each_list_item_async({.stop = stop}, [](const meta::Object&) { return Result<void>(); }), end);
       }},
      {"until", [&](auto stop, auto end) {
         follow(client::until_async(m, {.resource_version = std::to_string(world.core->version()), .stop = stop},
                                    {[](const meta::WatchEvent&) -> Result<bool> { return false; }}),
                end);
       }}};

  for (const auto& [what, begin] : verbs) stop_everywhere(what, begin);
}

TEST_F(StoppedVerbTest, ACandidacyEndsOnceWhateverItsStepWhenItIsStopped) {
  election::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [](const election::LeaderGuard&) {};
  const auto elector =
      election::LeaderElector::create(*world.client, {.name = "widget", .identity = "a"}, callbacks).value();
  for (int steps = 0; steps < 60; ++steps) {
    int ends = 0;
    std::stop_source stop;
    elector->start(stop.get_token());
    elector->ended_async().start([&](const Result<void>&) { ++ends; });
    for (int i = 0; i < steps; ++i) world.executor->run_one();
    EXPECT_EQ(ends, 0);
    stop.request_stop();
    world.executor->run_until_idle();

    ASSERT_EQ(ends, 1) << "after " << steps << " steps";
    ASSERT_FALSE(elector->is_leader());
  }
}

}  // namespace
}  // namespace kubexx::contract
