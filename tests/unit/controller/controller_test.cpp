#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "kubexx/base/error_sink.hpp"
#include "support/fixture_executor.hpp"
#include "unit/controller/fixture.hpp"

namespace kubexx::controller {
namespace {

using meta::WatchEventType;
using reflector::config_map;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A controller of ConfigMaps that writes down the keys it reconciles, on the fake clock.
class ControllerTest : public testing::Test {
 protected:
  ControllerTest() {
    options.name = "test";
    options.executor = executor;
    options.handlers = executor;
    options.metrics = metrics;
    options.rate_limiter = workqueue::RateLimiter::exponential(milliseconds(10), seconds(10));
  }
  ~ControllerTest() override {
    own.informer->stop();
    other.informer->stop();
    executor->run_until_idle();
  }

  ControllerCore& make(Predicate predicate = {}) {
    core = std::make_unique<ControllerCore>(Subject{{"", "ConfigMap"}}, own.informer, std::move(predicate), options);
    return *core;
  }
  void start() {
    core->start(stop.get_token(), [this](const meta::ObjectKey& key, std::stop_token token) -> Result<Action> {
      seen.push_back(key.to_string());
      if (reconcile) return reconcile(key, token);
      return Action::done();
    });
    settle();
  }
  /// The informer is synced with these objects.
  void sync(Source& source, std::vector<meta::Object> items = {}) {
    source.script->answer(std::move(items), "5");
    source.informer->start();
    settle();
  }
  void settle() { executor->run_until_idle(); }
  std::vector<std::string> take() { return std::exchange(seen, {}); }

