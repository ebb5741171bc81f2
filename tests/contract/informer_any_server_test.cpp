#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <thread>

#include "contract/any_server.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/recording_handler.hpp"

namespace kubexx::contract {
namespace {

using informer::FactoryOptions;
using informer::Informer;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testkit::Recording;

/// What client-go promises of informers, on any server.
class InformerTest : public AnyServerTest {
 protected:
  Informer<meta::Object> config_maps() {
    if (!factory_) factory_ = make_factory(client());
    return factory_->for_resource(kConfigMaps).value().informer();
  }
  void start() { start_and_sync(*factory_); }

  std::unique_ptr<informer::DynamicSharedInformerFactory> factory_;
};
INSTANTIATE_TEST_SUITE_P(AnyServer, InformerTest, kAnyServer, server_name);

TEST_P(InformerTest, HandlersHearOfEverythingAndTheCacheEqualsTheServer) {
  put("a");
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start();
  ASSERT_TRUE(seen.await({add("a")}));

  put("b");
  put("a", "2");
  remove("b");

  EXPECT_TRUE(seen.await({add("b"), update("a"), gone("b")}));
  EXPECT_EQ(in_cache(config_maps()), on_server());
  EXPECT_EQ(config_maps().lister().get(key("a")).value()["data"]["v"].string(), "2");
}

// client-go: "the store is updated before the notification".
TEST_P(InformerTest, InsideOnAddTheListerFindsTheObjectAndInsideOnDeleteItDoesNot) {
  const auto informer = config_maps();
  const auto lister = informer.lister();
  Recording seen;
  // One handler looks and writes down, so that what was written down was looked at.
  const auto writer = seen.handler();
  std::atomic<int> found{0};
  std::atomic<int> missing{0};
  const auto registration = informer.add_event_handler({
      .on_add =
          [&](const meta::Object& o, bool initial, const informer::EventContext& context) {
            found += lister.get(meta::ObjectKey::of(o)).has_value() ? 1 : 0;
            writer->on_add(o, initial, context);
          },
      .on_delete =
          [&](const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) {
            missing += lister.get(gone.key()).has_value() ? 0 : 1;
            writer->on_delete(gone, context);
          },
  });
  start();

  put("a");
  ASSERT_TRUE(seen.await({add("a")}));
  remove("a");
  ASSERT_TRUE(seen.await({gone("a")}));

  EXPECT_EQ(found, 1);
  EXPECT_EQ(missing, 1);
}

TEST_P(InformerTest, ALateHandlerGetsTheCacheReplayedAsInitialAdds) {
  put("a");
  put("b");
  const auto informer = config_maps();
  start();
  // A first list may come from a cache of the server that lags behind; the watch brings the rest.
  ASSERT_TRUE(eventually([&] { return in_cache(informer).size() == 2; }));

  Recording seen;
  std::atomic<int> initial{0};
  const auto counting =
      informer.add_event_handler({.on_add = [&](const meta::Object&, bool in_list) { initial += in_list ? 1 : 0; }});
  const auto registration = informer.add_event_handler(seen.handler());
  ASSERT_TRUE(registration.wait_until_synced());
  ASSERT_TRUE(counting.wait_until_synced());
  put("c");

  EXPECT_TRUE(seen.await({add("a"), add("b"), add("c")}));
  EXPECT_EQ(initial, 2);
}

TEST_P(InformerTest, ManyCallersShareOneWatchAndReadsAskNothing) {
  put("a");
  rest::ClientOptions options;
  const auto counting =
      std::make_shared<CountingTransport>(transport::HttpTransport::create(transport_options(config())).value());
  options.transport = counting;
  factory_ = make_factory(rest::Client::create(config(), options).value());
  std::vector<std::jthread> callers;
  for (int i = 0; i < 100; ++i) callers.emplace_back([this] { static_cast<void>(config_maps()); });
  callers.clear();
  start();
  const auto informer = config_maps();
  ASSERT_TRUE(eventually([&] { return informer.status().reflector.state == reflector::ReflectorState::Watching; }));
  const int asked = counting->watches() + counting->others();

  const auto lister = informer.lister();
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(lister.get(key("a")));

  EXPECT_EQ(counting->watches() + counting->others(), asked);
  if (!has_watch_list()) GTEST_SKIP() << "the server has no WatchList: a refused watch, a list and a watch were sent";
  EXPECT_EQ(counting->watches(), 1);
  EXPECT_EQ(counting->others(), 0);
}

TEST_P(InformerTest, AServerWithoutWatchListIsListed) {
  if (has_watch_list()) GTEST_SKIP() << "the server has WatchList";
  put("a");
  const auto informer = config_maps();

  start();

  EXPECT_FALSE(informer.status().reflector.used_watch_list);
  EXPECT_EQ(informer.status().reflector.lists, 1U);
  EXPECT_EQ(in_cache(informer), on_server());
}

TEST_P(InformerTest, ABlockedHandlerDelaysNoOther) {
  std::latch release(1);
  const auto informer = config_maps();
  const auto blocked = informer.add_event_handler({.on_add = [&](const meta::Object&) { release.wait(); }});
  Recording seen;
  const auto registration = informer.add_event_handler(seen.handler());
  start();

  put("a");
  put("b");

  EXPECT_TRUE(seen.await({add("a"), add("b")}));
  release.count_down();
}

TEST_P(InformerTest, AHandlerThatThrowsLosesOneCallAndStillSyncs) {
  put("a");
  put("b");
  const auto informer = config_maps();
  std::atomic<int> calls{0};
  const auto registration = informer.add_event_handler({.on_add = [&](const meta::Object&) {
    if (++calls == 1) throw std::runtime_error("on purpose");
  }});
  start();

  EXPECT_TRUE(registration.wait_until_synced());
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(registration.status().errors, 1U);
}

TEST_P(InformerTest, AHandlerMayRemoveItselfFromItsOwnCallback) {
  put("a");
  const auto informer = config_maps();
  std::atomic<int> calls{0};
  informer::Registration own;
  std::latch ready(1);
  own = informer.add_event_handler({.on_add = [&](const meta::Object&) {
    ready.wait();
    ++calls;
    own.remove();
  }});
  ready.count_down();
  Recording seen;
  const auto registration = informer.add_event_handler(seen.handler());
  start();
  put("b");
  ASSERT_TRUE(seen.await({add("a"), add("b")}));
  factory_->shutdown();

  EXPECT_EQ(calls, 1);
}

TEST_P(InformerTest, AfterItsRegistrationIsGoneAHandlerIsNotCalled) {
  const auto informer = config_maps();
  Recording kept;
  const auto registration = informer.add_event_handler(kept.handler());
  Recording dropped;
  {
    const auto gone = informer.add_event_handler(dropped.handler());
  }
  start();

  put("a");

  EXPECT_TRUE(kept.await({add("a")}));
  EXPECT_TRUE(dropped.lines().empty());
}

TEST_P(InformerTest, WaitingSaysWhyAnInformerDoesNotSync) {
  factory_ = make_factory(client());
  auto missing = factory_->for_resource({"example.com", "v1", "things"}).value();
  factory_->start();

  const auto result = factory_->wait_for_cache_sync({}, {.fail_fast = true, .timeout = seconds(30)});

  EXPECT_FALSE(result);
  ASSERT_EQ(result.informers.size(), 1U);
  EXPECT_TRUE(result.informers[0].last_error && result.informers[0].last_error->is_not_found());
  EXPECT_THAT(result.as_error()->message(), HasSubstr("things.example.com"));
}

TEST_P(InformerTest, ASelectorThatTheServerDoesNotKnowEndsTheWaitThatFailsFast) {
  FactoryOptions options;
  options.defaults.tweak_list_options = [](meta::ListOptions& query) { query.field_selector = "spec.color=red"; };
  factory_ = make_factory(client(), options);
  const auto informer = factory_->for_resource({"", "v1", "configmaps"}).value();
  factory_->start();

  const auto result = factory_->wait_for_cache_sync({}, {.fail_fast = true, .timeout = seconds(30)});

  EXPECT_FALSE(result);
  ASSERT_TRUE(result.stopped_by);
  EXPECT_TRUE(result.stopped_by->is_bad_request()) << *result.stopped_by;
}

TEST_P(InformerTest, WhatWasWrittenCanBeWaitedFor) {
  const auto informer = config_maps();
  start();
  const auto written = put("mine", "1");

  const auto read = informer.get(key("mine"), written.resource_version(), {.timeout = seconds(30)});

  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ((*read)["data"]["v"].string(), "1");
}

TEST_P(InformerTest, ALeasedInformerEndsWithItsLastLease) {
  factory_ = make_factory(client());
  std::weak_ptr<informer::SharedIndexInformer> gone;
  {
    const auto first = factory_->lease(kConfigMaps).value();
    const auto second = factory_->lease(kConfigMaps).value();
    start();
    EXPECT_EQ(first.informer().shared(), second.informer().shared());
    gone = first.informer().shared();
  }

  EXPECT_TRUE(factory_->informers().empty());
  EXPECT_TRUE(eventually([&] { return gone.expired(); }));
}

TEST_P(InformerTest, AStoppedInformerRefusesHandlersAndAskingAgainMakesANewOne) {
  const auto informer = config_maps();
  start();
  ASSERT_TRUE(factory_->stop_informer(kConfigMaps));

  const auto late = informer.add_event_handler({.on_add = [](const meta::Object&) {}});
  EXPECT_FALSE(late);
  ASSERT_TRUE(late.error());
  EXPECT_TRUE(late.error()->is_canceled());
  EXPECT_FALSE(late.wait_until_synced());
  const auto again = config_maps();
  start();
  EXPECT_NE(again.shared(), informer.shared());
}

TEST_P(InformerTest, FieldSelectorsLimitWhatIsCached) {
  FactoryOptions options;
  options.defaults.tweak_list_options = [](meta::ListOptions& query) { query.field_selector = "metadata.name=a"; };
  factory_ = make_factory(client(), options);
  put("a");
  put("b");
  const auto informer = config_maps();
  start();

  EXPECT_THAT(informer.store()->list_keys(), ElementsAre(key("a")));
}

TEST_P(InformerTest, AnObjectThatLeavesTheLabelSelectorIsDeletedAndOneThatEntersIsAdded) {
  FactoryOptions options;
  options.defaults.tweak_list_options = [](meta::ListOptions& query) { query.label_selector = "tier in (front)"; };
  factory_ = make_factory(client(), options);
  put("a");
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start();
  const auto label = [&](std::string_view body) {
    const auto patched = api(kConfigMaps).patch("a", client::PatchType::Merge, body);
    ASSERT_TRUE(patched) << patched.error();
  };

  label(R"({"metadata":{"labels":{"tier":"front"}}})");
  ASSERT_TRUE(seen.await({add("a")}));
  label(R"({"metadata":{"labels":{"tier":"back"}}})");

  EXPECT_TRUE(seen.await({gone("a")}));
  EXPECT_TRUE(config_maps().lister().list().empty());
}

TEST_P(InformerTest, ResyncReachesOnlyHandlersThatAskedForIt) {
  FactoryOptions options;
  options.defaults.resync_period = seconds(1);
  factory_ = make_factory(client(), options);
  put("a");
  const auto informer = config_maps();
  Recording reminded;
  Recording quiet;
  const auto first = informer.add_event_handler(reminded.handler());
  const auto second = informer.add_event_handler(quiet.handler(), {.resync_period = Duration::zero()});
  start();

  EXPECT_TRUE(reminded.await({add("a"), update("a")}));
  EXPECT_TRUE(quiet.await({add("a")}));
  EXPECT_EQ(quiet.lines().size(), 1U);
}

TEST_P(InformerTest, APageAtATimeTheListIsWhole) {
  for (int i = 0; i < 23; ++i) put("m" + std::to_string(i));
  client::ListOptions options;
  options.limit = 5;
  options.field_selector = "metadata.name!=kube-root-ca.crt";

  const auto first = api(kConfigMaps).list(options);
  const auto all = api(kConfigMaps).list_all(options);

  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(first->items.size(), 5U);
  EXPECT_FALSE(first->meta.continue_token.empty());
  ASSERT_TRUE(all) << all.error();
  EXPECT_EQ(all->items.size(), 23U);
}

/// A custom resource definition of its own for a test.
class CustomResourceTest : public InformerTest {
 protected:
  void TearDown() override {
    if (!IsSkipped()) static_cast<void>(definitions().remove(name()));
    InformerTest::TearDown();
  }
  client::ResourceApi definitions() const {
    return {client(), {"apiextensions.k8s.io", "v1", "customresourcedefinitions"}};
  }
  std::string group() const { return namespace_() + ".example.com"; }
  std::string name() const { return "foos." + group(); }
  meta::GroupVersionResource foos() const { return {group(), "v1", "foos"}; }

