#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/informer/shared_informer.hpp"
#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using reflector::Script;

TEST(InformerStatusTest, CountsEventsByTypeAndTheTimeSpentInHandlers) {
  const FixtureExecutor executor;
  const auto script = std::make_shared<Script>();
  script->answer({config_map("a", "1")}, "5");
  InformerOptions options;
  options.resource = {"", "v1", "configmaps"};
  options.scope.namespaces = {"ns"};
  options.executor = executor;
  options.handlers = executor;
  options.reflector.emplace();
  options.reflector->version_check = Duration::zero();
  const auto informer = SharedIndexInformer::create(script, std::move(options));
  ResourceEventHandlerFuncs<> functions;
  functions.on_add = [&](const meta::Object&) { executor->fake_clock().advance(std::chrono::milliseconds(3)); };
  const auto registration = informer->add_event_handler(std::move(functions));
  informer->start();
  executor->run_until_idle();

  script->stream().send({meta::WatchEventType::Added, config_map("b", "6")});
  script->stream().send({meta::WatchEventType::Modified, config_map("a", "7")});
  script->stream().send({meta::WatchEventType::Deleted, config_map("b", "8")});
  executor->run_until_idle();

  const auto status = informer->status();
  EXPECT_EQ(status.scope, "in ns");
  EXPECT_EQ(status.events.adds, 2U);
  EXPECT_EQ(status.events.updates, 1U);
  EXPECT_EQ(status.events.deletes, 1U);
  EXPECT_EQ(status.events.resyncs, 0U);
  ASSERT_EQ(status.handlers.size(), 1U);
  EXPECT_EQ(status.handlers[0].calls, 4U);
  EXPECT_EQ(status.handlers[0].busy, std::chrono::milliseconds(6));
  informer->stop();
  executor->run_until_idle();
}

TEST(InformerStatusTest, MetricsShowHowManyCallsWaitAndForHowLong) {
  const FixtureExecutor executor;
  const FixtureExecutor handlers;
  const auto script = std::make_shared<Script>();
  script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
  InformerOptions options;
  options.name = "maps";
  options.executor = executor;
  options.handlers = handlers;
  options.reflector.emplace();
  options.reflector->version_check = Duration::zero();
  options.metrics = std::make_shared<MetricsRegistry>();
  const auto metrics = options.metrics;
  const auto informer = SharedIndexInformer::create(script, std::move(options));
  auto registration = informer->add_event_handler(ResourceEventHandlerFuncs<>{}, {.name = "idle"});
  informer->start();
  executor->run_until_idle();
  handlers->fake_clock().advance(std::chrono::seconds(7));

  EXPECT_NE(metrics->expose().find(R"(kubexx_handler_depth{handler="idle",informer="maps"} 2)"), std::string::npos);
  EXPECT_NE(metrics->expose().find(R"(kubexx_handler_age_seconds{handler="idle",informer="maps"} 7)"),
            std::string::npos)
      << metrics->expose();

  handlers->run_until_idle();
  EXPECT_NE(metrics->expose().find(R"(kubexx_handler_depth{handler="idle",informer="maps"} 0)"), std::string::npos);
  registration.remove();
  informer->stop();
  executor->run_until_idle();
  EXPECT_EQ(metrics->expose().find("kubexx_handler_age_seconds{"), std::string::npos);
}

class RepairsTest : public ::testing::TestWithParam<QueueKind> {
 protected:
  void start() {
    InformerOptions options;
    options.name = "maps";
    options.queue = GetParam();
    options.executor = executor;
    options.handlers = executor;
    options.reflector.emplace();
    options.reflector->version_check = Duration::zero();
    options.reflector->verify_every = std::chrono::minutes(1);
    options.metrics = metrics;
    informer = SharedIndexInformer::create(script, std::move(options));
    informer->start();
    executor->run_until_idle();
  }
  void TearDown() override {
    informer->stop();
    executor->run_until_idle();
  }

  const FixtureExecutor executor;
  const std::shared_ptr<Script> script = std::make_shared<Script>();
  const std::shared_ptr<MetricsRegistry> metrics = std::make_shared<MetricsRegistry>();
  std::shared_ptr<SharedIndexInformer> informer;
};

TEST_P(RepairsTest, WhatAListOfTheVersionItHadPutsRightIsCounted) {
  script->answer({config_map("kept", "1"), config_map("wrong", "2"), config_map("surplus", "3")}, "5");
  start();
  script->stream().send({meta::WatchEventType::Modified, config_map("kept", "6")});
  executor->run_until_idle();
  script->answer({config_map("kept", "6"), config_map("wrong", "4"), config_map("missing", "4")}, "6");

  executor->advance(std::chrono::minutes(1));

  EXPECT_EQ(informer->status().repairs, 3U);
  EXPECT_NE(metrics->expose().find("kubexx_informer_repairs_total{informer=\"maps\"} 3"), std::string::npos)
      << metrics->expose();
  EXPECT_THAT(informer->indexer()->list_keys(), ::testing::UnorderedElementsAre("ns/kept", "ns/missing", "ns/wrong"));

  script->answer({config_map("kept", "7")}, "8");  // a newer state is no repair
  executor->advance(std::chrono::minutes(1));
  EXPECT_EQ(informer->status().repairs, 3U);
}

TEST_P(RepairsTest, ObjectsOfAResourceThatIsGoneAreNotRepairs) {
  script->can_await = true;
  script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
  start();
  script->answer(Error::api(404, "NotFound", "404 page not found"));

  executor->advance(std::chrono::minutes(1));

  EXPECT_TRUE(informer->indexer()->list_keys().empty());
  EXPECT_EQ(informer->status().repairs, 0U);
}

INSTANTIATE_TEST_SUITE_P(BothQueues, RepairsTest, ::testing::Values(QueueKind::Ordered, QueueKind::PerKey));

}  // namespace
}  // namespace kubexx::informer
