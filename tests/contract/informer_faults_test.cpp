#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "contract/any_server.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "kubexx/testkit/recording_handler.hpp"

/// What only a server that can be broken shows, on both kinds of queue.
namespace kubexx::informer {
namespace {

using contract::kConfigMaps;
using std::chrono::seconds;
using ::testing::UnorderedElementsAre;
using testkit::client;
using testkit::make_config_map;
using testkit::Recording;

class InformerFaultsTest : public ::testing::TestWithParam<QueueKind> {
 protected:
  void make_factory(FactoryOptions options = {}) {
    options.defaults.backoff = Backoff::none();
    options.defaults.queue = GetParam();
    factory_ = std::make_unique<DynamicSharedInformerFactory>(client(server_), std::move(options));
  }
  Informer<meta::Object> config_maps() {
    if (!factory_) make_factory();
    return factory_->for_resource(kConfigMaps).value().informer();
  }
  void start_and_sync() {
    factory_->start();
    ASSERT_TRUE(factory_->wait_for_cache_sync({}, {.timeout = seconds(30)}));
  }
  void seed(std::string_view key, std::string_view value = "") {
    ASSERT_TRUE(server_.seed(make_config_map(key, value)));
  }
  void remove(std::string_view key) {
    ASSERT_TRUE(server_.core().remove(kConfigMaps, meta::ObjectKey::parse(key).value()));
  }

