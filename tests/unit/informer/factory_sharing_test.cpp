#include <gmock/gmock.h>

#include <stop_token>

#include "unit/informer/factory_fixture.hpp"

namespace kubexx::informer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class FactorySharingTest : public FactoryTest {};

TEST_F(FactorySharingTest, ScopesThatMeanTheSameShareAnInformer) {
  make_dynamic({.defaults = {.scope = {.namespaces = {"x"}}}});
  const auto maps = ask(kConfigMaps);
  const auto nodes = ask(kNodes);

  EXPECT_EQ(ask(kConfigMaps, {.namespaces = {"x"}}), maps);
  EXPECT_EQ(ask(kNodes, {.namespaces = {"x"}}), nodes);
  EXPECT_EQ(ask(kNodes, {.cluster_wide = true}), nodes);
  EXPECT_EQ(ask(kConfigMaps, {.namespaces = {"y"}, .cluster_wide = true}), ask(kConfigMaps, {.cluster_wide = true}));
  EXPECT_EQ(factory->lease(kConfigMaps, {.namespaces = {"x"}}).value().informer().shared(), maps);
  EXPECT_EQ(factory->informers().size(), 3U);

  EXPECT_NE(ask(kConfigMaps, {.namespaces = {"y"}}), maps);
  EXPECT_NE(ask(kConfigMaps, {.label_selector = meta::LabelSelector::equals("a", "b")}), maps);
  EXPECT_NE(ask(kConfigMaps, {.field_selector = meta::FieldSelector::equals("metadata.name", "a")}), maps);
}

TEST_F(FactorySharingTest, AnInformersNameSaysWhoseItIsAndWhatItLacksOfTheWhole) {
  make_dynamic({.name = "agent", .defaults = {.scope = {.namespaces = {"x"}}}});

  EXPECT_EQ(ask(kConfigMaps)->name(), "agent/configmaps");
  EXPECT_EQ(ask(kConfigMaps, {.namespaces = {"y"}})->name(), "agent/configmaps in y");
  EXPECT_EQ(ask(kConfigMaps, {.label_selector = meta::LabelSelector::equals("a", "b")})->name(),
            "agent/configmaps -l a=b");
  EXPECT_EQ(ask(kNodes, {.namespaces = {"y"}})->name(), "agent/nodes");
  EXPECT_EQ(ask(kConfigMaps)->status().scope, "in x");
}

TEST_F(FactorySharingTest, ANamespaceOfASetHasAnInformerOfItsOwnAndAFactoryOfAllSharesTheWhole) {
  make({.defaults = {.scope = {.namespaces = {"b", "a"}}}});
  EXPECT_NE(ask(kConfigMaps, {.namespaces = {"a"}}), ask(kConfigMaps));
  destroy_factory();

  make();
  EXPECT_EQ(ask(kConfigMaps, {.cluster_wide = true}), ask(kConfigMaps));
  EXPECT_TRUE(factory->stop_informer(kConfigMaps, {.cluster_wide = true}));
  EXPECT_THAT(factory->informers(), IsEmpty());
}

TEST_F(FactorySharingTest, AnEmptyNameAmongTheNamespacesMeansAllOfThem) {
  make({.defaults = {.scope = {.namespaces = {"a", "", "b"}}}});
  const auto informer = ask(kConfigMaps);

  factory->start();
  run();

  EXPECT_THAT(transport->paths(), ElementsAre("/api/v1/configmaps"));
  EXPECT_FALSE(informer->wait_until("1", {.timeout = Duration::zero()}).error().message().empty());
  EXPECT_EQ(informer->status().scope, "");
}

TEST_F(FactorySharingTest, AKindWithoutNamespacesIsAskedForAsAWholeByBothFactories) {
  make({.defaults = {.scope = {.namespaces = {"x"}}}});
  static_cast<void>(ask(kNodes));
  factory->start();
  run();
  destroy_factory();
  make_dynamic({.defaults = {.scope = {.namespaces = {"x"}}}});
  static_cast<void>(ask(kNodes));
  factory->start();
  run();

  EXPECT_THAT(transport->paths(), ElementsAre("/api/v1/nodes", "/api/v1/nodes"));
}

TEST_F(FactorySharingTest, TheFormatDependsOnTheFactoryAndNotOnWhoComesFirst) {
  const auto accepted = [&](bool lease_first) {
    const auto lease = lease_first ? factory->lease(kConfigMaps).value() : [&] {
      static_cast<void>(ask(kConfigMaps));
      return factory->lease(kConfigMaps).value();
    }();
    factory->start();
    run();
    return *transport->requests().back().headers.find("Accept");
  };
  for (const bool lease_first : {true, false}) {
    make();
    EXPECT_THAT(accepted(lease_first), HasSubstr("protobuf"));
    destroy_factory();
    make_dynamic();
    EXPECT_THAT(accepted(lease_first), Not(HasSubstr("protobuf")));
    destroy_factory();
  }
}

