#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/testing/client.hpp"
#include "kubexx/testing/recording_handler.hpp"

namespace kubexx::informer {
namespace {

using std::chrono::seconds;
using testing::client;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::make_config_map;
using testing::Recording;

const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

/// An embedded server, a dynamic factory on it without backoff, and the informer of its ConfigMaps.
class InformerContractTest : public ::testing::Test {
 protected:
  InformerContractTest() : server_(options()) {}

  static apiserver::Options options() {
    apiserver::Options o;
    o.bookmark_interval = std::chrono::milliseconds(200);
    return o;
  }

  void make_factory(FactoryOptions options = {}) {
    options.backoff = Backoff::none();
    factory_ = std::make_unique<DynamicSharedInformerFactory>(client(server_), std::move(options));
  }
  Informer<meta::Object> config_maps() {
    if (!factory_) make_factory();
    return factory_->for_resource(kConfigMaps).value().informer();
  }
  void start_and_sync() {
    factory_->start();
    const auto synced = factory_->wait_for_cache_sync({}, {.fail_fast = true, .timeout = seconds(10)});
    ASSERT_TRUE(synced) << (synced.as_error() ? synced.as_error()->message() : "");
  }
  void seed(std::string_view key, std::string_view value = "") {
    ASSERT_TRUE(server_.seed(make_config_map(key, value)));
  }
  void remove(std::string_view key) {
    ASSERT_TRUE(server_.core().remove(kConfigMaps, meta::ObjectKey::parse(key).value()));
  }
  std::size_t requests(std::string_view verb) { return server_.requests().count(verb, "configmaps"); }

