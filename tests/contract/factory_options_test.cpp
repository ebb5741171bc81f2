#include <gmock/gmock.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "contract/any_server.hpp"
#include "contract/queue_under_test.hpp"
#include "kubexx/base/large_pages.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "kubexx/testkit/recording_handler.hpp"

/// What FactoryOptions say reaches the server and the cache.
namespace kubexx::contract {
namespace {

using informer::FactoryOptions;
using informer::InformerOptions;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testkit::eventually;

class FactoryOptionsContractTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto* name : {"a", "b", "c"}) {
      ASSERT_TRUE(server.seed(testkit::make_config_map(std::string("default/") + name, name)));
    }
  }
  /// A factory that says this of ConfigMaps, started and synced.
  void make(InformerOptions of_maps) {
    of_maps.queue = queue_under_test();
    factory = std::make_unique<informer::SharedInformerFactory>(
        testkit::client(server, client_options), FactoryOptions{.by_kind = {{kConfigMaps, std::move(of_maps)}}});
    factory->start();
    maps = factory->for_resource(kConfigMaps).value().shared();  // runs by itself
  }
  bool synced() const { return factory->wait_for_cache_sync({}, {.timeout = seconds(30)}).synced(); }

  apiserver::Server server;
  rest::ClientOptions client_options;
  std::unique_ptr<informer::SharedInformerFactory> factory;
  std::shared_ptr<informer::SharedIndexInformer> maps;
};

TEST_F(FactoryOptionsContractTest, AProjectionOfAKindCutsWhatIsCached) {
  make({.scope = {.projection = meta::Projection::paths({"metadata.labels"}).value()}});
  ASSERT_TRUE(synced());
  const auto cached = maps->store()->find("default/a");
  EXPECT_FALSE(cached["data"].exists());
  EXPECT_EQ(cached.completeness(), meta::Completeness::SelectedPaths);
}

TEST_F(FactoryOptionsContractTest, WhatIsNotAdmittedIsNotThereAndItsVersionsCanBeWaitedFor) {
  make({.admit = [](const meta::Object& object) { return object["data"]["v"].string() != "b"; }});
  ASSERT_TRUE(synced());
  EXPECT_THAT(maps->store()->list_keys(), ::testing::UnorderedElementsAre("default/a", "default/c"));

  const client::ResourceApi api(factory->client(), kConfigMaps, "default");
  auto next = api.get("a").value().edit();
  next["data"]["v"].set("b");
  const auto written = api.update(next.to_object()).value();
  ASSERT_TRUE(maps->wait_until(written.resource_version(), {.timeout = seconds(30)}));
  EXPECT_THAT(maps->store()->list_keys(), ElementsAre("default/c"));
}

TEST_F(FactoryOptionsContractTest, AHundredOfTwentyThousandThatAreAdmittedCostTheMemoryOfAHundred) {
  for (int i = 0; i < 20'000; ++i) {
    const auto name = "default/" + std::string(i % 200 == 0 ? "wanted-" : "other-") + std::to_string(i);
    ASSERT_TRUE(server.seed(testkit::make_config_map(name, std::string(200, 'x'))));
  }
  const auto before = large_page_memory().used;
  std::size_t most = 0;  // while the list comes, in the thread that decodes it
  make({.admit = [&](const meta::Object& object) {
    most = std::max(most, large_page_memory().used);
    return object.name().starts_with("wanted-");
  }});
  ASSERT_TRUE(synced());

  EXPECT_EQ(maps->status().objects, 100U);
  const auto of_one = maps->store()->find("default/wanted-0").byte_size();
  EXPECT_LT(maps->status().bytes, 200 * of_one);
  // Tables, and what else the program keeps there, are small beside the 20,000 (in a program with AddressSanitizer
  // there is nothing to see).
  EXPECT_LT(most, before + 2'000 * of_one);
}

TEST_F(FactoryOptionsContractTest, TheStateIsVerifiedAsOftenAsSaid) {
  make({.verify_every = milliseconds(20)});
  ASSERT_TRUE(synced());
  EXPECT_TRUE(eventually([&] {
    const auto lists = server.requests().entries("list", "configmaps");
    return std::any_of(lists.begin(), lists.end(),
                       [](const auto& list) { return list.options.resource_version_match == "Exact"; });
  }));
}

TEST_F(FactoryOptionsContractTest, TheMutationDetectorOfAKindFindsACast) {
  client_options.executor = std::make_shared<ThreadExecutor>(ThreadExecutor::Options{.threads = 1});
  make({.mutation_detector = true});
  ASSERT_TRUE(synced());
  // Where the detector looks: a cast that races with it is not what this is about.
  client_options.executor->post([object = maps->store()->find("default/b")] {
    const auto bytes = object.raw_bytes();
    const_cast<char&>(bytes[bytes.find("default")]) = 'D';
  });
  EXPECT_TRUE(eventually([&] { return !maps->status().mutated.empty(); }));
  EXPECT_THAT(maps->status().mutated, ElementsAre("default/b"));
}

TEST_F(FactoryOptionsContractTest, ErrorsReachTheHandlerWithTheNameOfTheInformer) {
  std::mutex mutex;
  std::vector<std::string> heard;
  apiserver::Fault forbidden;
  forbidden.verb = "list";
  forbidden.status = 403;
  const auto fault = server.core().add_fault(forbidden);
  make({.watch_list = false, .watch_error_handler = [&](const reflector::WatchError& failed) {
          const std::lock_guard lock(mutex);
          heard.push_back(failed.name + " " + failed.resource.resource);
        }});
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return !heard.empty();
  }));
  factory.reset();
  EXPECT_EQ(heard.front(), "configmaps configmaps");
}