  void define() const {
    const auto text =
        R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":")" + name() +
        R"("},"spec":{"group":")" + group() +
        R"(","scope":"Namespaced","names":{"plural":"foos","singular":"foo","kind":"Foo","listKind":"FooList"},
           "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
           "x-kubernetes-preserve-unknown-fields":true}}}]}})";
    const auto made = definitions().create(meta::parse_json(text).value());
    ASSERT_TRUE(made) << made.error();
    ASSERT_TRUE(eventually([&] { return api(foos()).list().has_value(); }));
  }
  void put_foo(std::string_view foo) const {
    const auto text = R"({"apiVersion":")" + group() + R"(/v1","kind":"Foo","metadata":{"name":")" + std::string(foo) +
                      R"("},"spec":{"deep":{"n":[1,2.5,null,"x"]}}})";
    // A new definition may be listed before it can be written to.
    ASSERT_TRUE(eventually([&] { return api(foos()).create(meta::parse_json(text).value()).has_value(); }));
  }
};
INSTANTIATE_TEST_SUITE_P(AnyServer, CustomResourceTest, kAnyServer, server_name);

TEST_P(CustomResourceTest, AnInformerOfACustomResourceFollowsItLikeABuiltInOne) {
  define();
  FactoryOptions options;
  options.defaults.tweak_list_options = [](meta::ListOptions&) {};
  factory_ = make_factory(client(), options);
  const auto informer = factory_->for_resource(foos()).value().informer();
  Recording seen;
  const auto registration = informer.add_event_handler(seen.handler());
  start();

  put_foo("one");
  ASSERT_TRUE(seen.await({add("one")}));
  EXPECT_EQ(meta::to_json(informer.lister().get(key("one")).value()["spec"]), R"({"deep":{"n":[1,2.5,null,"x"]}})");
  ASSERT_TRUE(api(foos()).remove("one"));

  EXPECT_TRUE(seen.await({gone("one")}));
}