  FixtureExecutor executor;
  std::shared_ptr<MetricsRegistry> metrics = std::make_shared<MetricsRegistry>();
  Source own{executor};
  Source other{executor, kSecrets};
  ControllerOptions options;
  Reconcile reconcile;
  std::vector<std::string> seen;
  std::stop_source stop;
  std::unique_ptr<ControllerCore> core;
};

TEST_F(ControllerTest, NothingIsReconciledBeforeEverySourceHasSynced) {
  make().watches(other.informer, owner_mapper(core->subject()), {});
  start();
  sync(own, {config_map("a", "1")});
  EXPECT_THAT(seen, IsEmpty());
  EXPECT_EQ(core->status().state, ControllerState::Syncing);

  sync(other);

  EXPECT_THAT(seen, ElementsAre("ns/a"));
  EXPECT_EQ(core->status().state, ControllerState::Working);
}

TEST_F(ControllerTest, EveryChangeOfTheObjectLeadsToAReconcile) {
  make();
  start();
  sync(own);

  own.send(WatchEventType::Added, config_map("a", "6"));
  settle();
  own.send(WatchEventType::Modified, config_map("a", "7"));
  settle();
  own.send(WatchEventType::Deleted, config_map("a", "8"));
  settle();

  EXPECT_THAT(seen, ElementsAre("ns/a", "ns/a", "ns/a"));
}

TEST_F(ControllerTest, PredicatesDecideWhichChangesCount) {
  make(Predicate::custom([](const Change& change) { return !change.is_delete(); }) &&
       Predicate::fields_changed({"/data/v"}));
  start();
  sync(own);

  own.send(WatchEventType::Added, config_map("a", "6", "x"));
  settle();
  EXPECT_THAT(take(), ElementsAre("ns/a"));
  own.send(WatchEventType::Modified, config_map("a", "7", "x"));
  settle();
  EXPECT_THAT(take(), IsEmpty());
  own.send(WatchEventType::Modified, config_map("a", "8", "y"));
  settle();
  EXPECT_THAT(take(), ElementsAre("ns/a"));
  own.send(WatchEventType::Deleted, config_map("a", "9", "y"));
  settle();
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(ControllerTest, AChangeThatAPredicateThrowsOnIsNotLost) {
  std::vector<std::string> reported;
  set_error_sink([&](const Error& error, std::string_view) { reported.push_back(error.message()); });
  make(Predicate::custom([](const Change&) -> bool { throw std::runtime_error("no idea"); }));
  start();
  sync(own, {config_map("a", "1")});
  set_error_sink({});

  EXPECT_THAT(seen, ElementsAre("ns/a"));
  EXPECT_THAT(reported, ElementsAre(HasSubstr("no idea")));
}

TEST_F(ControllerTest, AnOwnedObjectEnqueuesItsControllerOnly) {
  make().watches(other.informer, owner_mapper(core->subject()), {});
  start();
  sync(own);
  sync(other, {owned_by("x", "1", "mine"), config_map("free", "2"), owned_by("y", "3", "kind", "Pod"),
               owned_by("z", "4", "group", "ConfigMap", "apps/v1")});

  EXPECT_THAT(take(), ElementsAre("ns/mine"));
  other.send(WatchEventType::Deleted, owned_by("x", "6", "mine"));
  settle();
  EXPECT_THAT(take(), ElementsAre("ns/mine"));
}

TEST_F(ControllerTest, AnOwnerOfAClusterWideKindHasNoNamespace) {
  const auto mapper = owner_mapper({{"", "ConfigMap"}, false});
  EXPECT_THAT(mapper(owned_by("x", "1", "mine")), ElementsAre(meta::ObjectKey{"", "mine"}));
}

TEST_F(ControllerTest, AnObjectThatChangesItsOwnerEnqueuesTheOldOneToo) {
  make().watches(other.informer, owner_mapper(core->subject()), {});
  start();
  sync(own);
  sync(other, {owned_by("x", "1", "before")});
  take();

  other.send(WatchEventType::Modified, owned_by("x", "6", "after"));
  settle();

  EXPECT_THAT(seen, ElementsAre("ns/before", "ns/after"));
}

TEST_F(ControllerTest, AMapperThatThrowsOverTheOldStateDoesNotLoseTheChange) {
  make().watches(other.informer,
                 [](const meta::Object& object) -> std::vector<meta::ObjectKey> {
                   if (object.resource_version() == "1") throw std::runtime_error("not this one");
                   return {{"ns", std::string(object.name())}};
                 },
                 {});
  start();
  sync(own);
  set_error_sink([](const Error&, std::string_view) {});
  sync(other, {config_map("x", "1")});

  other.send(WatchEventType::Modified, config_map("x", "6"));
  settle();
  set_error_sink({});

  EXPECT_THAT(seen, ElementsAre("ns/x"));
}

TEST_F(ControllerTest, AMapperMayNameManyKeys) {
  make().watches(other.informer,
                 [](const meta::Object& object) {
                   return std::vector<meta::ObjectKey>{{"one", std::string(object.name())},
                                                       {"two", std::string(object.name())}};
                 },
                 {});
  start();
  sync(own);
  sync(other, {config_map("x", "1")});
  EXPECT_THAT(seen, ElementsAre("one/x", "two/x"));
}

TEST_F(ControllerTest, AnErrorIsRetriedLaterAndLaterAndSuccessForgetsIt) {
  make();
  int failures = 3;
  reconcile = [&](const meta::ObjectKey&, std::stop_token) -> Result<Action> {
    if (failures-- > 0) return Error::api(500, "InternalError", "try again");
    return Action::done();
  };
  start();
  sync(own, {config_map("a", "1")});
  EXPECT_EQ(take().size(), 1U);

  executor->advance(milliseconds(9));
  EXPECT_THAT(take(), IsEmpty());
  executor->advance(milliseconds(1));
  EXPECT_EQ(take().size(), 1U);
  executor->advance(milliseconds(19));
  EXPECT_THAT(take(), IsEmpty());
  executor->advance(milliseconds(1));
  EXPECT_EQ(take().size(), 1U);
  executor->advance(milliseconds(40));
  EXPECT_EQ(take().size(), 1U);
  executor->advance(seconds(100));
  EXPECT_THAT(take(), IsEmpty());

  const auto now = core->status();
  EXPECT_EQ(now.reconciles, 4U);
  EXPECT_EQ(now.errors, 3U);
  EXPECT_EQ(now.queue.remembered, 0U);
  EXPECT_THAT(now.last_error->message(), HasSubstr("try again"));
  EXPECT_EQ(now.last_error_key, "ns/a");
}

TEST_F(ControllerTest, AnErrorThatSaysWhenToComeBackIsNotRetriedEarlier) {
  make();
  reconcile = [](const meta::ObjectKey&, std::stop_token) -> Result<Action> {
    return Error::api(429, "TooManyRequests", "later").with_retry_after(seconds(5));
  };
  start();
  sync(own, {config_map("a", "1")});
  take();
  executor->advance(milliseconds(4999));
  EXPECT_THAT(take(), IsEmpty());
  executor->advance(milliseconds(1));
  EXPECT_EQ(take().size(), 1U);
}

TEST_F(ControllerTest, RequeueWaitsForTheLimiterAndRequeueAfterForItsTime) {
  make();
  reconcile = [&](const meta::ObjectKey& key, std::stop_token) -> Result<Action> {
    return key.name == "a" ? Action::requeue() : Action::requeue_after(seconds(1));
  };
  start();
  sync(own, {config_map("a", "1"), config_map("b", "2")});
  EXPECT_THAT(take(), ElementsAre("ns/a", "ns/b"));
  executor->advance(milliseconds(10));
  EXPECT_THAT(take(), ElementsAre("ns/a"));
  executor->advance(milliseconds(20));
  EXPECT_THAT(take(), ElementsAre("ns/a"));
  executor->advance(milliseconds(969));
  EXPECT_THAT(take(), testing::Not(testing::Contains("ns/b")));
  executor->advance(milliseconds(1));
  EXPECT_THAT(take(), testing::Contains("ns/b"));
  EXPECT_EQ(core->status().errors, 0U);
}

TEST_F(ControllerTest, WhatIsGivenUpIsReportedAndWaitsForAChange) {
  std::vector<std::string> reported;
  set_error_sink([&](const Error& error, std::string_view where) {
    reported.push_back(std::string(where) + ": " + error.message());
  });
  make();
  reconcile = [](const meta::ObjectKey&, std::stop_token) -> Result<Action> {
    return Action::give_up(Error::config("no such class"));
  };
  start();
  sync(own, {config_map("a", "1")});
  executor->advance(seconds(100));
  set_error_sink({});

  EXPECT_THAT(take(), ElementsAre("ns/a"));
  EXPECT_THAT(reported, ElementsAre("controller test, ns/a: no such class"));
  EXPECT_EQ(core->status().errors, 1U);
  own.send(WatchEventType::Modified, config_map("a", "6"));
  settle();
  EXPECT_THAT(take(), ElementsAre("ns/a"));
}

TEST_F(ControllerTest, AReconcileThatThrowsIsReportedAndRetriedAndTheOthersGoOn) {
  std::vector<std::string> reported;
  set_error_sink([&](const Error& error, std::string_view) { reported.push_back(error.message()); });
  make();
  bool thrown = false;
  reconcile = [&](const meta::ObjectKey& key, std::stop_token) -> Result<Action> {
    if (key.name == "a" && !std::exchange(thrown, true)) throw std::runtime_error("boom");
    return Action::done();
  };
  start();
  sync(own, {config_map("a", "1"), config_map("b", "2")});
  EXPECT_THAT(take(), ElementsAre("ns/a", "ns/b"));
  executor->advance(milliseconds(10));
  set_error_sink({});

  EXPECT_THAT(take(), ElementsAre("ns/a"));
  EXPECT_THAT(reported, ElementsAre(HasSubstr("boom")));
  EXPECT_THAT(metrics->expose(),
              HasSubstr(R"(kubexx_controller_reconciles_total{controller="test",result="exception"} 1)"));
}

TEST_F(ControllerTest, ChangesDuringAReconcileLeadToOneMore) {
  make();
  bool changed = false;
  reconcile = [&](const meta::ObjectKey& key, std::stop_token) -> Result<Action> {
    if (!std::exchange(changed, true)) {
      core->enqueue(key);
      core->enqueue(key);
    }
    return Action::done();
  };
  start();
  sync(own, {config_map("a", "1")});
  EXPECT_THAT(seen, ElementsAre("ns/a", "ns/a"));
}

TEST_F(ControllerTest, RealChangesOvertakeTheFirstList) {
  make();
  own.script->answer({config_map("a", "1"), config_map("b", "2"), config_map("c", "3")}, "5");
  own.informer->start();
  settle();
  // Both arrive before the controller works: the other source is not synced yet.
  core->watches(other.informer, owner_mapper(core->subject()), {});
  start();
  own.send(WatchEventType::Modified, config_map("c", "6"));
  settle();
  sync(other);

  EXPECT_THAT(seen, ElementsAre("ns/c", "ns/a", "ns/b"));
}

TEST_F(ControllerTest, AReconcileThatTakesTooLongIsAskedToStopAndCounted) {
  options.reconcile_timeout = seconds(3);
  make();
  bool asked = false;
  reconcile = [&](const meta::ObjectKey&, std::stop_token token) -> Result<Action> {
    executor->fake_clock().advance(seconds(3));
    while (!token.stop_requested() && executor->run_one()) {
    }
    asked = token.stop_requested();
    return Error::canceled();
  };
  start();
  sync(own, {config_map("a", "1")});

  EXPECT_TRUE(asked);
  EXPECT_EQ(core->status().timeouts, 1U);
  EXPECT_EQ(core->status().errors, 1U);
  reconcile = {};
  executor->advance(seconds(10));
  EXPECT_EQ(core->status().timeouts, 1U);
  EXPECT_EQ(seen.size(), 2U);
}

TEST_F(ControllerTest, MisuseThrows) {
  options.workers = 0;
  EXPECT_THROW(make(), std::logic_error);
  options.workers = 1;
  options.handlers = nullptr;
  EXPECT_THROW(make(), std::logic_error);
  options.handlers = executor;
  make();
  EXPECT_THROW(static_cast<void>(core->join()), std::logic_error);
  EXPECT_THROW(core->start({}, nullptr), std::logic_error);
  EXPECT_THROW(core->watches(other.informer, nullptr, {}), std::logic_error);
  start();
  EXPECT_THROW(core->start({}, reconcile), std::logic_error);
  EXPECT_THROW(core->watches(other.informer, owner_mapper(core->subject()), {}), std::logic_error);
}

TEST_F(ControllerTest, ItsMetricsAndItsPlaceInTheListGoWithIt) {
  options.workers = 3;
  make();
  start();
  sync(own, {config_map("a", "1")});

  const auto text = metrics->expose();
  EXPECT_THAT(text, HasSubstr(R"(kubexx_controller_reconciles_total{controller="test",result="success"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(kubexx_controller_workers{controller="test"} 3)"));
  EXPECT_THAT(text, HasSubstr(R"(kubexx_controller_active_workers{controller="test"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(kubexx_controller_reconcile_seconds_count{controller="test"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(workqueue_adds_total{name="test"} 1)"));
  ASSERT_EQ(live_controllers().size(), 1U);
  EXPECT_EQ(live_controllers()[0].name, "test");
  EXPECT_EQ(live_controllers()[0].queue.name, "test");
  EXPECT_EQ(live_controllers()[0].workers, 3U);
  EXPECT_EQ(live_controllers()[0].reconciles, 1U);
  EXPECT_THAT(live_controllers()[0].sources, ElementsAre("configmaps"));

  core.reset();
  settle();
  EXPECT_THAT(metrics->expose(), testing::Not(HasSubstr("controller=\"test\"")));
  EXPECT_THAT(live_controllers(), IsEmpty());
}

TEST_F(ControllerTest, WithoutANameItIsCalledAfterItsKind) {
  options.name.clear();
  EXPECT_EQ(make().status().name, "configmap");
}

}  // namespace
}  // namespace kubexx::controller
