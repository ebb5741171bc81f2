// Tests of the controller on an embedded API server: no cluster, no mocks, and no test that sleeps.
#include "expiry.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/meta/time.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace tested_controller {
namespace {

using namespace kubexx;
using namespace std::chrono_literals;
using api::core::v1::ConfigMap;
using controller::Action;
using testkit::eventually;

/// A ConfigMap that was made when the clock says so, with that many seconds to live.
meta::Object map_with_ttl(const std::string& name, const std::string& seconds, const Clock& clock) {
  auto draft = testkit::make_config_map("default/" + name).edit();
  draft["metadata"]["annotations"][kTtl].set(seconds);
  draft["metadata"]["creationTimestamp"].set(meta::Time::from_wall(clock.wall()).to_string());
  return draft.to_object();
}

class ExpiryTest : public ::testing::Test {
 protected:
  bool is_there(const std::string& name) const {
    return server.core().get<ConfigMap>(meta::ObjectKey{"default", name}).has_value();
  }

  FakeClock clock;           // stands still until it is moved
  apiserver::Server server;  // 127.0.0.1, a port of the kernel's
};

// One reconcile, called by the test: it reads from an informer on the server, and time is what the test says.
class ReconcileTest : public ExpiryTest {
 protected:
  void SetUp() override {
    factory.start();
    ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 30s}));
  }
  /// Puts it on the server, and waits until the cache has it.
  void seed(const std::string& name, const std::string& seconds) {
    const auto written = server.seed(map_with_ttl(name, seconds, clock));
    ASSERT_TRUE(written) << written.error();
    ASSERT_TRUE(maps.wait_until(written->resource_version(), {.timeout = 30s}));
  }
  Result<Action> reconcile(const std::string& name) const { return expiry.reconcile({"default", name}, {}); }

  rest::Client client = testkit::client(server);
  informer::SharedInformerFactory factory{client};
  informer::Informer<ConfigMap> maps = factory.core().v1().config_maps();
  Expiry expiry{client, maps, clock};
};

TEST_F(ReconcileTest, BeforeItsTimeAnObjectStaysAndTheControllerComesBackThen) {
  seed("short", "60");
  clock.advance(45s);
  const auto action = reconcile("short");
  ASSERT_TRUE(action) << action.error();
  EXPECT_EQ(action->kind(), Action::Kind::RequeueAfter);
  EXPECT_EQ(action->delay(), Duration(15s));
  EXPECT_TRUE(is_there("short"));
}

TEST_F(ReconcileTest, WhenItsTimeIsOverItGoes) {
  seed("short", "60");
  clock.advance(60s);
  const auto action = reconcile("short");
  ASSERT_TRUE(action) << action.error();
  EXPECT_EQ(action->kind(), Action::Kind::Done);
  EXPECT_FALSE(is_there("short"));
}

TEST_F(ReconcileTest, WhatIsNoNumberIsReportedAndNotTriedAgain) {
  for (const auto* wrong : {"soon", "-1", "1h", "", "99999999999999999999"}) {
    seed("odd", wrong);
    const auto action = reconcile("odd");
    ASSERT_TRUE(action) << action.error();
    EXPECT_EQ(action->kind(), Action::Kind::GiveUp) << wrong;
    EXPECT_TRUE(is_there("odd"));
  }
}

TEST_F(ReconcileTest, WhoGetsMoreTimeInTheLastMomentStays) {
  seed("renewed", "60");
  {
    const auto late = server.core().stall_watches({.resource = "configmaps"});  // the cache does not hear of it yet
    ASSERT_TRUE(server.seed(map_with_ttl("renewed", "3600", clock)));
    clock.advance(61s);
    const auto action = reconcile("renewed");
    ASSERT_FALSE(action);
    EXPECT_TRUE(action.error().is_conflict()) << action.error();
    EXPECT_TRUE(is_there("renewed"));
  }
  // A controller tries again after an Error, and by then the cache knows.
  ASSERT_TRUE(eventually([&] {
    const auto action = reconcile("renewed");
    return action && action->kind() == Action::Kind::RequeueAfter;
  }));
  EXPECT_TRUE(is_there("renewed"));
}

