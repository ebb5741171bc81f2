// On one thread and a fake clock.
#include "kubexx/manager/manager.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/testkit/client.hpp"
#include "operator/components.hpp"
#include "support/log_lines.hpp"
#include "support/one_thread.hpp"

namespace kubexx::manager {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Journal = std::vector<std::string>;

const meta::GroupVersionResource kManaged{"", "v1", "configmaps"};

class ManagerTest : public ::testing::Test {
 protected:
  ~ManagerTest() override {
    for (auto* each : {&a, &b, &c}) each->ends = true;
    if (program) program->stop();
    world.executor->advance(seconds(120));
    world.meanwhile([this] {
      program.reset();
      factory.reset();
    });
  }
  void make(ManagerOptions options = {}) { program = Manager::create(*world.client, std::move(options)).value(); }
  void start(std::stop_token token = {}) {
    program->start(std::move(token));
    program->ended_async().start([this](Result<void> result) { ended = std::move(result); });
    world.executor->run_until_idle();
  }
  void stop() {
    program->stop();
    world.executor->run_until_idle();
  }
  static ManagerOptions elected(LostLeadership lost = LostLeadership::End) {
    ManagerOptions options;
    options.election = election::LeaderElectionOptions{.name = "widgets", .identity = "a"};
    options.on_lost_leadership = lost;
    return options;
  }
  std::string state_of(const char* name) {
    const auto now = program->status();
    const auto* found = now.find(name);
    return found ? std::string(to_string(found->state)) : "none";
  }
  std::string readiness() {
    std::string text;
    for (const auto& each : program->health().run(HealthProbe::Readiness)) {
      text +=
          each.name + " " + std::string(to_string(each.state)) + (each.reason.empty() ? "" : ": " + each.reason) + "; ";
    }
    return text;
  }