  apiserver::Server server_;
  std::unique_ptr<DynamicSharedInformerFactory> factory_;
};

TEST_F(InformerContractTest, HandlersHearOfEverythingAndTheCacheEqualsTheServer) {
  seed("default/a");
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  ASSERT_TRUE(seen.await({"add default/a"}));

  seed("default/b");
  seed("default/a", "2");
  remove("default/b");

  EXPECT_TRUE(seen.await({"add default/b", "update default/a", "delete default/b"}));
  EXPECT_EQ(config_maps().lister().list().size(), 1U);
  EXPECT_EQ(config_maps().lister().get("default/a").value()["data"]["v"].string(), "2");
}

// client-go: "the store is updated before the notification".
TEST_F(InformerContractTest, InsideOnAddTheListerFindsTheObjectAndInsideOnDeleteItDoesNot) {
  const auto informer = config_maps();
  const auto lister = informer.lister();
  Recording seen;
  // One handler looks and writes down, so that what was written down was looked at.
  const auto writer = seen.handler();
  std::atomic<int> found{0};
  std::atomic<int> missing{0};
  const auto registration = informer.add_event_handler({
      .on_add =
          [&](const meta::Object& o, bool initial, const EventContext& context) {
            found += lister.get(meta::ObjectKey::of(o)).has_value() ? 1 : 0;
            writer->on_add(o, initial, context);
          },
      .on_delete =
          [&](const Deleted<meta::Object>& gone, const EventContext& context) {
            missing += lister.get(gone.key()).has_value() ? 0 : 1;
            writer->on_delete(gone, context);
          },
  });
  start_and_sync();

  seed("default/a");
  ASSERT_TRUE(seen.await({"add default/a"}));
  remove("default/a");
  ASSERT_TRUE(seen.await({"delete default/a"}));

  EXPECT_EQ(found, 1);
  EXPECT_EQ(missing, 1);
}

TEST_F(InformerContractTest, ALateHandlerGetsTheCacheReplayedAsInitialAdds) {
  seed("default/a");
  seed("default/b");
  const auto informer = config_maps();
  start_and_sync();

  Recording seen;
  std::atomic<int> initial{0};
  const auto counting =
      informer.add_event_handler({.on_add = [&](const meta::Object&, bool in_list) { initial += in_list ? 1 : 0; }});
  const auto registration = informer.add_event_handler(seen.handler());
  ASSERT_TRUE(registration.wait_until_synced());
  ASSERT_TRUE(counting.wait_until_synced());
  seed("default/c");

  EXPECT_TRUE(seen.await({"add default/a", "add default/b", "add default/c"}));
  EXPECT_EQ(initial, 2);
}

TEST_F(InformerContractTest, ManyCallersShareOneWatchListAndReadsAskNothing) {
  seed("default/a");
  make_factory();
  std::vector<std::jthread> callers;
  for (int i = 0; i < 100; ++i) callers.emplace_back([this] { static_cast<void>(config_maps()); });
  callers.clear();
  start_and_sync();

  const auto lister = config_maps().lister();
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(lister.get("default/a"));

  EXPECT_EQ(requests("watch"), 1U);
  EXPECT_EQ(requests("list"), 0U);
}

TEST_F(InformerContractTest, ACutWatchIsResumedWithoutAListAndLosesNothing) {
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  seed("default/a");
  ASSERT_TRUE(seen.await({"add default/a"}));

  server_.core().cut_watches();
  seed("default/b");

  EXPECT_TRUE(seen.await({"add default/b"}));
  apiserver::RequestFilter cached;
  cached.resource_version = "0";
  EXPECT_EQ(server_.requests().count("list", "configmaps", cached), 0U);
}

TEST_F(InformerContractTest, ADeletionThatHappenedWhileAwayIsReportedWithUnknownFinalState) {
  seed("default/kept");
  seed("default/lost");
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  ASSERT_TRUE(seen.await({"add default/kept", "add default/lost"}));

  {
    const auto outage = server_.interrupt_watches();
    remove("default/lost");
    server_.compact_history();
  }

  EXPECT_TRUE(seen.await({"delete default/lost (final state unknown)"}));
  EXPECT_THAT(config_maps().store()->list_keys(), ::testing::ElementsAre("default/kept"));
}

TEST_F(InformerContractTest, ARestoredServerEndsWithItsStateInTheCache) {
  seed("default/old");
  const auto earlier = server_.core().checkpoint();
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  seed("default/new");
  seed("default/old", "changed");
  ASSERT_TRUE(seen.await({"add default/new", "update default/old"}));

  server_.core().restore(earlier);

  EXPECT_TRUE(seen.await({"delete default/new (final state unknown)"}));
  EXPECT_TRUE(seen.await({"update default/old", "update default/old"}));
  EXPECT_EQ(config_maps().lister().get("default/old").value()["data"]["v"].string(), "");
}

TEST_F(InformerContractTest, ARestartOnTheSamePortIsSurvived) {
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();

  ASSERT_TRUE(server_.restart());
  seed("default/after");

  EXPECT_TRUE(seen.await({"add default/after"}));
}

TEST_F(InformerContractTest, AServerWithoutWatchListIsListed) {
  seed("default/a");
  apiserver::Fault refuse;
  refuse.verb = "watch";
  refuse.status = 422;
  refuse.times = 1;
  const auto fault = server_.core().add_fault(refuse);
  const auto informer = config_maps();
  start_and_sync();

  EXPECT_EQ(requests("list"), 1U);
  EXPECT_FALSE(informer.status().reflector.used_watch_list);
  EXPECT_TRUE(informer.lister().get("default/a"));
}

TEST_F(InformerContractTest, ABlockedHandlerDelaysNoOther) {
  std::latch release(1);
  const auto informer = config_maps();
  const auto blocked = informer.add_event_handler({.on_add = [&](const meta::Object&) { release.wait(); }});
  Recording seen;
  const auto registration = informer.add_event_handler(seen.handler());
  start_and_sync();

  seed("default/a");
  seed("default/b");

  EXPECT_TRUE(seen.await({"add default/a", "add default/b"}));
  release.count_down();
}

TEST_F(InformerContractTest, AHandlerThatThrowsLosesOneCallAndStillSyncs) {
  seed("default/a");
  seed("default/b");
  const auto informer = config_maps();
  std::atomic<int> calls{0};
  const auto registration = informer.add_event_handler({.on_add = [&](const meta::Object&) {
    if (++calls == 1) throw std::runtime_error("on purpose");
  }});
  start_and_sync();

  EXPECT_TRUE(registration.wait_until_synced());
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(registration.status().errors, 1U);
}

TEST_F(InformerContractTest, AHandlerMayRemoveItselfFromItsOwnCallback) {
  seed("default/a");
  const auto informer = config_maps();
  std::atomic<int> calls{0};
  Registration own;
  std::latch ready(1);
  own = informer.add_event_handler({.on_add = [&](const meta::Object&) {
    ready.wait();
    ++calls;
    own.remove();
  }});
  ready.count_down();
  Recording seen;
  const auto registration = informer.add_event_handler(seen.handler());
  start_and_sync();
  seed("default/b");
  ASSERT_TRUE(seen.await({"add default/a", "add default/b"}));
  factory_->shutdown();

  EXPECT_EQ(calls, 1);
}

TEST_F(InformerContractTest, AfterItsRegistrationIsGoneAHandlerIsNotCalled) {
  const auto informer = config_maps();
  Recording kept;
  const auto registration = informer.add_event_handler(kept.handler());
  Recording dropped;
  { const auto gone = informer.add_event_handler(dropped.handler()); }
  start_and_sync();

  seed("default/a");

  EXPECT_TRUE(kept.await({"add default/a"}));
  EXPECT_TRUE(dropped.lines().empty());
}

TEST_F(InformerContractTest, WaitingSaysWhyAnInformerDoesNotSync) {
  make_factory();
  auto missing = factory_->for_resource({"example.com", "v1", "things"}).value();
  factory_->start();

  const auto result = factory_->wait_for_cache_sync({}, {.fail_fast = true, .timeout = seconds(10)});

  EXPECT_FALSE(result);
  ASSERT_EQ(result.informers.size(), 1U);
  EXPECT_TRUE(result.informers[0].last_error && result.informers[0].last_error->is_not_found());
  EXPECT_THAT(result.as_error()->message(), HasSubstr("things.example.com"));
}

TEST_F(InformerContractTest, WhatWasWrittenCanBeWaitedFor) {
  const auto informer = config_maps();
  start_and_sync();
  const auto written = server_.seed(make_config_map("default/mine", "1")).value();

  const auto read = informer.get("default/mine", written.resource_version(), {.timeout = seconds(10)});

  ASSERT_TRUE(read);
  EXPECT_EQ((*read)["data"]["v"].string(), "1");
}

TEST_F(InformerContractTest, ALeasedInformerEndsWithItsLastLease) {
  make_factory();
  std::weak_ptr<SharedIndexInformer> gone;
  {
    const auto first = factory_->lease(kConfigMaps).value();
    const auto second = factory_->lease(kConfigMaps).value();
    factory_->start();
    ASSERT_TRUE(factory_->wait_for_cache_sync({}, {.timeout = seconds(10)}));
    EXPECT_EQ(first.informer().shared(), second.informer().shared());
    gone = first.informer().shared();
  }

  EXPECT_TRUE(factory_->informers().empty());
  EXPECT_TRUE(gone.expired() || gone.lock()->is_stopped());
}

TEST_F(InformerContractTest, AStoppedInformerRefusesHandlersAndAskingAgainMakesANewOne) {
  const auto informer = config_maps();
  start_and_sync();
  ASSERT_TRUE(factory_->stop_informer(kConfigMaps));

  EXPECT_THROW(static_cast<void>(informer.add_event_handler({.on_add = [](const meta::Object&) {}})), std::logic_error);
  const auto again = config_maps();
  start_and_sync();
  EXPECT_NE(again.shared(), informer.shared());
}

TEST_F(InformerContractTest, ShutdownIsRepeatableAndStartAfterwardsDoesNothing) {
  const auto informer = config_maps();
  start_and_sync();

  std::jthread other([this] { factory_->shutdown(); });
  factory_->shutdown();
  other.join();
  static_cast<void>(factory_->for_resource({"", "v1", "secrets"}));
  factory_->start();

  EXPECT_EQ(server_.requests().count("watch", "secrets"), 0U);
}

TEST_F(InformerContractTest, SelectorsLimitWhatIsCached) {
  FactoryOptions options;
  options.namespace_ = "default";
  options.tweak_list_options = [](meta::ListOptions& query) { query.field_selector = "metadata.name=a"; };
  make_factory(options);
  seed("default/a");
  seed("default/b");
  seed("kube-system/a");
  const auto informer = config_maps();
  start_and_sync();

  EXPECT_THAT(informer.store()->list_keys(), ::testing::ElementsAre("default/a"));
}

TEST_F(InformerContractTest, ResyncReachesOnlyHandlersThatAskedForIt) {
  FactoryOptions options;
  options.resync_period = seconds(1);
  make_factory(options);
  seed("default/a");
  const auto informer = config_maps();
  Recording reminded;
  Recording quiet;
  const auto first = informer.add_event_handler(reminded.handler());
  const auto second = informer.add_event_handler(quiet.handler(), {.resync_period = Duration::zero()});
  start_and_sync();

  EXPECT_TRUE(reminded.await({"add default/a", "update default/a"}));
  EXPECT_EQ(quiet.lines().size(), 1U);
}

}  // namespace
}  // namespace kubexx::informer
