#include <gmock/gmock.h>

#include <barrier>
#include <stdexcept>

#include "unit/informer/factory_fixture.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// informer_for(resource, function).
class FactoryMakingTest : public FactoryTest {
 protected:
  static delta::TransformFunc renaming(std::string prefix) {
    return [prefix = std::move(prefix)](const meta::Object& object) -> Result<meta::Object> {
      return config_map(prefix + std::string(object.name()), std::string(object.resource_version()));
    };
  }
};

TEST_F(FactoryMakingTest, TheFirstFunctionWinsAndGetsTheClientAndTheResyncPeriod) {
  make({.defaults = {.resync_period = minutes(5)}, .by_kind = {{kSecrets, {.resync_period = minutes(7)}}}});
  std::vector<Duration> periods;
  std::vector<const Executor*> executors;
  const auto function = [&](const rest::Client& given, const InformerOptions& said) {
    periods.push_back(said.resync_period.value());
    executors.push_back(given.executor().get());
    return SharedIndexInformer::create(script, scripted_options());
  };
  const auto first = factory->informer_for(kConfigMaps, function);

  EXPECT_EQ(factory->informer_for(kConfigMaps, function), first);
  EXPECT_EQ(ask(kConfigMaps), first);
  EXPECT_NE(factory->informer_for(kSecrets, function), first);
  EXPECT_THAT(periods, ElementsAre(minutes(5), minutes(7)));
  EXPECT_THAT(executors, ElementsAre(executor.get(), executor.get()));
}

struct ConfigMapObject : meta::Object {
  static constexpr meta::ResourceInfo kResource{"", "v1", "ConfigMap", "configmaps", "configmap", true, true};
};

TEST_F(FactoryMakingTest, WhatAServerWouldRefuseForEverIsRefusedAtOnce) {
  make_dynamic();
  for (const auto& resource : {meta::GroupVersionResource{"", "v1", ""}, {"", "", "configmaps"}}) {
    const auto informer = factory->for_resource(resource);
    ASSERT_FALSE(informer) << resource.to_string();
    EXPECT_EQ(informer.error().kind(), ErrorKind::Config) << informer.error();
    EXPECT_FALSE(factory->lease(resource)) << resource.to_string();
  }
  EXPECT_THAT(factory->informers(), IsEmpty());
}

TEST_F(FactoryMakingTest, WhatTheChainMadeComesBeforeAnyFunction) {
  make();
  const auto chain = ask(kConfigMaps);

  EXPECT_EQ(
      factory->informer_for(kConfigMaps,
                            [](const rest::Client&, const InformerOptions&) -> std::shared_ptr<SharedIndexInformer> {
                              throw std::logic_error("not called");
                            }),
      chain);
}

TEST_F(FactoryMakingTest, ManyCallersAtOnceMakeOneInformer) {
  constexpr int kCallers = 8;
  make();
  std::atomic<int> made{0};
  std::barrier all_there(kCallers);
  std::vector<std::shared_ptr<SharedIndexInformer>> got(kCallers);
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < kCallers; ++i) {
      callers.emplace_back([&, i] {
        all_there.arrive_and_wait();
        got[static_cast<std::size_t>(i)] =
            factory->informer_for(kConfigMaps, [&](const rest::Client&, const InformerOptions&) {
              ++made;
              for (int turn = 0; turn < 1000; ++turn) std::this_thread::yield();
              return SharedIndexInformer::create(script, scripted_options());
            });
      });
    }
  }

  EXPECT_EQ(made, 1);
  for (const auto& informer : got) EXPECT_EQ(informer, got[0]);
}

TEST_F(FactoryMakingTest, AFunctionThatThrowsLeavesNothingBehindAndTheNextOneIsCalled) {
  make();
  const auto failing = [](const rest::Client&, const InformerOptions&) -> std::shared_ptr<SharedIndexInformer> {
    throw std::runtime_error("on purpose");
  };
  EXPECT_THROW(factory->informer_for(kConfigMaps, failing), std::runtime_error);
  EXPECT_THAT(factory->informers(), IsEmpty());
  EXPECT_FALSE(factory->stop_informer(kConfigMaps));

  EXPECT_TRUE(factory->informer_for(kConfigMaps, scripted()));
  EXPECT_EQ(factory->informers().size(), 1U);
}

TEST_F(FactoryMakingTest, AFunctionMayAskForOtherInformersButNotForItsOwnNorReturnNone) {
  make();
  const auto informer = factory->informer_for(kConfigMaps, [&](const rest::Client&, const InformerOptions&) {
    EXPECT_THROW(static_cast<void>(ask(kConfigMaps)), std::logic_error);
    return ask(kSecrets);
  });

  EXPECT_EQ(ask(kSecrets), informer);
  EXPECT_THROW(factory->informer_for(kNodes, [](const rest::Client&, const InformerOptions&) { return nullptr; }),
               std::logic_error);
  EXPECT_EQ(ask(kConfigMaps), informer);
}

TEST_F(FactoryMakingTest, TheFactorysTransformIsSetWhereTheInformerHasNone) {
  make({.defaults = {.transform = renaming("factory-")}});
  script->answer({config_map("a", "1")}, "5");
  const auto plain = factory->informer_for(kConfigMaps, scripted());
  const auto other = std::make_shared<reflector::Script>();
  other->answer({config_map("a", "1")}, "5");
  const auto own = factory->informer_for(kSecrets, [&](const rest::Client&, const InformerOptions&) {
    auto options = scripted_options();
    options.transform = renaming("own-");
    return SharedIndexInformer::create(other, std::move(options));
  });
  factory->start();
  run();

  EXPECT_THAT(plain->store()->list_keys(), ElementsAre("ns/factory-a"));
  EXPECT_THAT(own->store()->list_keys(), ElementsAre("ns/own-a"));
}

}  // namespace
}  // namespace kubexx::informer
