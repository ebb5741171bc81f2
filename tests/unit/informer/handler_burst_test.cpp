/// What waits for a handler that is blocked costs memory while it waits, and none afterwards: client-go's ring buffer
/// grows and stays.
#include <gtest/gtest.h>

#include "kubexx/informer/shared_processor.hpp"
#include "support/burst_cost.hpp"
#include "support/fixture_executor.hpp"
#include "unit/informer/shared_informer_fixture.hpp"
#include "unit/store/test_objects.hpp"

namespace kubexx::informer {
namespace {

using test::cost_of_burst;
using test::given_back;
using test::kBurst;

class HandlerBurstTest : public testing::Test {
 protected:
  /// `count` notifications of as many keys while the handler does not run.
  void announce(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Notification told;
      told.after = test::pod("p" + std::to_string(i));
      told.key = meta::Key::of(told.after);
      processor->announce(std::move(told));
    }
    processor->distribute();
  }
  void make(HandlerOptions options) {
    ResourceEventHandlerFuncs<> counting;
    counting.on_add = [this](const meta::Object&) { ++heard; };
    listener = processor->register_handler(make_handler<meta::Object>(std::move(counting)), std::move(options));
    processor->join(listener, {});
    processor->start();
  }
  test::BurstCost cost() {
    return cost_of_burst(
        kBurst, [this](std::size_t count) { announce(count); }, [this] { handlers->run_until_idle(); });
  }
  void TearDown() override { processor->stop(true); }

  FixtureExecutor executor;
  FixtureExecutor handlers;
  std::shared_ptr<SharedProcessor> processor = std::make_shared<SharedProcessor>(
      Strand(executor), ProcessorListener::Setting{.informer = "pods", .executor = handlers}, Duration::zero());
  std::shared_ptr<ProcessorListener> listener;
  std::size_t heard = 0;
};

TEST_F(HandlerBurstTest, WhatWaitedForABlockedHandlerIsGivenBackWhenItWasHeard) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  make({});
  const auto spent = cost();
  EXPECT_EQ(heard, kBurst + 16);
  EXPECT_TRUE(given_back(spent, 20 << 20));
}

TEST_F(HandlerBurstTest, SoIsWhatWaitedByKey) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  make({.coalesce = true});
  const auto spent = cost();
  EXPECT_EQ(heard, kBurst + 16);
  EXPECT_TRUE(given_back(spent, 20 << 20));
}

TEST_F(HandlerBurstTest, SoIsWhatWaitedForAHandlerThatLeaves) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  make({});
  const auto spent = cost_of_burst(
      kBurst, [this](std::size_t count) { announce(count); },
      [this] {
        listener->close();
        processor->leave(*listener);
        handlers->run_until_idle();
        make({});
      });
  EXPECT_EQ(heard, 0U);
  EXPECT_TRUE(given_back(spent, 20 << 20));
}

constexpr std::size_t kEvents = kBurst / 4;

class InformerBurstTest : public SharedInformerTest {};

TEST_P(InformerBurstTest, OnTheWholeWayToABlockedHandlerNothingOfABurstIsLeft) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  std::size_t heard = 0;
  make();
  ResourceEventHandlerFuncs<> counting;
  counting.on_update = [&](const meta::Object&) { ++heard; };
  const auto registration = informer->add_event_handler(std::move(counting));
  script->answer({config_map("web", "1")}, "1");
  start();

  std::size_t version = 1;
  const auto spent = cost_of_burst(
      kEvents,
      [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) send(kModified, config_map("web", std::to_string(++version)));
        executor->run_until_idle();
      },
      [&] { run(); });

  EXPECT_EQ(heard, kEvents + 16);
  EXPECT_EQ(informer->status().objects, 1U);
  EXPECT_TRUE(given_back(spent, 5 << 20));
}

TEST_P(InformerBurstTest, OfAListThatIsGoneNothingIsLeft) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  make();
  script->answer({}, "1");
  start();

  std::size_t version = 1;
  const auto list = [&](std::size_t count) {
    std::vector<meta::Object> items;
    for (std::size_t i = 0; i < count; ++i) items.push_back(config_map("c" + std::to_string(i), "1"));
    script->answer(std::move(items), std::to_string(++version));
    informer->relist();
    run();
  };
  const auto spent = cost_of_burst(kEvents, list, [&] { list(0); });

  EXPECT_EQ(informer->status().objects, 0U);
  EXPECT_TRUE(given_back(spent, 5 << 20));
}

INSTANTIATE_TEST_SUITE_P(BothQueues, InformerBurstTest, testing::Values(QueueKind::Ordered, QueueKind::PerKey));

}  // namespace
}  // namespace kubexx::informer