  OneThread world;
  Journal journal;
  ScriptedComponent a{world.executor, "a", journal};
  ScriptedComponent b{world.executor, "b", journal};
  ScriptedComponent c{world.executor, "c", journal};
  std::optional<informer::DynamicSharedInformerFactory> factory;
  std::unique_ptr<Manager> program;
  std::optional<Result<void>> ended;
};

TEST_F(ManagerTest, ComponentsStartInOrderAndStopInReverse) {
  make();
  for (auto* each : {&a, &b, &c}) program->add(each->component());
  start();
  EXPECT_EQ(program->status().state, ManagerState::Running);
  stop();
  EXPECT_THAT(journal, ElementsAre("start a", "start b", "start c", "stop c", "stop b", "stop a"));
  ASSERT_TRUE(ended);
  EXPECT_TRUE(*ended) << ended->error();
  EXPECT_EQ(state_of("b"), "ended");
}

TEST_F(ManagerTest, ANextOneWaitsUntilTheOneBeforeIsUpAndSoDoesReadiness) {
  make();
  a.comes_up = false;
  program->add(a.component());
  program->add(b.component());
  start();
  EXPECT_THAT(journal, ElementsAre("start a"));
  EXPECT_EQ(readiness(), "manager failed: starting: a; ");
  EXPECT_EQ(state_of("a"), "starting");
  EXPECT_EQ(state_of("b"), "not started");

  a.given.started();
  world.executor->run_until_idle();
  EXPECT_THAT(journal, ElementsAre("start a", "start b"));
  EXPECT_EQ(readiness(), "manager ok; ");
}

TEST_F(ManagerTest, ATokenThatFiresStopsIt) {
  make();
  program->add(a.component());
  std::stop_source signal;
  start(signal.get_token());
  signal.request_stop();
  world.executor->run_until_idle();
  EXPECT_THAT(journal, ElementsAre("start a", "stop a"));
  EXPECT_TRUE(ended && *ended);
}

TEST_F(ManagerTest, AStopInTheMiddleOfTheStartStopsWhatHasBegun) {
  make();
  b.comes_up = false;
  for (auto* each : {&a, &b, &c}) program->add(each->component());
  start();
  stop();
  EXPECT_THAT(journal, ElementsAre("start a", "start b", "stop b", "stop a"));
  EXPECT_TRUE(ended && *ended);
}

TEST_F(ManagerTest, OneThatDoesNotStartStopsTheProgramWithItsReason) {
  const LogLines log;
  make();
  program->add(a.component());
  b.comes_up = false;
  program->add(b.component());
  program->add(c.component());
  start();
  b.end(Error::config("no disk"));
  world.executor->run_until_idle();
  EXPECT_THAT(journal, ElementsAre("start a", "start b", "stop a"));
  ASSERT_TRUE(ended && !*ended);
  EXPECT_EQ(ended->error().message(), "component b did not start: no disk");
  EXPECT_EQ(program->status().reason->message(), ended->error().message());
  EXPECT_EQ(state_of("b"), "failed");
  EXPECT_THAT(log.all(), Contains(HasSubstr("no disk")));
}

TEST_F(ManagerTest, OneThatThrowsOrEndsBeforeItIsUpHasFailed) {
  const LogLines log;
  make();
  program->add({.name = "thrower",
                .run = [](const ComponentRun&) -> Async<Result<void>> { throw std::runtime_error("no good"); }});
  start();
  ASSERT_TRUE(ended && !*ended);
  EXPECT_THAT(ended->error().message(), HasSubstr("component thrower did not start: "));
  EXPECT_THAT(ended->error().message(), HasSubstr("no good"));

  ended.reset();
  make();
  a.comes_up = false;
  program->add(a.component());
  start();
  a.end();
  world.executor->run_until_idle();
  ASSERT_TRUE(ended && !*ended);
  EXPECT_EQ(ended->error().message(), "component a ended before it was up");
}

TEST_F(ManagerTest, OneThatIsNotUpInTimeStopsTheProgramAndSaysWhatItWaitedFor) {
  const LogLines log;
  make({.start_deadline = seconds(5)});
  a.comes_up = false;
  auto slow = a.component();
  slow.missing = [] { return std::string("the tide"); };
  program->add(std::move(slow));
  start();
  world.executor->advance(seconds(5));
  EXPECT_THAT(journal, ElementsAre("start a", "stop a"));
  ASSERT_TRUE(ended && !*ended);
  EXPECT_EQ(ended->error().message(), "component a was not up within 5 s: the tide");
  EXPECT_EQ(ended->error().kind(), ErrorKind::Timeout);
}

TEST_F(ManagerTest, OneThatFailsLaterStopsTheProgramAndOneThatIsDoneDoesNot) {
  const LogLines log;
  make();
  for (auto* each : {&a, &b, &c}) program->add(each->component());
  start();
  c.end();
  world.executor->run_until_idle();
  EXPECT_EQ(program->status().state, ManagerState::Running);
  EXPECT_EQ(state_of("c"), "ended");

  a.end(Error::config("broke"));
  world.executor->run_until_idle();
  EXPECT_THAT(journal, ElementsAre("start a", "start b", "start c", "stop b"));
  ASSERT_TRUE(ended && !*ended);
  EXPECT_EQ(ended->error().message(), "component a: broke");
  EXPECT_EQ(program->status().find("a")->last_error->message(), "component a: broke");
}

TEST_F(ManagerTest, OneThatDoesNotEndInTimeIsNamedAndTheOthersStopNevertheless) {
  const LogLines log;
  make({.stop_deadline = seconds(7)});
  b.ends = false;
  for (auto* each : {&a, &b, &c}) program->add(each->component());
  start();
  stop();
  EXPECT_THAT(journal, ElementsAre("start a", "start b", "start c", "stop c", "stop b"));
  EXPECT_FALSE(ended);
  world.executor->advance(seconds(7));
  EXPECT_EQ(journal.back(), "stop a");
  ASSERT_TRUE(ended && !*ended);
  EXPECT_EQ(ended->error().message(), "component b did not end within 7 s");
  EXPECT_THAT(log.all(), Contains(HasSubstr("component=b ")));
  EXPECT_EQ(state_of("b"), "stuck");

  b.end();
  world.executor->run_until_idle();
  EXPECT_EQ(state_of("b"), "ended");
}

TEST_F(ManagerTest, WhatIsMisusedThrows) {
  make();
  program->add(a.component());
  EXPECT_THROW(program->add(a.component()), std::logic_error);
  EXPECT_THROW(program->add({.name = "empty"}), std::logic_error);
  start();
  EXPECT_THROW(program->add(b.component()), std::logic_error);
  EXPECT_THROW(program->start(), std::logic_error);
  EXPECT_FALSE(Manager::create(*world.client, {.stop_deadline = seconds(0)}));
  ManagerOptions bad;
  bad.election = election::LeaderElectionOptions{.name = "widgets"};
  EXPECT_FALSE(Manager::create(*world.client, bad));
}

TEST_F(ManagerTest, WhatNeedsTheLeaderStartsWithTheTermAndStopsBeforeTheLeaseIsGivenBack) {
  make(elected());
  program->add(b.component(true));
  program->add(a.component());
  start();
  world.executor->advance(seconds(3));
  EXPECT_THAT(journal, ElementsAre("start a", "start b"));
  EXPECT_TRUE(program->status().election->leading);
  EXPECT_TRUE(b.given.guard.valid());
  EXPECT_FALSE(a.given.guard.valid());
  EXPECT_EQ(readiness(), "manager ok; leader ok; ");

  b.ends = false;
  stop();
  world.executor->advance(seconds(1));
  const auto holder = [&] {
    const auto lease = world.core->get({"coordination.k8s.io", "v1", "leases"}, {"default", "widgets"});
    return std::string((*lease)["spec"]["holderIdentity"].string());
  };
  EXPECT_EQ(holder(), "a");  // it still works
  b.end();
  world.executor->run_until_idle();
  EXPECT_EQ(holder(), "");
  EXPECT_THAT(journal, ElementsAre("start a", "start b", "stop b", "stop a"));
  EXPECT_TRUE(ended && *ended);
}

TEST_F(ManagerTest, AStandbyIsReadyAndSaysWhoLeads) {
  int other = 0;
  const auto elector = election::LeaderElector::create(*world.client, {.name = "widgets", .identity = "other"},
                                                       {.on_started_leading = [&](const auto&) { ++other; }})
                           .value();
  elector->start();
  world.executor->advance(seconds(1));
  ASSERT_EQ(other, 1);
  make(elected());
  program->add(a.component());
  program->add(b.component(true));
  start();
  EXPECT_EQ(readiness(), "manager ok; leader standby: other leads; ");
  EXPECT_EQ(state_of("b"), "standby");
  EXPECT_EQ(state_of("a"), "running");

  elector->stop();
  world.executor->advance(seconds(5));
  EXPECT_EQ(state_of("b"), "running");
  EXPECT_EQ(readiness(), "manager ok; leader ok; ");
}

TEST_F(ManagerTest, ALostLeaseStopsWhatNeedsTheLeaderAndTheProgramStandsAgain) {
  const LogLines log;
  make(elected(LostLeadership::StandAgain));
  program->add(a.component());
  program->add(b.component(true));
  start();
  world.executor->advance(seconds(3));
  ASSERT_EQ(state_of("b"), "running");
  {
    const auto cut = world.core->add_fault({.resource = "leases", .status = 500});
    world.executor->advance(seconds(15));
    EXPECT_EQ(state_of("b"), "standby");
    EXPECT_EQ(state_of("a"), "running");
    EXPECT_FALSE(b.given.guard.valid());
  }
  world.executor->advance(seconds(30));
  EXPECT_THAT(journal, ElementsAre("start a", "start b", "stop b", "start b"));
  EXPECT_TRUE(b.given.guard.valid());
  EXPECT_EQ(program->status().find("b")->runs, 2U);
  EXPECT_FALSE(ended);
  EXPECT_THAT(log.all(), Contains(HasSubstr("leadership was lost")));
}

TEST_F(ManagerTest, ALostLeaseEndsTheProgramWhereTheOptionsSaySo) {
  const LogLines log;
  make(elected(LostLeadership::End));
  program->add(a.component());
  program->add(b.component(true));
  start();
  world.executor->advance(seconds(3));
  const auto cut = world.core->add_fault({.resource = "leases", .status = 500});
  world.executor->advance(seconds(15));
  EXPECT_THAT(journal, ElementsAre("start a", "start b", "stop b", "stop a"));
  ASSERT_TRUE(ended && !*ended);
  EXPECT_EQ(ended->error().message(), "the leadership of lease default/widgets was lost");
}

TEST_F(ManagerTest, WorkOfALostTermThatDoesNotEndEndsTheProgramThoughItWouldStandAgain) {
  const LogLines log;
  make(elected(LostLeadership::StandAgain));
  b.ends = false;
  program->add(b.component(true));
  start();
  world.executor->advance(seconds(3));
  const auto cut = world.core->add_fault({.resource = "leases", .status = 500});
  world.executor->advance(seconds(60));
  ASSERT_TRUE(ended && !*ended);
  EXPECT_EQ(ended->error().message(), "component b did not end within 30 s");
}

TEST_F(ManagerTest, WithoutAnElectionWhatNeedsTheLeaderRunsAsAllElse) {
  make();
  program->add(b.component(true));
  program->add(a.component());
  start();
  EXPECT_THAT(journal, ElementsAre("start b", "start a"));
}

TEST_F(ManagerTest, AControllerReconcilesWithSyncedInformersAndEndsWithTheProgram) {
  ASSERT_TRUE(world.core->seed(testkit::make_config_map("default/a", "1")));
  factory.emplace(*world.client);
  const auto informer = factory->for_resource(kManaged).value();
  make(elected(LostLeadership::StandAgain));
  program->add(*factory);
  std::vector<std::string> keys;
  program->add_controller<meta::Object>("maps", [&](const ComponentRun& run) {
    EXPECT_TRUE(informer.has_synced());
    EXPECT_TRUE(run.guard.valid());
    client::ApiResource resource;
    resource.resource = kManaged;
    resource.kind = "ConfigMap";
    ControllerParts<meta::Object> parts;
    parts.controller = std::make_shared<controller::Controller<meta::Object>>(*factory, informer, resource);
    parts.reconcile = [&](const meta::ObjectKey& key, std::stop_token) -> Result<controller::Action> {
      keys.push_back(key.to_string());
      return controller::Action::done();
    };
    return parts;
  });
  start();
  world.executor->advance(seconds(3));
  EXPECT_THAT(keys, Contains("default/a"));
  {
    const auto cut = world.core->add_fault({.resource = "leases", .status = 500});
    world.executor->advance(seconds(15));
    EXPECT_EQ(state_of("maps"), "standby");
  }
  keys.clear();
  world.executor->advance(seconds(30));
  EXPECT_THAT(keys, Contains("default/a"));  // a new controller, with the same cache

  stop();
  world.executor->advance(seconds(1));
  EXPECT_TRUE(ended && *ended) << ended->error();
  EXPECT_TRUE(informer.is_stopped());
}

TEST_F(ManagerTest, InformersThatDoNotSyncAreNamedWithTheirError) {
  const LogLines log;
  const auto refused = world.core->add_fault({.resource = "configmaps", .status = 403, .message = "not for you"});
  factory.emplace(*world.client);
  ASSERT_TRUE(factory->for_resource(kManaged));
  make({.start_deadline = seconds(5)});
  program->add(*factory);
  start();
  world.executor->advance(seconds(6));
  ASSERT_TRUE(ended && !*ended);
  EXPECT_THAT(ended->error().message(),
              HasSubstr("component informers was not up within 5 s: not synced: configmaps ("));
  EXPECT_THAT(ended->error().message(), HasSubstr("not for you"));
}

}  // namespace
}  // namespace kubexx::manager