TEST_F(ReconcileTest, AnotherObjectOfTheSameNameIsLeftAlone) {
  seed("again", "60");
  clock.advance(61s);
  const auto late = server.core().stall_watches({.resource = "configmaps"});
  ASSERT_TRUE(server.remove<ConfigMap>(meta::ObjectKey{"default", "again"}));
  ASSERT_TRUE(server.seed(map_with_ttl("again", "60", clock)));
  const auto action = reconcile("again");
  ASSERT_FALSE(action);
  EXPECT_TRUE(action.error().is_conflict()) << action.error();
  EXPECT_TRUE(is_there("again"));
}

/// The whole controller, until it is destroyed, as a process would run it.
class Running {
 public:
  Running(const apiserver::Server& server, const Clock& clock)
      : thread_([&server, &clock](const std::stop_token& stop) {
          Options options;
          options.clock = &clock;
          options.rate_limiter = workqueue::RateLimiter::exponential(1ms, 20ms);
          informer::FactoryOptions quick;
          quick.defaults.backoff = Backoff::none();
          const auto ended = run(testkit::client(server), stop, options, quick);
          EXPECT_TRUE(ended) << ended.error();
        }) {}

 private:
  std::jthread thread_;
};

class ControllerTest : public ExpiryTest {
 protected:
  void seed(const std::string& name, const std::string& seconds) {
    const auto written = server.seed(map_with_ttl(name, seconds, clock));
    ASSERT_TRUE(written) << written.error();
  }
  bool goes(const std::string& name) const {
    return eventually([&] { return !is_there(name); });
  }
  bool is_watched() const {
    return eventually([&] { return server.core().watchers() > 0; });
  }
};

TEST_F(ControllerTest, ItRemovesWhatIsOverAndNothingElse) {
  seed("over", "10");
  clock.advance(11s);
  seed("young", "10");
  ASSERT_TRUE(server.seed(testkit::make_config_map("default/plain")));
  const Running controller(server, clock);
  EXPECT_TRUE(goes("over"));
  EXPECT_TRUE(is_there("young"));
  EXPECT_TRUE(is_there("plain"));
}

TEST_F(ControllerTest, ACallThatFailsIsTriedAgain) {
  const auto failing = server.core().add_fault({.verb = "delete", .resource = "configmaps", .times = 3, .status = 500});
  seed("over", "0");
  const Running controller(server, clock);
  EXPECT_TRUE(goes("over"));
  EXPECT_GE(server.requests().count("delete", "configmaps"), 4U);
}

TEST_F(ControllerTest, WhatCameWhileTheServerWasAwayIsRemovedWhenItIsBack) {
  const Running controller(server, clock);
  ASSERT_TRUE(is_watched());
  {
    const auto outage = server.refuse_connections();
    seed("late", "0");
    EXPECT_TRUE(is_there("late"));
  }
  EXPECT_TRUE(goes("late"));
}

TEST_F(ControllerTest, AForgottenHistoryHidesNothing) {
  const Running controller(server, clock);
  ASSERT_TRUE(is_watched());
  {
    const auto outage = server.interrupt_watches();
    seed("missed", "0");
    server.compact_history();  // the version that the controller has is gone: 410, and it lists anew
  }
  EXPECT_TRUE(goes("missed"));
}

TEST_F(ControllerTest, AfterARestartItGoesOnAndAsksForNothingTwice) {
  seed("first", "0");
  {
    const Running controller(server, clock);
    ASSERT_TRUE(goes("first"));
  }
  seed("second", "0");
  seed("young", "3600");
  server.requests().clear();
  const Running controller(server, clock);
  EXPECT_TRUE(goes("second"));
  EXPECT_TRUE(is_there("young"));
  EXPECT_EQ(server.requests().count("delete", "configmaps"), 1U);
}

}  // namespace
}  // namespace tested_controller
