/// Handlers that come, run and go on real threads while their informer starts and stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>

#include "kubexx/base/stop.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "support/thread_shortage.hpp"
#include "unit/informer/fake_source.hpp"

namespace kubexx::informer {
namespace {

using std::chrono::seconds;

class HandlerLifeTest : public testing::Test {
 protected:
  HandlerLifeTest() { source->put("a"); }
  std::shared_ptr<SharedIndexInformer> make() const {
    InformerOptions options;
    options.description = "configmaps";
    options.executor = executor;
    options.handlers = handlers;
    return SharedIndexInformer::create(source, std::move(options));
  }
  static ResourceEventHandlerFuncs<> counting(std::atomic<int>& adds) {
    ResourceEventHandlerFuncs<> f;
    f.on_add = [&adds](const meta::Object&) { ++adds; };
    return f;
  }

  std::shared_ptr<ThreadExecutor> executor = std::make_shared<ThreadExecutor>();
  std::shared_ptr<ElasticExecutor> handlers = std::make_shared<ElasticExecutor>();
  std::shared_ptr<FakeSource> source = std::make_shared<FakeSource>();
};

// TestSharedInformerInitializationRace
TEST_F(HandlerLifeTest, AHandlerAddedWhileTheInformerStartsGetsEachObjectOnce) {
  for (int round = 0; round < 50; ++round) {
    const auto informer = make();
    std::atomic<int> adds[3] = {};
    {
      std::latch together(4);
      std::vector<std::jthread> threads;
      std::vector<Registration> registrations(3);
      for (std::size_t i = 0; i < 3; ++i) {
        threads.emplace_back([&, i] {
          together.arrive_and_wait();
          registrations[i] = informer->add_event_handler(counting(adds[i]));
          EXPECT_TRUE(registrations[i].wait_until_synced());
        });
      }
      together.arrive_and_wait();
      informer->start();
      threads.clear();
      for (const auto& each : adds) EXPECT_EQ(each, 1);
    }
    informer->stop();
    informer->join();
  }
}

TEST_F(HandlerLifeTest, WithoutAThreadForHandlersTheyAreCalledAndTheInformerEnds) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  const auto informer = make();
  std::atomic<int> adds = 0;
  auto registration = informer->add_event_handler(counting(adds));
  const test::ThreadShortage shortage;

  informer->start();
  EXPECT_TRUE(registration.wait_until_synced());
  informer->stop_with_drain();
  informer->join();

