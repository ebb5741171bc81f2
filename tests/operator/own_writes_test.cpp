// Reads that see what was written, over sockets and with threads.
#include <gtest/gtest.h>

#include <thread>

#include "kubexx/base/loop_executor.hpp"
#include "kubexx/clientset/core.hpp"
#include "kubexx/controller/cached_client.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::controller {
namespace {

using api::core::v1::ConfigMap;
using std::chrono::milliseconds;
using testkit::make_config_map;

class OwnWritesTest : public ::testing::Test {
 protected:
  apiserver::Server server;
  rest::Client client = testkit::client(server);
  informer::SharedInformerFactory factory{client};
  CachedClient cached{factory};
  CachedApi<ConfigMap> maps = cached.api<ConfigMap>();
};

TEST_F(OwnWritesTest, AThousandWritesUnderALateWatchAreEachSeenByTheReadAfterThem) {
  ASSERT_TRUE(maps.create(ConfigMap::unchecked(make_config_map("default/a", "0"))));
  ASSERT_TRUE(maps.get({"default", "a"}));
  const auto late = server.core().delay_watches(milliseconds(2));
  int stale = 0;
  for (int i = 1; i <= 1000; ++i) {
    const auto value = std::to_string(i);
    auto draft = maps.get({"default", "a"}).value().edit();
    draft.data().set("v", value);
    ASSERT_TRUE(maps.update(draft)) << i;  // no conflict: the draft is of the last version
    const auto one = maps.get({"default", "a"});
    const auto all = maps.list({.namespace_ = "default"});
    ASSERT_TRUE(one && all) << i;
    if (one->data()["v"] != value || all->size() != 1 || all->front().data()["v"] != value) ++stale;
  }
  EXPECT_EQ(stale, 0);
  EXPECT_EQ(maps.untyped().remembered(), 0U);
}

TEST_F(OwnWritesTest, ThingsThatComeAndGoAreSeenToComeAndGo) {
  ASSERT_TRUE(maps.list());
  const auto late = server.core().delay_watches(milliseconds(2));
  int wrong = 0;
  for (int i = 0; i < 200; ++i) {
    const meta::ObjectKey key{"default", "m" + std::to_string(i % 7)};
    ASSERT_TRUE(maps.create(ConfigMap::unchecked(make_config_map(key.to_string(), std::to_string(i)))));
    const auto made = maps.get(key);
    if (!made || made->data()["v"] != std::to_string(i)) ++wrong;
    ASSERT_TRUE(maps.remove(key));
    const auto gone = maps.get(key);
    if (gone || !gone.error().is_not_found()) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(OwnWritesTest, ManyThreadsEachSeeTheirOwn) {
  const auto late = server.core().delay_watches(milliseconds(2));
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        const meta::ObjectKey key{"default", "t" + std::to_string(thread)};
        if (!maps.create(ConfigMap::unchecked(make_config_map(key.to_string(), "0")))) ++wrong;
        for (int i = 1; i <= 50; ++i) {
          const auto value = std::to_string(i);
          const auto body = R"({"data":{"v":")" + value + "\"}}";
          if (!maps.patch(key, client::PatchType::Merge, body)) ++wrong;
          const auto seen = maps.get(key);
          if (!seen || seen->data()["v"] != value) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(OwnWritesTest, APodAnsweredAsProtobufIsRemembered) {
  const auto pods = cached.api<api::core::v1::Pod>();
  const auto late = server.core().delay_watches(milliseconds(20));
  ASSERT_TRUE(pods.list());
  ASSERT_TRUE(pods.create(api::core::v1::Pod::unchecked(testkit::make_pod("default/web"))));
  EXPECT_TRUE(pods.get({"default", "web"}));
  ASSERT_TRUE(pods.remove({"default", "web"}, {.grace_period_seconds = 0}));
  const auto gone = pods.get({"default", "web"});
  EXPECT_TRUE(!gone && gone.error().is_not_found());
}

TEST(OwnWritesOnALoopTest, BlockingReadsAndWritesDriveTheLoopOfTheirThread) {
  apiserver::Server server;
  const auto loop = std::make_shared<LoopExecutor>();
  rest::ClientOptions options;
  options.executor = loop;
  const auto client = testkit::client(server, options);
  informer::SharedInformerFactory factory(client);
  const auto maps = CachedClient(factory).api<ConfigMap>();
  const auto late = server.core().delay_watches(milliseconds(20));

  ASSERT_TRUE(maps.list());
  for (int i = 0; i < 5; ++i) {
    const meta::ObjectKey key{"default", "m" + std::to_string(i)};
    ASSERT_TRUE(maps.create(ConfigMap::unchecked(make_config_map(key.to_string()))));
    EXPECT_TRUE(maps.get(key));
  }
}

}  // namespace
}  // namespace kubexx::controller
