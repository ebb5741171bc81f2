#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "contract/any_server.hpp"
#include "contract/queue_under_test.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/recording_handler.hpp"

namespace kubexx::informer {
namespace {

using contract::kConfigMaps;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using testkit::client;
using testkit::make_config_map;
using testkit::Recording;

/// An embedded server, a dynamic factory on it without backoff, and the informer of its ConfigMaps.
class InformerContractTest : public ::testing::Test {
 protected:
  InformerContractTest() : server_(options()) {}

  static apiserver::Options options() {
    apiserver::Options o;
    o.bookmark_interval = std::chrono::milliseconds(200);
    return o;
  }

  void make_factory(FactoryOptions options = {}) {
    options.defaults.backoff = Backoff::none();
    options.defaults.queue = contract::queue_under_test();
    factory_ = std::make_unique<DynamicSharedInformerFactory>(client(server_), std::move(options));
  }
  Informer<meta::Object> config_maps() {
    if (!factory_) make_factory();
    return factory_->for_resource(kConfigMaps).value().informer();
  }
  void start_and_sync() {
    factory_->start();
    const auto synced = factory_->wait_for_cache_sync({}, {.fail_fast = true, .timeout = seconds(30)});
    ASSERT_TRUE(synced) << (synced.as_error() ? synced.as_error()->message() : "");
  }
  void seed(std::string_view key, std::string_view value = "") {
    ASSERT_TRUE(server_.seed(make_config_map(key, value)));
  }
  void remove(std::string_view key) {
    ASSERT_TRUE(server_.core().remove(kConfigMaps, meta::ObjectKey::parse(key).value()));
  }
  std::size_t requests(std::string_view verb) { return server_.requests().count(verb, "configmaps"); }

  apiserver::Server server_;
  std::unique_ptr<DynamicSharedInformerFactory> factory_;
};

TEST_F(InformerContractTest, ManyCallersShareOneWatchListAndReadsAskNothing) {
  seed("default/a");
  make_factory();
  std::vector<std::jthread> callers;
  for (int i = 0; i < 100; ++i) callers.emplace_back([this] { static_cast<void>(config_maps()); });
  callers.clear();
  start_and_sync();

  const auto lister = config_maps().lister();
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(lister.get("default/a"));

  EXPECT_EQ(requests("watch"), 1U);
  EXPECT_EQ(requests("list"), 0U);
}

TEST_F(InformerContractTest, ACutWatchIsResumedWithoutAListAndLosesNothing) {
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  seed("default/a");
  ASSERT_TRUE(seen.await({"add default/a"}));

  server_.core().cut_watches();
  seed("default/b");

  EXPECT_TRUE(seen.await({"add default/b"}));
  apiserver::RequestFilter cached;
  cached.resource_version = "0";
  EXPECT_EQ(server_.requests().count("list", "configmaps", cached), 0U);
}

TEST_F(InformerContractTest, ADeletionThatHappenedWhileAwayIsReportedWithUnknownFinalState) {
  seed("default/kept");
  seed("default/lost");
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  ASSERT_TRUE(seen.await({"add default/kept", "add default/lost"}));

  {
    const auto outage = server_.interrupt_watches();
    remove("default/lost");
    server_.compact_history();
  }

  EXPECT_TRUE(seen.await({"delete default/lost (final state unknown)"}));
  EXPECT_THAT(config_maps().store()->list_keys(), ::testing::ElementsAre("default/kept"));
}

TEST_F(InformerContractTest, ARestoredServerEndsWithItsStateInTheCache) {
  seed("default/old");
  const auto earlier = server_.core().checkpoint();
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  seed("default/new");
  seed("default/old", "changed");
  ASSERT_TRUE(seen.await({"add default/new", "update default/old"}));

  server_.core().restore(earlier);

  EXPECT_TRUE(seen.await({"delete default/new (final state unknown)"}));
  EXPECT_TRUE(seen.await({"update default/old", "update default/old"}));
  EXPECT_EQ(config_maps().lister().get("default/old").value()["data"]["v"].string(), "");
}

TEST_F(InformerContractTest, ARestartOnTheSamePortIsSurvived) {
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();

  ASSERT_TRUE(server_.restart());
  seed("default/after");

  EXPECT_TRUE(seen.await({"add default/after"}));
}

TEST_F(InformerContractTest, AServerWithoutWatchListIsListed) {
  seed("default/a");
  apiserver::Fault refuse;
  refuse.verb = "watch";
  refuse.status = 422;
  refuse.times = 1;
  const auto fault = server_.core().add_fault(refuse);
  const auto informer = config_maps();
  start_and_sync();

  EXPECT_EQ(requests("list"), 1U);
  EXPECT_FALSE(informer.status().reflector.used_watch_list);
  EXPECT_TRUE(informer.lister().get("default/a"));
}

TEST_F(InformerContractTest, ShutdownIsRepeatableAndStartAfterwardsDoesNothing) {
  const auto informer = config_maps();
  start_and_sync();

  std::jthread other([this] { factory_->shutdown(); });
  factory_->shutdown();
  other.join();
  static_cast<void>(factory_->for_resource({"", "v1", "secrets"}));
  factory_->start();

  EXPECT_EQ(server_.requests().count("watch", "secrets"), 0U);
}

TEST_F(InformerContractTest, SelectorsLimitWhatIsCached) {
  FactoryOptions options;
  options.defaults.scope.namespaces = {"default"};
  options.defaults.tweak_list_options = [](meta::ListOptions& query) { query.field_selector = "metadata.name=a"; };
  make_factory(options);
  seed("default/a");
  seed("default/b");
  seed("kube-system/a");
  const auto informer = config_maps();
  start_and_sync();

  EXPECT_THAT(informer.store()->list_keys(), ::testing::ElementsAre("default/a"));
}

}  // namespace
}  // namespace kubexx::informer
