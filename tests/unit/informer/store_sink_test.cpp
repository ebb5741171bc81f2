#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/informer/controller.hpp"
#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using testing::UnorderedElementsAre;

TEST(StoreSinkTest, AReflectorKeepsAPlainStoreEqualToTheSource) {
  using enum meta::WatchEventType;
  const FixtureExecutor executor;
  const auto script = std::make_shared<reflector::Script>();
  const auto store = std::make_shared<store::Store>();
  script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
  reflector::ReflectorOptions options;
  options.owner = make_store_owner(store);
  const auto filled = reflector::Reflector::create(script, make_store_sink(store), Strand(executor), options);
  filled->start();
  executor->run_until_idle();
  EXPECT_THAT(store->list_keys(), UnorderedElementsAre("ns/a", "ns/b"));
  EXPECT_EQ(store->last_store_sync_resource_version(), "5");

  script->stream().send({Added, config_map("c", "6")});
  script->stream().send({Modified, config_map("a", "7")});
  script->stream().send({Deleted, config_map("b", "8")});
  script->stream().send(reflector::bookmark("9"));
  executor->run_until_idle();
  EXPECT_THAT(store->list_keys(), UnorderedElementsAre("ns/a", "ns/c"));
  EXPECT_EQ(store->find("ns/a").resource_version(), "7");
  EXPECT_EQ(store->last_store_sync_resource_version(), "9");

  const auto kept = store->find("ns/c");
  script->answer({config_map("c", "6"), config_map("d", "10")}, "11");
  filled->relist();
  executor->run_until_idle();
  EXPECT_THAT(store->list_keys(), UnorderedElementsAre("ns/c", "ns/d"));
  EXPECT_TRUE(store->find("ns/c").same_document(kept));  // a relist keeps what is unchanged
  filled->stop();
  executor->run_until_idle();
}

}  // namespace
}  // namespace kubexx::informer