  apiserver::Server server_;
  std::unique_ptr<DynamicSharedInformerFactory> factory_;
};

TEST_P(InformerFaultsTest, AServerRestoredWhileAwayIsNoticedWhenItIsBack) {
  seed("default/old", "1");
  const auto earlier = server_.core().checkpoint();
  seed("default/old", "2");
  seed("default/new");
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  ASSERT_TRUE(seen.await({"add default/old", "add default/new"}));

  {
    const auto outage = server_.refuse_connections();
    server_.core().restore(earlier);
  }

  EXPECT_TRUE(seen.await({"delete default/new (final state unknown)", "update default/old"}));
  EXPECT_EQ(config_maps().lister().get("default/old").value()["data"]["v"].string(), "1");
}

TEST_P(InformerFaultsTest, AVersionThatARestoredServerUsesAgainIsAnotherObject) {
  seed("default/a", "1");
  const auto earlier = server_.core().checkpoint();
  seed("default/a", "lost");
  seed("default/b");
  seed("default/c");
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  ASSERT_TRUE(seen.await_count(3));

  {
    const auto outage = server_.refuse_connections();
    server_.core().restore(earlier);
    seed("default/a", "again");  // the version of "lost"
  }

  EXPECT_TRUE(seen.await({"update default/a"}));
  EXPECT_EQ(config_maps().lister().get("default/a").value()["data"]["v"].string(), "again");
}

TEST_P(InformerFaultsTest, AStormOf429IsWaitedOutWithoutAList) {
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  const auto lists = [&] {  // without the questions for the server's version, of which one may come between two counts
    const auto questions = [&] { return server_.requests().count("list", "configmaps", {.resource_version = ""}); };
    for (;;) {
      const auto asked = questions();
      const auto all = server_.requests().count("list", "configmaps");
      if (questions() == asked) return all - asked;
    }
  };
  const auto before = lists();
  apiserver::Fault storm;
  storm.verb = "watch";
  storm.status = 429;
  storm.times = 20;
  const auto fault = server_.core().add_fault(storm);
  server_.core().cut_watches();
  seed("default/a");

  EXPECT_TRUE(seen.await({"add default/a"}, seconds(60)));  // twenty, of which four a second are sent
  EXPECT_EQ(lists(), before);
}

TEST_P(InformerFaultsTest, DeletionsDuringAnOutageAreHeardOfAfterwards) {
  seed("default/kept");
  seed("default/lost");
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  ASSERT_TRUE(seen.await_count(2));
  {
    const auto outage = server_.refuse_connections();
    remove("default/lost");
  }

  EXPECT_TRUE(seen.await({"delete default/lost"}));
  EXPECT_THAT(config_maps().store()->list_keys(), UnorderedElementsAre("default/kept"));
}

TEST_P(InformerFaultsTest, ASetOfNamespacesIsOneInformer) {
  FactoryOptions options;
  options.defaults.scope.namespaces = {"default", "kube-public", "default"};
  make_factory(options);
  seed("default/a");
  seed("kube-public/b");
  seed("kube-system/hidden");
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  start_and_sync();
  ASSERT_TRUE(seen.await({"add default/a", "add kube-public/b"}));
  seed("default/a", "1");
  seed("kube-public/b", "1");
  ASSERT_TRUE(seen.await({"update default/a", "update kube-public/b"}));  // so both watches are there
  EXPECT_EQ(server_.requests().count("watch", "configmaps"), 2U);

  server_.core().cut_watches();
  seed("kube-system/hidden", "2");
  seed("kube-public/c");
  remove("default/a");

  EXPECT_TRUE(seen.await({"add kube-public/c", "delete default/a"}));
  EXPECT_THAT(config_maps().store()->list_keys(), UnorderedElementsAre("kube-public/b", "kube-public/c"));
  EXPECT_FALSE(config_maps().wait_until("1", {.timeout = seconds(1)}));
}

TEST_P(InformerFaultsTest, NamespacesComeAndGoWhileTheOthersAreWatchedOn) {
  FactoryOptions options;
  options.defaults.scope.namespaces = {"default"};
  make_factory(options);
  seed("default/a");
  seed("kube-public/b");
  seed("kube-system/c");
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  const auto informer = config_maps();
  start_and_sync();
  ASSERT_TRUE(seen.await({"add default/a"}));
  const auto lists = [&] { return server_.requests().count("list", "configmaps"); };
  const auto watches = [&] { return server_.requests().count("watch", "configmaps"); };
  const auto before = lists() + watches();

  ASSERT_TRUE(informer.set_scope({.namespaces = {"default", "kube-public"}}));
  ASSERT_TRUE(informer.wait_until_whole({.timeout = seconds(30)}));
  EXPECT_TRUE(seen.await({"add kube-public/b"}));
  seed("default/a", "1");
  seed("kube-public/b", "1");
  ASSERT_TRUE(seen.await({"update default/a", "update kube-public/b"}));
  EXPECT_LE(lists() + watches(), before + 2) << "only the new one was asked for";

  ASSERT_TRUE(informer.set_scope({.namespaces = {"kube-public", "kube-system"}}));
  ASSERT_TRUE(informer.wait_until_whole({.timeout = seconds(30)}));
  EXPECT_TRUE(seen.await({"delete default/a (final state unknown)", "add kube-system/c"}));
  seed("default/a", "2");
  seed("kube-system/c", "2");
  EXPECT_TRUE(seen.await({"update kube-system/c"}));
  EXPECT_THAT(informer.store()->list_keys(), UnorderedElementsAre("kube-public/b", "kube-system/c"));
}

TEST_P(InformerFaultsTest, AnotherSelectorKeepsWhatItHasInCommonWithTheOneBefore) {
  ASSERT_TRUE(server_.seed(meta::object_from_json(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"both","namespace":"default","labels":{"x":"1","y":"1"}}})")));
  const auto x = [](const char* name) { return meta::LabelSelector::equals(name, "1"); };
  FactoryOptions options;
  options.defaults.scope = {.namespaces = {"default"}, .label_selector = x("x")};
  make_factory(options);
  Recording seen;
  const auto registration = config_maps().add_event_handler(seen.handler());
  const auto informer = config_maps();
  start_and_sync();
  ASSERT_TRUE(seen.await({"add default/both"}));
  const auto both = informer.store()->find("default/both");

  ASSERT_TRUE(informer.set_scope({.label_selector = x("y")}));
  ASSERT_TRUE(informer.wait_until_whole({.timeout = seconds(30)}));
  EXPECT_TRUE(informer.store()->find("default/both").same_document(both));
  ASSERT_TRUE(informer.set_scope({.label_selector = x("z")}));
  EXPECT_TRUE(seen.await({"delete default/both (final state unknown)"}));
}

// TestSharedInformerHandlerAbuse
TEST_P(InformerFaultsTest, HandlersComeAndGoUnderLoadAndWhileStopping) {
  const auto informer = config_maps();
  Recording steady;
  const auto registration = informer.add_event_handler(steady.handler());
  start_and_sync();
  std::atomic<bool> done{false};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!done) {
        Recording mine;
        auto own = informer.add_event_handler(mine.handler());
        if (!own) return;  // stopped
        if (mine.lines().size() % 2 == 0) own.wait_until_synced(std::stop_token());
      }
    });
  }
  for (int i = 0; i < 50; ++i) seed("default/n" + std::to_string(i % 10), std::to_string(i));
  EXPECT_TRUE(steady.await_count(50, seconds(30)));
  factory_->shutdown();
  done = true;
}

INSTANTIATE_TEST_SUITE_P(BothQueues, InformerFaultsTest, ::testing::Values(QueueKind::Ordered, QueueKind::PerKey),
                         [](const auto& each) { return each.param == QueueKind::Ordered ? "Ordered" : "PerKey"; });

TEST(ManyInformersTest, AThousandIdleInformersWithAHandlerEachNeedFewThreads) {
  apiserver::Server server;
  ASSERT_TRUE(server.seed(make_config_map("default/a")));
  DynamicSharedInformerFactory factory(client(server));
  Recording seen;
  std::vector<Registration> registrations;
  for (int i = 0; i < 1000; ++i) {
    Scope scope;
    scope.label_selector = meta::LabelSelector::parse("number!=" + std::to_string(i)).value();
    const auto informer = factory.for_resource(kConfigMaps, scope).value().informer();
    registrations.push_back(informer.add_event_handler(seen.handler()));
  }
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = seconds(120)}));
  ASSERT_TRUE(seen.await_count(1000, seconds(60)));

  // The threads that came with the work go after a moment.
  const auto threads = [] {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) ++count;
    return count;
  };
  EXPECT_TRUE(testkit::eventually([&] { return threads() < 32; }, seconds(60))) << threads();
}

}  // namespace
}  // namespace kubexx::informer