TEST_F(FactorySharingTest, AnInformerThatItsTokenStoppedIsReplacedWhenItIsAskedForAgain) {
  make();
  std::stop_source stop;
  auto first = ask(kConfigMaps);
  factory->start(stop.get_token());
  run();
  stop.request_stop();

  const auto second = ask(kConfigMaps);
  EXPECT_NE(second, first);
  EXPECT_EQ(factory->informers(), std::vector{second});
  const std::weak_ptr old = first;
  first.reset();
  run();
  EXPECT_TRUE(old.expired());

  factory->start();
  run();
  EXPECT_TRUE(second->has_started());
  EXPECT_FALSE(second->is_stopped());
}

TEST_F(FactorySharingTest, AfterShutdownWhatIsThereIsStillGivenAndStartsNeverAgain) {
  make();
  const auto informer = ask(kConfigMaps);
  factory->shutdown();

  EXPECT_EQ(ask(kConfigMaps), informer);
  static_cast<void>(ask(kSecrets));
  factory->start();
  run();
  EXPECT_THAT(transport->paths(), IsEmpty());
}

TEST_F(FactorySharingTest, TheTypedFactoryKnowsNoOtherResourcesAndTheDynamicOneTakesAny) {
  const meta::GroupVersionResource foos{"example.com", "v1", "foos"};
  make();
  EXPECT_EQ(factory->for_resource(foos).error().message(), "no informer found for example.com/v1, Resource=foos");
  EXPECT_FALSE(factory->lease(foos));
  EXPECT_FALSE(factory->stop_informer(foos));
  destroy_factory();

  make_dynamic();
  EXPECT_TRUE(factory->for_resource(foos));
  EXPECT_TRUE(factory->lease(foos));
}

TEST_F(FactorySharingTest, AnInformerWhoseScopeChangesIsSharedByTheNewOne) {
  make_dynamic({.defaults = {.scope = {.label_selector = meta::LabelSelector::equals("a", "b")}}});
  const auto informer = ask(kConfigMaps, {.namespaces = {"x"}});
  ASSERT_TRUE(informer->set_scope({.namespaces = {"y", "z"}}));

  EXPECT_EQ(ask(kConfigMaps, {.namespaces = {"z", "y"}}), informer);
  EXPECT_NE(ask(kConfigMaps, {.namespaces = {"x"}}), informer);
  EXPECT_EQ(informer->status().scope, "in y,z -l a=b") << "what is absent the factory says";
  EXPECT_EQ(informer->name(), "configmaps in x -l a=b") << "a name is for good";
  EXPECT_TRUE(factory->stop_informer(kConfigMaps, {.namespaces = {"y", "z"}}));
  EXPECT_TRUE(informer->is_stopped());
}

TEST_F(FactorySharingTest, AScopeThatAnotherInformerHasIsAnError) {
  make_dynamic();
  const auto informer = ask(kConfigMaps, {.namespaces = {"x"}});
  const auto other = ask(kConfigMaps, {.namespaces = {"y"}});

  const auto refused = informer->set_scope({.namespaces = {"y"}});
  EXPECT_THAT(refused.error().message(), HasSubstr("another informer of this factory has that scope: configmaps in y"));
  EXPECT_EQ(informer->status().scope, "in x");
  EXPECT_EQ(ask(kConfigMaps, {.namespaces = {"x"}}), informer);

  ASSERT_TRUE(other->set_scope({.namespaces = {"z"}}));
  EXPECT_TRUE(informer->set_scope({.namespaces = {"y"}})) << "it is free now";
}

TEST_F(FactorySharingTest, ALeaseEndsItsInformerUnderWhateverScopeItHas) {
  make_dynamic();
  auto lease = std::make_optional(factory->lease(kConfigMaps, {.namespaces = {"x"}}).value());
  const auto informer = lease->informer().shared();
  ASSERT_TRUE(informer->set_scope({.namespaces = {"y"}}));
  const auto second = factory->lease(kConfigMaps, {.namespaces = {"y"}}).value();
  EXPECT_EQ(second.informer().shared(), informer);
  lease.reset();
  EXPECT_FALSE(informer->is_stopped());
}

TEST_F(FactorySharingTest, TheLastLeaseEndsAnInformerWhoseScopeChanged) {
  make_dynamic();
  auto lease = std::make_optional(factory->lease(kConfigMaps, {.namespaces = {"x"}}).value());
  const auto informer = lease->informer().shared();
  ASSERT_TRUE(informer->set_scope({.namespaces = {"y"}}));
  lease.reset();

  EXPECT_TRUE(informer->is_stopped());
  EXPECT_THAT(factory->informers(), IsEmpty());
}

TEST_F(FactorySharingTest, TheScopeOfAKindWithoutNamespacesStaysTheCluster) {
  make_dynamic();
  const auto nodes = ask(kNodes);
  EXPECT_TRUE(nodes->set_scope({.namespaces = {"x"}}));
  EXPECT_EQ(nodes->status().scope, "");
}

}  // namespace
}  // namespace kubexx::informer
