#include <gmock/gmock.h>

#include <iostream>
#include <map>

#include "guide/guide_server.hpp"
#include "kubexx/client/api.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"

namespace kubexx::guide {
namespace {

using ::testing::UnorderedElementsAre;

class ReadingTest : public GuideTest {
 protected:
  void SetUp() override {
    seed_pod("web-1", "worker-1", "web");
    seed_pod("web-2", "worker-2", "web");
    seed_pod("db-1", "worker-1", "db");
  }
};

std::vector<std::string> keys_of(const std::vector<Pod>& pods) {
  std::vector<std::string> keys;
  for (const auto& pod : pods) keys.push_back(pod.key());
  return keys;
}

TEST_F(ReadingTest, AListerFindsByNameNamespaceAndLabels) {
  informer::SharedInformerFactory factory(client);
  const auto pods = factory.core().v1().pods();
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 10s}));

  // [begin lister]
  const auto lister = pods.lister();
  const auto one = lister.pods("default").get("web-1");  // or lister.get("default/web-1")
  if (!one && one.error().is_not_found()) std::cout << "the cache has no such pod\n";
  const auto selector = meta::LabelSelector::parse("app in (web, api), !canary");
  const auto some = lister.pods("default").list(*selector);
  const auto all = lister.list();
  // [end lister]

  ASSERT_TRUE(one);
  EXPECT_EQ(one->spec().node_name(), "worker-1");
  EXPECT_THAT(keys_of(some), UnorderedElementsAre("default/web-1", "default/web-2"));
  EXPECT_EQ(all.size(), 3U);
  EXPECT_TRUE(lister.get("default/none").error().is_not_found());
}

TEST_F(ReadingTest, AnIndexAnswersByAValueThatAFunctionMakesOfEachObject) {
  // [begin index]
  informer::FactoryOptions options;
  options.by_kind[meta::resource_of<Pod>()].indexers["node"] =
      meta::typed<Pod>([](const Pod& pod) { return std::vector{std::string(pod.spec().node_name())}; });
  informer::SharedInformerFactory factory(client, options);
  // [end index]
  const auto pods = factory.core().v1().pods();
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 10s}));

  // [begin by_index]
  const auto here = pods.lister().by_index("node", "worker-1");
  // [end by_index]

  ASSERT_TRUE(here);
  EXPECT_THAT(keys_of(*here), UnorderedElementsAre("default/web-1", "default/db-1"));
  EXPECT_EQ(pods.lister().by_index("zone", "a").error().kind(), ErrorKind::Config);
}

TEST_F(ReadingTest, ASnapshotStaysAsItWas) {
  informer::SharedInformerFactory factory(client);
  const auto pods = factory.core().v1().pods();
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 10s}));

  // [begin snapshot]
  const auto now = pods.lister().snapshot();
  std::map<std::string, int> by_app;
  now.for_each([&](const meta::Object& pod) { ++by_app[std::string(pod.labels()["app"].string())]; });
  std::cout << now.size() << " pods at version " << now.resource_version() << '\n';
  // [end snapshot]

  seed_pod("late", "worker-1", "web");
  ASSERT_TRUE(pods.wait_until(std::to_string(server.version()), {.timeout = 10s}));
  EXPECT_EQ(now.size(), 3U);
  EXPECT_EQ(pods.lister().list().size(), 4U);
  EXPECT_THAT(by_app, UnorderedElementsAre(std::pair("web", 2), std::pair("db", 1)));
}

TEST_F(ReadingTest, AReadCanWaitUntilTheCacheHasAWrite) {
  const client::Api<Pod> api(client, "default");
  informer::SharedInformerFactory factory(client);
  const auto pods = factory.core().v1().pods();
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = 10s}));
  auto draft = api.get("web-1").value().edit();
  draft.metadata().labels().set("tier", "front");

  // [begin fresh]
  const auto written = api.patch(draft);
  if (!written) return complain(written.error());
  const auto seen = pods.get("default/web-1", written->resource_version(), {.timeout = 5s});
  // [end fresh]

  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->metadata().labels()["tier"], "front");
}

}  // namespace
}  // namespace kubexx::guide