TEST_F(FactoryOptionsContractTest, ManagedFieldsAreAskedForOnlyByWhoKeepsThem) {
  make({});
  ASSERT_TRUE(synced());
  for (const auto& request : server.requests().entries("", "configmaps")) {
    EXPECT_THAT(request.accept, HasSubstr(";drop=metadata.managedFields")) << request.verb;
  }
  server.requests().clear();
  make({.scope = {.projection = meta::Projection::full()}});
  ASSERT_TRUE(synced());
  for (const auto& request : server.requests().entries("", "configmaps")) {
    EXPECT_THAT(request.accept, Not(HasSubstr("drop="))) << request.verb;
  }
}

TEST_F(FactoryOptionsContractTest, AServerThatSendsAllShardsIsAnErrorAndFurtherParametersAreSent) {
  const client::ResourceApi api(testkit::client(server), kConfigMaps, "default");
  const auto all = api.list({.shard_selector = "shardRange(object.metadata.uid, '0x0', '0x8000000000000000')"});
  ASSERT_FALSE(all);
  EXPECT_THAT(all.error().message(), HasSubstr("shard"));
  EXPECT_TRUE(api.list({.more = {{"pretty", "true"}}}));
}

TEST(ListWatchFuncsInformerTest, AnInformerFollowsTwoBlockingFunctions) {
  class Events final : public reflector::EventStream {
   public:
    Result<std::optional<meta::WatchEvent>> next(std::stop_token stop) override {
      if (!std::exchange(sent_, true)) {
        auto object = testkit::make_config_map("default/b", "2").edit();
        object["metadata"]["resourceVersion"].set("6");
        return std::optional(meta::WatchEvent{meta::WatchEventType::Added, object.to_object()});
      }
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any stopped;
      stopped.wait(lock, stop, [] { return false; });
      return Error::canceled();
    }

   private:
    bool sent_ = false;
  };
  reflector::ListWatchFuncs functions;
  functions.list = [](const meta::ListOptions&, std::stop_token) -> Result<reflector::ObjectList> {
    auto object = testkit::make_config_map("default/a", "1").edit();
    object["metadata"]["resourceVersion"].set("4");
    reflector::ObjectList list;
    list.meta.resource_version = "5";
    list.items.push_back(object.to_object());
    return list;
  };
  functions.watch = [](const meta::ListOptions&, std::stop_token) -> Result<std::unique_ptr<reflector::EventStream>> {
    return std::make_unique<Events>();
  };
  const auto handlers = std::make_shared<ElasticExecutor>();
  InformerOptions options;
  options.description = "maps";
  options.executor = std::make_shared<ThreadExecutor>();
  options.handlers = handlers;
  const auto informer =
      informer::SharedIndexInformer::create(reflector::make_lister_watcher(functions, handlers), std::move(options));
  informer->start();
  ASSERT_TRUE(informer->wait_until("6", {.timeout = seconds(30)}));
  EXPECT_THAT(informer->store()->list_keys(), ::testing::UnorderedElementsAre("default/a", "default/b"));
  informer->stop();
  informer->join();
}

}  // namespace
}  // namespace kubexx::contract