  EXPECT_EQ(adds, 1);
}

// TestSharedInformerStartRace
TEST_F(HandlerLifeTest, WhatIsSetWhileTheInformerStartsEitherHoldsOrIsRefused) {
  for (int round = 0; round < 50; ++round) {
    const auto informer = make();
    std::atomic<int> transformed{0};
    bool accepted = false;
    std::latch together(3);
    std::jthread setter([&] {
      together.arrive_and_wait();
      try {
        informer->set_transform([&](meta::Object object) -> Result<meta::Object> {
          ++transformed;
          return object;
        });
        accepted = true;
      } catch (const std::logic_error&) {
      }
      try {
        informer->set_watch_error_handler([](const reflector::WatchError&) {});
      } catch (const std::logic_error&) {
      }
    });
    std::jthread asker([&] {
      together.arrive_and_wait();
      EXPECT_TRUE(informer->add_indexers({{"late", store::meta_namespace_index}}));
      static_cast<void>(informer->status());
      static_cast<void>(informer->has_synced());
      informer->relist();
    });
    together.arrive_and_wait();
    informer->start();
    setter.join();
    asker.join();
    EXPECT_TRUE(informer->wait_until(source->version(), {.timeout = seconds(60)}));
    EXPECT_EQ(transformed > 0, accepted);
    EXPECT_EQ(informer->indexer()->index_keys("late", "ns").value(), std::vector<std::string>{"ns/a"});
    informer->stop();
    informer->join();
  }
}

// TestShutDownEventHandler_Lifecycles
TEST_F(HandlerLifeTest, RemovalReturnsWhateverBecameOfTheInformer) {
  std::atomic<int> adds{0};
  {
    const auto never_started = make();
    auto registration = never_started->add_event_handler(counting(adds));
    registration.remove();
  }
  EXPECT_EQ(adds, 0);
  {
    const auto started_first = make();
    started_first->start();
    auto registration = started_first->add_event_handler(counting(adds));
    ASSERT_TRUE(registration.wait_until_synced());
    registration.remove();
    started_first->stop();
    started_first->join();
  }
  EXPECT_EQ(adds, 1);
  {
    const auto added_first = make();
    auto registration = added_first->add_event_handler(counting(adds));
    added_first->start();
    ASSERT_TRUE(registration.wait_until_synced());
    registration.remove();
    added_first->stop();
    added_first->join();
  }
  EXPECT_EQ(adds, 2);
  {
    const auto removed_before_the_start = make();
    auto gone = removed_before_the_start->add_event_handler(counting(adds));
    gone.remove();
    const auto stays = removed_before_the_start->add_event_handler(counting(adds));
    removed_before_the_start->start();
    ASSERT_TRUE(stays.wait_until_synced());
    removed_before_the_start->stop();
    removed_before_the_start->join();
  }
  EXPECT_EQ(adds, 3);
}

TEST_F(HandlerLifeTest, AReleasedHandlerStaysForTheInformersLife) {
  const auto informer = make();
  std::latch both(2);
  {
    ResourceEventHandlerFuncs<> f;
    f.on_add = [&](const meta::Object&) { both.count_down(); };
    auto registration = informer->add_event_handler(std::move(f));
    registration.release();
    EXPECT_FALSE(registration);
    registration.remove();  // of nothing
  }
  informer->start();
  source->put("b");
  both.wait();
  EXPECT_EQ(informer->status().handlers.size(), 1U);
  informer->stop();
  informer->join();
}

/// A handler that is in its call from `entered` on, until its context tells it to stop.
struct Waiting {
  ResourceEventHandlerFuncs<> functions() {
    ResourceEventHandlerFuncs<> f;
    f.on_add = [this](const meta::Object&, const EventContext& context) {
      entered.count_down();
      wait_for_stop(context.stop());
      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      left = true;
    };
    return f;
  }
  std::latch entered{1};
  std::atomic<bool> left{false};
};

TEST_F(HandlerLifeTest, AHandlerIsNotSyncedBeforeItsInformer) {
  int early = 0;
  for (int round = 0; round < 100; ++round) {
    const auto informer = make();
    const auto registration = informer->add_event_handler(ResourceEventHandlerFuncs<>{});
    informer->start();
    while (!registration.has_synced()) std::this_thread::yield();
    if (!informer->has_synced()) ++early;
    informer->stop();
    informer->join();
  }
  EXPECT_EQ(early, 0);
}

// TestRemoveEventHandler_SynchronousShutdown
TEST_F(HandlerLifeTest, RemovalTellsTheRunningCallToStopAndWaitsForIt) {
  const auto informer = make();
  Waiting handler;
  auto registration = informer->add_event_handler(handler.functions());
  informer->start();
  handler.entered.wait();
  EXPECT_TRUE(registration.status().running);
  registration.remove();

  EXPECT_TRUE(handler.left);
  informer->stop();
  informer->join();
}

TEST_F(HandlerLifeTest, AStopOfTheInformerTellsTheRunningCallToStopAndJoinWaitsForIt) {
  const auto informer = make();
  Waiting handler;
  const auto registration = informer->add_event_handler(handler.functions());
  informer->start();
  handler.entered.wait();
  informer->stop();
  informer->join();

  EXPECT_TRUE(handler.left);
}

}  // namespace
}  // namespace kubexx::informer
