#include <gmock/gmock.h>

#include <condition_variable>
#include <cstdlib>
#include <thread>

#include "disasters/own_cluster.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "kubexx/testkit/fault_proxy.hpp"
#include "support/checked_history.hpp"

namespace kubexx::disasters {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::IsEmpty;
using testkit::eventually;

const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
/// Within it the informer equals the server again, from the moment on that both processes answer.
constexpr auto kRecovery = seconds(30);

/// Writes and deletes ConfigMaps, a hundred names in turn, until it is destroyed; refusals are no news to it.
class Load {
 public:
  explicit Load(client::ResourceApi api) : api_(std::move(api)), thread_([this](std::stop_token stop) { run(stop); }) {}
  int written() const { return written_; }

 private:
  void run(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    for (int turn = 0; !stop.stop_requested(); ++turn) {
      const auto name = "load-" + std::to_string(turn % 100);
      const auto map = testkit::make_config_map("default/" + name, std::to_string(turn));
      const bool removes = turn % 7 == 6;
      auto done = removes ? api_.remove(name).has_value() : api_.update(map).has_value();
      if (!done && !removes) done = api_.create(map).has_value();
      if (done) ++written_;
      never.wait_for(lock, stop, milliseconds(2), [] { return false; });
    }
  }

  client::ResourceApi api_;
  std::atomic<int> written_{0};
  std::jthread thread_;
};

/// An informer of ConfigMaps with a handler, and what may befall its server.
class DisasterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* programs = std::getenv("KUBEXX_CURRENT_SERVER");
    if (programs == nullptr || *programs == '\0')
      GTEST_SKIP() << "KUBEXX_CURRENT_SERVER is not set (./dev test-cluster sets it)";
    cluster_.emplace(programs);
    ASSERT_TRUE(cluster_->start_etcd()) << cluster_->logs();
    ASSERT_TRUE(cluster_->start_apiserver()) << cluster_->logs();
    client_ = rest::Client::create(cluster_->config()).value();
  }
  void TearDown() override {
    if (HasFailure() && cluster_) std::cerr << cluster_->logs() << '\n';
    registration_.remove();
    factory_.reset();
  }

  client::ResourceApi api() const { return {*client_, kConfigMaps, "default"}; }
  /// Tried again: a call has five seconds, and a disk may be busy for longer.
  std::string put(const std::string& name, const std::string& value = "") const {
    const auto map = testkit::make_config_map("default/" + name, value);
    auto written = api().create(map);
    EXPECT_TRUE(eventually([&] {
      if (!written) written = written.error().is_already_exists() ? api().update(map) : api().create(map);
      return written.has_value();
    })) << written.error();
    return written ? std::string(written->resource_version()) : "";
  }

  /// The configuration may lead through a proxy.
  void start_informer(const rest::Config& config) {
    informer::FactoryOptions options;
    options.defaults.scope.namespaces = {"default"};
    options.defaults.backoff = Backoff{.initial = milliseconds(50), .cap = milliseconds(500)};
    factory_ = std::make_unique<informer::DynamicSharedInformerFactory>(rest::Client::create(config).value(), options);
    registration_ = informer().add_event_handler(history_);
    factory_->start();
    ASSERT_TRUE(factory_->wait_for_cache_sync({}, {.fail_fast = true, .timeout = seconds(30)}));
    ASSERT_TRUE(eventually([this] { return reflector().state == reflector::ReflectorState::Watching; }));
  }
  informer::Informer<meta::Object> informer() const { return factory_->for_resource(kConfigMaps).value().informer(); }
  reflector::ReflectorStatus reflector() const { return informer().status().reflector; }
  std::uint64_t restarts(const std::string& reason) const {
    const auto all = reflector().restarts;
    const auto found = all.find(reason);
    return found == all.end() ? 0 : found->second;
  }

  std::vector<std::string> on_server() const {
    auto list = api().list();
    EXPECT_TRUE(eventually([&] {
      if (!list) list = api().list();
      return list.has_value();
    })) << list.error();
    std::vector<std::string> lines;
    if (!list) return lines;
    for (const auto& object : list->items)
      lines.push_back("default/" + std::string(object.name()) + "=" + std::string(object.resource_version()));
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  std::vector<std::string> in_cache() const {
    std::vector<std::string> lines;
    for (const auto& object : informer().lister().list())
      lines.push_back("default/" + std::string(object.name()) + "=" + std::string(object.resource_version()));
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  /// Cache and handler have what the server has, and the handler's calls follow from each other.
  void expect_recovery() const {
    const auto wanted = on_server();
    EXPECT_TRUE(eventually([&] { return in_cache() == wanted && history_->view() == wanted; }, kRecovery))
        << in_cache().size() << " in the cache, " << wanted.size() << " on the server";
    EXPECT_EQ(in_cache(), wanted);
    EXPECT_THAT(history_->problems(), IsEmpty());
  }

  std::optional<OwnCluster> cluster_;
  std::optional<rest::Client> client_;
  std::shared_ptr<CheckedHistory> history_ = std::make_shared<CheckedHistory>();
  std::unique_ptr<informer::DynamicSharedInformerFactory> factory_;
  informer::Registration registration_;
};

TEST_F(DisasterTest, TheFirstStateComesByOneWatchListAndNoList) {
  for (int i = 0; i < 20; ++i) put("m" + std::to_string(i));

  start_informer(cluster_->config());

  expect_recovery();
  EXPECT_TRUE(reflector().used_watch_list);
  EXPECT_EQ(reflector().watches, 1U);
  EXPECT_EQ(reflector().lists, 0U);
}

TEST_F(DisasterTest, AnApiServerKilledUnderLoadCostsAtMostOneWholeStateEachTime) {
  start_informer(cluster_->config());
  constexpr int kKills = 3;
  {
    const Load load(api());
    for (int kill = 0; kill < kKills; ++kill) {
      const auto before = load.written();
      ASSERT_TRUE(eventually([&] { return load.written() > before + 50; }));
      cluster_->kill_apiserver();
      ASSERT_TRUE(cluster_->start_apiserver()) << cluster_->logs();
    }
    const auto before = load.written();
    ASSERT_TRUE(eventually([&] { return load.written() > before + 50; }));
  }

  expect_recovery();
  EXPECT_GT(history_->calls(), 150U);
  EXPECT_EQ(reflector().lists, 0U);
  EXPECT_LE(restarts("expired"), static_cast<std::uint64_t>(kKills));
}

TEST_F(DisasterTest, AnEtcdKilledUnderLoadCostsAtMostOneWholeStateEachTime) {
  start_informer(cluster_->config());
  constexpr int kKills = 2;
  {
    const Load load(api());
    for (int kill = 0; kill < kKills; ++kill) {
      const auto before = load.written();
      ASSERT_TRUE(eventually([&] { return load.written() > before + 50; }, seconds(60)));
      cluster_->kill_etcd();
      ASSERT_TRUE(cluster_->start_etcd()) << cluster_->logs();
    }
    const auto before = load.written();
    ASSERT_TRUE(eventually([&] { return load.written() > before + 50; }, seconds(60)));
  }

  expect_recovery();
  EXPECT_EQ(reflector().lists, 0U);
  EXPECT_LE(restarts("expired"), static_cast<std::uint64_t>(kKills));
}

TEST_F(DisasterTest, BothKilledAtOnceWhileNothingIsWrittenLoseNothing) {
  put("kept");
  start_informer(cluster_->config());

  cluster_->kill_apiserver();
  cluster_->kill_etcd();
  ASSERT_TRUE(cluster_->start_etcd()) << cluster_->logs();
  ASSERT_TRUE(cluster_->start_apiserver()) << cluster_->logs();
  put("new");

  expect_recovery();
  EXPECT_EQ(reflector().lists, 0U);
}

TEST_F(DisasterTest, AHistoryThatWasCompactedMeanwhileCostsOneWholeState) {
  testkit::FaultProxy proxy(cluster_->config());
  put("kept");
  put("lost");
  start_informer(proxy.config());
  {
    const auto outage = proxy.refuse();
    put("kept", "2");
    ASSERT_TRUE(api().remove("lost"));
    const auto last = put("new");
    ASSERT_TRUE(cluster_->compact(last));
    // What its watch cache remembers goes with the process.
    cluster_->kill_apiserver();
    ASSERT_TRUE(cluster_->start_apiserver()) << cluster_->logs();
  }

  expect_recovery();
  EXPECT_EQ(restarts("expired"), 1U);
  EXPECT_EQ(reflector().lists, 0U);
  EXPECT_EQ(history_->inferred_deletes(), 1U);
}

TEST_F(DisasterTest, AnOlderStateThatWasRestoredIsNoticedAndTakenOver) {
  put("old", "1");
  ASSERT_TRUE(cluster_->save("snapshot"));
  for (int i = 0; i < 20; ++i) put("m" + std::to_string(i));
  put("old", "2");
  start_informer(cluster_->config());

  cluster_->kill_apiserver();
  cluster_->kill_etcd();
  ASSERT_TRUE(cluster_->restore("snapshot"));
  ASSERT_TRUE(cluster_->start_etcd()) << cluster_->logs();
  ASSERT_TRUE(cluster_->start_apiserver()) << cluster_->logs();
  ASSERT_TRUE(eventually([&] { return in_cache().size() == 1; }, kRecovery));
  EXPECT_EQ(informer().lister().get("default/old").value()["data"]["v"].string(), "1");
  put("new");

  expect_recovery();
  EXPECT_EQ(history_->inferred_deletes(), 20U);
  EXPECT_LE(reflector().lists, 1U);
}

TEST_F(DisasterTest, CertificatesReplacedUnderARunningWatchDoNotEndItAndTheNextConnectionHasThem) {
  start_informer(cluster_->config());
  const auto watches = reflector().watches;

  cluster_->replace_certificates();
  // The server shows the new certificate to who comes now.
  ASSERT_TRUE(eventually(
      [&] {
        return client::ResourceApi(rest::Client::create(cluster_->strict_config()).value(), kConfigMaps, "default")
            .list()
            .has_value();
      },
      seconds(90)));
  put("a");
  ASSERT_TRUE(eventually([&] { return in_cache().size() == 1; }));
  EXPECT_EQ(reflector().watches, watches) << "the watch went on";

  cluster_->forget_old_authority();
  cluster_->kill_apiserver();
  ASSERT_TRUE(cluster_->start_apiserver()) << cluster_->logs();
  client_ = rest::Client::create(cluster_->config()).value();
  put("b");

  expect_recovery();
  EXPECT_EQ(reflector().lists, 0U);
}

}  // namespace
}  // namespace kubexx::disasters
