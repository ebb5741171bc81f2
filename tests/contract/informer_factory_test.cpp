#include <gmock/gmock.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <set>

#include "contract/any_server.hpp"
#include "contract/queue_under_test.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/recording_handler.hpp"

namespace kubexx::contract {
namespace {

using informer::FactoryOptions;
using informer::Registration;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testkit::Recording;

const meta::GroupVersionResource kSecrets{"", "v1", "secrets"};

std::size_t threads() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

/// Factories of every kind, on any server.
class InformerFactoryTest : public AnyServerTest {
 protected:
  FactoryOptions options() const {
    FactoryOptions made;
    made.defaults.scope.namespaces = {namespace_()};
    made.defaults.queue = queue_under_test();
    made.defaults.tweak_list_options = [](meta::ListOptions& query) {
      query.field_selector = "metadata.name!=kube-root-ca.crt";
    };
    return made;
  }
  std::vector<std::unique_ptr<informer::SharedInformerFactory>> typed_and_dynamic(const FactoryOptions& of) const {
    std::vector<std::unique_ptr<informer::SharedInformerFactory>> both;
    both.push_back(std::make_unique<informer::SharedInformerFactory>(client(), of));
    both.push_back(std::make_unique<informer::DynamicSharedInformerFactory>(client(), of));
    return both;
  }
  void put_secret(std::string_view name) const {
    const auto text = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":")" + std::string(name) + "\"}}";
    const auto made = api(kSecrets).create(meta::parse_json(text).value());
    ASSERT_TRUE(made) << made.error();
  }
};
INSTANTIATE_TEST_SUITE_P(AnyServer, InformerFactoryTest, kAnyServer, server_name);

// TestMetadataSharedInformerFactory
TEST_P(InformerFactoryTest, AFactoryOfMetadataDeliversEveryChangeWithoutTheContents) {
  auto wanted = options();
  wanted.defaults.scope.metadata_only = true;
  for (const auto& factory : typed_and_dynamic(wanted)) {
    put("before", "1");
    const auto informer = factory->for_resource(kConfigMaps).value().informer();
    Recording seen;
    const auto registration = informer.add_event_handler(seen.handler());
    start_and_sync(*factory);
    ASSERT_TRUE(seen.await({add("before")}));

    put("later", "1");
    ASSERT_TRUE(seen.await({add("later")}));
    const auto changed = put("later", "2");
    ASSERT_TRUE(seen.await({update("later")}));
    const auto cached = informer.lister().get(key("later"));
    const auto listed = informer.lister().get(key("before"));
    remove("before");
    remove("later");

    EXPECT_TRUE(seen.await({gone("before"), gone("later")}));
    ASSERT_TRUE(cached) << cached.error();
    EXPECT_EQ(cached->resource_version(), changed.resource_version());
    EXPECT_EQ(cached->uid(), changed.uid());
    for (const auto& object : {*cached, listed.value()}) {  // out of a watch, out of the first list
      EXPECT_EQ(object.api_version(), "v1");
      EXPECT_EQ(object.kind(), "ConfigMap");
      EXPECT_EQ(object.completeness(), meta::Completeness::MetadataOnly);
      EXPECT_FALSE(object["data"]);
      const auto sent = api(kConfigMaps).update(object);
      ASSERT_FALSE(sent);
      EXPECT_EQ(sent.error().kind(), ErrorKind::Config) << sent.error();
    }
  }
}

// TestDynamicSharedInformerFactory
TEST_P(InformerFactoryTest, BothFactoriesDeliverAddUpdateAndDeleteOfWhatTheyAreAskedFor) {
  for (const auto& factory : typed_and_dynamic(options())) {
    const auto informer = factory->for_resource(kConfigMaps).value().informer();
    Recording seen;
    const auto registration = informer.add_event_handler(seen.handler());
    start_and_sync(*factory);

    put("a", "1");
    ASSERT_TRUE(seen.await({add("a")}));
    put("a", "2");
    ASSERT_TRUE(seen.await({update("a")}));
    EXPECT_EQ(informer.lister().get(key("a")).value()["data"]["v"].string(), "2");
    remove("a");

    EXPECT_TRUE(seen.await({gone("a")}));
    EXPECT_EQ(seen.lines().size(), 3U);
  }
}

// TestFilteredDynamicSharedInformerFactory
TEST_P(InformerFactoryTest, AFactoryOfAnotherNamespaceHearsNothing) {
  auto elsewhere = options();
  elsewhere.defaults.scope.namespaces = {"default"};
  const auto others = typed_and_dynamic(elsewhere);
  const auto ours = typed_and_dynamic(options());
  Recording foreign;
  Recording seen;
  std::vector<Registration> registrations;
  for (const auto& factory : others) {
    registrations.push_back(factory->for_resource(kConfigMaps).value().informer().add_event_handler(foreign.handler()));
    start_and_sync(*factory);
  }
  for (const auto& factory : ours) {
    registrations.push_back(factory->for_resource(kConfigMaps).value().informer().add_event_handler(seen.handler()));
    start_and_sync(*factory);
  }

  put("a");

  ASSERT_TRUE(seen.await({add("a"), add("a")}));
  EXPECT_THAT(foreign.lines(), Not(Contains(HasSubstr(key("a")))));
}

TEST_P(InformerFactoryTest, ACustomResyncPeriodIsThatOfItsResourceAlone) {
  auto wanted = options();
  wanted.by_kind[kConfigMaps].resync_period = seconds(1);
  const auto factory = std::make_unique<informer::DynamicSharedInformerFactory>(client(), wanted);
  put("a");
  put_secret("s");
  Recording reminded;
  Recording quiet;
  const auto first = factory->for_resource(kConfigMaps).value().informer().add_event_handler(reminded.handler());
  const auto second = factory->for_resource(kSecrets).value().informer().add_event_handler(quiet.handler());
  start_and_sync(*factory);

  EXPECT_TRUE(reminded.await({add("a"), update("a")}));
  EXPECT_TRUE(quiet.await({add("s")}));
  EXPECT_EQ(quiet.lines().size(), 1U);
}

TEST_P(InformerFactoryTest, TwoInformersSyncSideBySide) {
  put("a");
  put_secret("s");
  struct Meeting {
    std::mutex mutex;
    std::condition_variable changed;
    std::set<std::string> here{};  // guarded by mutex
    int met = 0;                   // guarded by mutex
  };
  const auto meeting = std::make_shared<Meeting>();
  auto wanted = options();
  // Each list is held up until the other one has come as far.
  wanted.defaults.transform = [meeting](meta::Object object) -> Result<meta::Object> {
    std::unique_lock lock(meeting->mutex);
    if (!meeting->here.insert(std::string(object.kind())).second) return object;
    meeting->changed.notify_all();
    meeting->met += meeting->changed.wait_for(lock, seconds(25), [&] { return meeting->here.size() == 2; }) ? 1 : 0;
    return object;
  };
  const auto factory = std::make_unique<informer::DynamicSharedInformerFactory>(client(), wanted);
  static_cast<void>(factory->for_resource(kConfigMaps));
  static_cast<void>(factory->for_resource(kSecrets));

  start_and_sync(*factory);

  const std::lock_guard lock(meeting->mutex);
  EXPECT_EQ(meeting->met, 2);
}

// TestShutdown
TEST_P(InformerFactoryTest, ShutdownEndsEverythingWhateverBecameOfTheHandlers) {
  put("a");
  const auto before = threads();
  for (const std::string variant :
       {"handlers stay", "handlers are removed", "handlers are released", "never started"}) {
    {
      informer::DynamicSharedInformerFactory factory(rest::Client::create(config()).value(), options());
      Recording seen;
      std::vector<Registration> registrations;
      for (const char* selector : {"", "a!=b", "c!=d"}) {
        const auto labels = meta::LabelSelector::parse(selector).value();
        const auto informer = factory.for_resource(kConfigMaps, {.label_selector = labels}).value();
        registrations.push_back(informer.add_event_handler(seen.handler()));
      }
      if (variant != "never started") {
        start_and_sync(factory);
        ASSERT_TRUE(seen.await_count(3));
      }
      if (variant == "handlers are removed") registrations.clear();
      if (variant == "handlers are released") {
        for (auto& each : registrations) each.release();
      }

      factory.shutdown();

      for (const auto& informer : factory.informers()) EXPECT_TRUE(informer->is_stopped());
      const auto heard = seen.lines().size();
      put("a", variant);
      EXPECT_EQ(seen.lines().size(), heard);
    }
    EXPECT_TRUE(eventually([&] { return threads() <= before; })) << variant << " leaves " << threads() - before;
  }
}

TEST_P(InformerFactoryTest, WaitingGoesOverTheInformersThatWereStartedAndTheseThatCameLater) {
  const auto factory = make_factory(client());
  EXPECT_TRUE(factory->wait_for_cache_sync());
  static_cast<void>(factory->for_resource(kConfigMaps));
  EXPECT_EQ(factory->wait_for_cache_sync().informers.size(), 0U);
  start_and_sync(*factory);
  put_secret("late");
  const auto secrets = factory->for_resource(kSecrets).value();

  const auto synced = factory->wait_for_cache_sync({}, {.timeout = seconds(30)});

  EXPECT_TRUE(synced);
  EXPECT_EQ(synced.informers.size(), 2U);
  EXPECT_TRUE(secrets.lister().in_namespace(namespace_()).get("late"));
}

TEST(MetadataRequestTest, OnlyMetadataIsAskedFor) {
  apiserver::Server server;
  ASSERT_TRUE(server.seed(testkit::make_config_map("default/a", "1")));
  for (const bool watch_list : {true, false}) {
    informer::SharedInformerFactory factory(testkit::client(server),
                                            {.defaults = {.scope = {.metadata_only = true}, .watch_list = watch_list}});
    static_cast<void>(factory.for_resource(kConfigMaps));
    factory.start();
    ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = seconds(30)}));
  }

  EXPECT_EQ(server.requests().count("list", "configmaps"), 1U);
  for (const auto& request : server.requests().entries("", "configmaps")) {
    EXPECT_THAT(request.accept, HasSubstr("PartialObjectMetadata")) << request.verb;
  }
}

