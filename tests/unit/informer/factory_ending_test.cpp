#include <gmock/gmock.h>

#include <latch>

#include "unit/informer/factory_fixture.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using ::testing::IsEmpty;

class FactoryEndingTest : public FactoryTest {
 protected:
  /// Whether an informer and its cache are still there.
  struct Trace {
    explicit Trace(const std::shared_ptr<SharedIndexInformer>& of) : informer(of), cache(of->indexer()) {}
    bool gone() const { return informer.expired() && cache.expired(); }
    std::weak_ptr<SharedIndexInformer> informer;
    std::weak_ptr<const store::Indexer> cache;
  };
  /// An informer that has synced, with one object.
  Trace synced() {
    script->answer({config_map("a", "1")}, "5");
    const auto informer = factory->informer_for(kConfigMaps, scripted());
    factory->start();
    run();
    EXPECT_TRUE(informer->has_synced());
    return Trace(informer);
  }
};

TEST_F(FactoryEndingTest, TheLastLeaseFreesTheCacheWithoutAnythingElseBeingAsked) {
  make();
  auto second = std::make_unique<Lease>(factory->lease(kConfigMaps).value());
  auto first = std::make_unique<Lease>(factory->lease(kConfigMaps).value());
  {
    const auto third = factory->lease(kConfigMaps).value();
  }
  EXPECT_EQ(first->informer().shared(), second->informer().shared());
  const Trace trace(first->informer().shared());
  factory->start();
  run();

  first.reset();
  run();
  EXPECT_FALSE(trace.gone());
  EXPECT_FALSE(second->informer().is_stopped());
  second.reset();
  EXPECT_THAT(factory->informers(), IsEmpty());
  run();

  EXPECT_TRUE(trace.gone());
}

TEST_F(FactoryEndingTest, AnInformerThatNeverRanGoesWithItsLastLease) {
  make();
  const Trace trace(factory->lease(kConfigMaps).value().informer().shared());
  run();

  EXPECT_TRUE(trace.gone());
}

TEST_F(FactoryEndingTest, StoppingOneInformerFreesItsCache) {
  make();
  const Trace trace = synced();

  EXPECT_TRUE(factory->stop_informer(kConfigMaps));
  EXPECT_FALSE(factory->stop_informer(kConfigMaps));
  run();

  EXPECT_TRUE(trace.gone());
}

TEST_F(FactoryEndingTest, ACacheStaysWhileAHandlerOfItRuns) {
  script->answer({config_map("a", "1")}, "5");
  make();
  std::optional<Trace> trace;
  bool called = false;
  {
    const auto informer = factory->informer_for(kConfigMaps, scripted());
    trace.emplace(informer);
    ResourceEventHandlerFuncs<> functions;
    functions.on_add = [&](const meta::Object&) {
      EXPECT_TRUE(factory->stop_informer(kConfigMaps));
      executor->run_until_idle();  // the watch ends, but this call does not
      EXPECT_FALSE(trace->gone());
      called = true;
    };
    informer->add_event_handler(std::move(functions)).release();
  }
  factory->start();
  run();

  EXPECT_TRUE(called);
  EXPECT_TRUE(trace->gone());
}

TEST_F(FactoryEndingTest, ALeaseEndsNoInformerThatIsHeldWithoutOne) {
  make();
  const auto before = ask(kConfigMaps);
  {
    const auto lease = factory->lease(kConfigMaps).value();
  }
  EXPECT_FALSE(before->is_stopped());
  EXPECT_EQ(ask(kConfigMaps), before);

  std::shared_ptr<SharedIndexInformer> after;
  {
    const auto lease = factory->lease(kSecrets).value();
    after = ask(kSecrets);
    EXPECT_EQ(lease.informer().shared(), after);
  }
  EXPECT_FALSE(after->is_stopped());
  EXPECT_EQ(ask(kSecrets), after);
}

TEST_F(FactoryEndingTest, ALeaseOfAnInformerThatWasStoppedDoesNotEndItsSuccessor) {
  make();
  auto old = std::make_unique<Lease>(factory->lease(kConfigMaps).value());
  EXPECT_TRUE(factory->stop_informer(kConfigMaps));
  const auto lease = factory->lease(kConfigMaps).value();
  EXPECT_NE(lease.informer().shared(), old->informer().shared());

  old.reset();

  EXPECT_FALSE(lease.informer().is_stopped());
  EXPECT_EQ(factory->informers(), std::vector{lease.informer().shared()});
}

TEST_F(FactoryEndingTest, WhoHasALeaseHasALivingInformerHoweverOthersDropTheirs) {
  make();
  std::atomic<int> dead{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int turn = 0; turn < 500; ++turn) {
          const auto lease = factory->lease(kConfigMaps).value();
          dead += lease.informer().is_stopped() ? 1 : 0;
        }
      });
    }
  }

  EXPECT_EQ(dead, 0);
  EXPECT_THAT(factory->informers(), IsEmpty());
}

TEST_F(FactoryEndingTest, WhatTheUserGaveIsNotDestroyedUnderTheFactorysLock) {
  struct AsksTheFactory {
    AsksTheFactory(SharedInformerFactory& f, bool& a) : factory(f), asked(a) {}
    ~AsksTheFactory() { asked = factory.informers().empty(); }
    SharedInformerFactory& factory;
    bool& asked;
  };
  make();
  bool asked = false;
  static_cast<void>(factory->informer_for(kConfigMaps, [&](const rest::Client&, const InformerOptions&) {
    auto options = scripted_options();
    const auto guard = std::make_shared<AsksTheFactory>(*factory, asked);
    options.transform = [guard](meta::Object object) -> Result<meta::Object> { return object; };
    return SharedIndexInformer::create(script, std::move(options));
  }));
  factory->start();
  run();

  EXPECT_TRUE(factory->stop_informer(kConfigMaps));
  run();
  factory->start();

  EXPECT_TRUE(asked);
}

TEST(FactoryShutdownTest, WaitsForTheHandlersOfInformersThatWereStoppedBefore) {
  const auto script = std::make_shared<reflector::Script>();
  script->answer({config_map("a", "1")}, "5");
  rest::Config config;
  config.host = "http://127.0.0.1:1";
  rest::ClientOptions options;
  options.transport = std::make_shared<SilentTransport>();
  const auto client = rest::Client::create(config, std::move(options)).value();
  SharedInformerFactory factory(client);
  std::latch entered(1);
  std::latch release(1);
  std::atomic<bool> returned{false};
  {
    const auto informer = factory.informer_for(kConfigMaps, [&](const rest::Client& c, const InformerOptions&) {
      InformerOptions made;
      made.executor = c.executor();
      made.handlers = c.handlers();
      made.reflector.emplace();
      made.reflector->version_check = Duration::zero();
      return SharedIndexInformer::create(script, std::move(made));
    });
    ResourceEventHandlerFuncs<> functions;
    functions.on_add = [&](const meta::Object&) {
      entered.count_down();
      release.wait();
      returned = true;
    };
    informer->add_event_handler(std::move(functions)).release();
  }
  factory.start();
  entered.wait();
  ASSERT_TRUE(factory.stop_informer(kConfigMaps));
  factory.start();

  const std::jthread later([&] {
    // Until shutdown() waits, most likely. Not so many yields: on a busy machine each of them takes milliseconds.
    const TimePoint until = Clock::system().now() + std::chrono::milliseconds(5);
    while (Clock::system().now() < until) std::this_thread::yield();
    release.count_down();
  });
  factory.shutdown();

  EXPECT_TRUE(returned);
}

}  // namespace
}  // namespace kubexx::informer