TEST_P(CustomResourceTest, AnInformerThatCameBeforeItsDefinitionSyncsOnceItIsThere) {
  FactoryOptions options;
  options.defaults.tweak_list_options = [](meta::ListOptions&) {};
  factory_ = make_factory(client(), options);
  const auto informer = factory_->for_resource(foos()).value().informer();
  Recording seen;
  const auto registration = informer.add_event_handler(seen.handler());
  factory_->start();
  ASSERT_FALSE(factory_->wait_for_cache_sync({}, {.fail_fast = true, .timeout = seconds(30)}));

  define();
  put_foo("one");

  EXPECT_TRUE(seen.await({add("one")}, seconds(60)));
}

TEST_P(CustomResourceTest, WhenTheDefinitionGoesItsObjectsAreDeletedAndWhenItComesBackNewOnesArrive) {
  define();
  put_foo("one");
  FactoryOptions options;
  options.defaults.tweak_list_options = [](meta::ListOptions&) {};
  factory_ = make_factory(client(), options);
  const auto informer = factory_->for_resource(foos()).value().informer();
  Recording seen;
  const auto registration = informer.add_event_handler(seen.handler());
  start();
  ASSERT_TRUE(seen.await({add("one")}));

  ASSERT_TRUE(definitions().remove(name()));
  ASSERT_TRUE(eventually([&] { return informer.lister().list().empty(); }));
  ASSERT_TRUE(eventually([&] { return !definitions().get(name()).has_value(); }));
  define();
  put_foo("two");

  EXPECT_TRUE(seen.await({add("two")}, seconds(60)));
}

}  // namespace
}  // namespace kubexx::contract