TEST(MetadataRequestTest, ObjectsOfACustomResourceHaveTheKindThatDiscoveryNames) {
  apiserver::Server server;
  const client::ResourceApi crds(testkit::client(server), {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  ASSERT_TRUE(crds.create(meta::object_from_json(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.a.io"},
          "spec":{"group":"a.io","scope":"Namespaced","names":{"kind":"Foo","plural":"foos"},"versions":[
            {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})")));
  const meta::GroupVersionResource foos{"a.io", "v1", "foos"};
  const auto foo = [](const std::string& name) {
    return meta::parse_json(R"({"apiVersion":"a.io/v1","kind":"Foo","metadata":{"name":")" + name + "\"}}").value();
  };
  const client::ResourceApi api(testkit::client(server), foos, "default");
  ASSERT_TRUE(api.create(foo("listed")));
  for (const bool watch_list : {true, false}) {
    informer::DynamicSharedInformerFactory factory(
        testkit::client(server), {.defaults = {.scope = {.metadata_only = true}, .watch_list = watch_list}});
    const auto informer = factory.for_resource(foos).value().informer();
    Recording seen;
    const auto registration = informer.add_event_handler(seen.handler());
    factory.start();
    ASSERT_TRUE(factory.wait_for_cache_sync({}, {.timeout = seconds(30)}));
    ASSERT_TRUE(api.create(foo("watched")));
    ASSERT_TRUE(seen.await({"add default/listed", "add default/watched"}));

    for (const auto* name : {"default/listed", "default/watched"}) {
      const auto cached = informer.lister().get(name).value();
      EXPECT_EQ(cached.api_version(), "a.io/v1");
      EXPECT_EQ(cached.kind(), "Foo");
      EXPECT_EQ(cached.completeness(), meta::Completeness::MetadataOnly);
    }
    ASSERT_TRUE(api.remove("watched"));
  }
}

}  // namespace
}  // namespace kubexx::contract
