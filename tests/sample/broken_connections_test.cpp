#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include "contract/any_server.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/client/discovery.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/owner_reference.hpp"
#include "kubexx/testkit/fault_proxy.hpp"
#include "kubexx/testkit/recording_handler.hpp"
#include "sample/resources.hpp"
#include "sample/run_long.hpp"

namespace kubexx::contract {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::kDeployments;
using test::kEvents;
using test::kFoos;

const meta::GroupVersionResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
constexpr int kCount = 1000;

std::string name_of(int i) {
  return "foo-" + std::to_string(i);
}
int wanted(int i) {
  return 1 + i % 10;
}

/// The sample controller behind a proxy that breaks its connections. The test plays the users and the Deployment
/// controller, which a bare API server does not have, past the proxy.
class SampleOnAnyServerTest : public AnyServerTest {
 protected:
  void SetUp() override {
    AnyServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const auto definition = client::ResourceApi(client(), kDefinitions).get(kDefinition);
    installed_ = !definition.has_value();
    const auto done = sample::install_crd(client());
    ASSERT_TRUE(done) << done.error();
    ASSERT_TRUE(eventually([this] { return api(kFoos).list().has_value(); }));
    proxy_.emplace(config());
  }
  void TearDown() override {
    if (proxy_) {
      for (const auto& resource : {kFoos, kDeployments, kEvents}) static_cast<void>(api(resource).remove_collection());
      if (installed_) {
        static_cast<void>(client::ResourceApi(client(), kDefinitions).remove(kDefinition));
        // The next program's discovery must not find it.
        EXPECT_TRUE(eventually([this] { return !serves_foos(); }));
      }
    }
    AnyServerTest::TearDown();
  }

  bool serves_foos() const {
    const auto found = client::discover(client());
    return !found || std::ranges::any_of(found->resources, [](const auto& served) { return served.resource == kFoos; });
  }
  rest::Client client_through_proxy() const {
    auto transport = transport_options(proxy_->config());
    transport.read_idle = milliseconds(500);
    transport.ping_timeout = milliseconds(500);
    rest::ClientOptions options;
    options.transport = transport::HttpTransport::create(transport).value();
    return rest::Client::create(proxy_->config(), options).value();
  }
  sample::Options sample_options() const {
    sample::Options options;
    options.namespace_ = namespace_();
    options.resync = Duration::zero();
    options.backoff = {milliseconds(20), 2.0, milliseconds(200), 0.5};
    options.events.queue = 100'000;
    options.events.retry_delay = milliseconds(20);
    return options;
  }

  void create_foo(int i) const {
    const auto text = R"({"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":")" +
                      name_of(i) + R"("},"spec":{"deploymentName":")" + name_of(i) + R"(","replicas":)" +
                      std::to_string(wanted(i + 3)) + "}}";
    const auto made = api(kFoos).create(meta::parse_json(text).value());
    ASSERT_TRUE(made) << made.error();
  }
  void change_foo(int i) const {
    const auto body = R"({"spec":{"replicas":)" + std::to_string(wanted(i)) + "}}";
    const auto changed = api(kFoos).patch(name_of(i), client::PatchType::Merge, body);
    ASSERT_TRUE(changed) << changed.error();
  }
  void set_available(const meta::Object& deployment, int count) const {
    const auto n = std::to_string(count);
    const auto body =
        R"({"status":{"replicas":)" + n + R"(,"readyReplicas":)" + n + R"(,"availableReplicas":)" + n + "}}";
    const auto done = api(kDeployments).patch(deployment.name(), client::PatchType::Merge, body, {}, "status");
    ASSERT_TRUE(done) << done.error();
  }
  std::vector<meta::Object> all(const meta::GroupVersionResource& resource) const {
    const auto list = api(resource).list_all();
    EXPECT_TRUE(list) << list.error();
    return list ? list->items : std::vector<meta::Object>();
  }
  static int number_of(const meta::Object& object) { return std::atoi(std::string(object.name().substr(4)).c_str()); }

  /// Everybody has a Deployment with as many replicas as asked for.
  bool every_deployment_is_right() const {
    const auto deployments = all(kDeployments);
    return deployments.size() == kCount &&
           std::all_of(deployments.begin(), deployments.end(), [](const meta::Object& deployment) {
             return deployment["spec"]["replicas"].int_or(0) == wanted(number_of(deployment));
           });
  }
  bool every_status_is_right() const {
    const auto foos = all(kFoos);
    return std::all_of(foos.begin(), foos.end(), [](const meta::Object& foo) {
      return foo["status"]["availableReplicas"].int_or(-1) == wanted(number_of(foo));
    });
  }
  std::set<std::string> foos_with_event(std::string_view reason) const {
    std::set<std::string> names;
    for (const auto& event : all(kEvents)) {
      if (event["reason"].string() == reason) names.emplace(event["involvedObject"]["name"].string());
    }
    return names;
  }

  void break_something(Random& random) {
    switch (random.below(7)) {
      case 0:
        return proxy_->cut();
      case 1:
        return proxy_->cut_after(1 + random.below(5000));
      case 2:
        outage_ = proxy_->refuse();
        return;
      case 3:
        outage_ = proxy_->stall();
        return;
      case 4:
        outage_ = proxy_->delay(milliseconds(random.below(50)));
        return;
      case 5:
        outage_ = proxy_->cut_each_after(2000 + random.below(50'000));
        return;
      default:
        outage_.end();
    }
  }

  using Sample = std::function<Result<void>(const rest::Client& client, const std::stop_token& stop)>;
  void expect_convergence(const Sample& run);

  static constexpr const char* kDefinition = "foos.samplecontroller.k8s.io";
  bool installed_ = false;
  std::optional<testkit::FaultProxy> proxy_;
  apiserver::Outage outage_;
};
INSTANTIATE_TEST_SUITE_P(AnyServer, SampleOnAnyServerTest, kAnyServer, server_name);

void SampleOnAnyServerTest::expect_convergence(const Sample& run) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  auto factory = make_factory(client());
  testkit::Recording seen;
  const auto registration = factory->for_resource(kDeployments).value().informer().add_event_handler(seen.handler());
  start_and_sync(*factory);
  for (int i = 0; i < kCount; ++i) create_foo(i);
  Result<void> ended;
  std::jthread running([&](const std::stop_token& stop) { ended = run(client_through_proxy(), stop); });

  constexpr int kSteps = 30;
  constexpr std::uint64_t kEnough = 20'000;  // bytes: a new connection, or a part of what is changed at a step
  for (int step = 0; step < kSteps; ++step) {
    break_something(random);
    const auto before = proxy_->delivered();
    for (int i = step * kCount / kSteps; i < (step + 1) * kCount / kSteps; ++i) change_foo(i);
    // The next fault comes when the controller has met this one. Where nothing gets through, a moment has to do.
    static_cast<void>(eventually([&] { return proxy_->delivered() >= before + kEnough; }, milliseconds(200)));
  }
  outage_.end();

  EXPECT_TRUE(eventually([this] { return every_deployment_is_right(); }, seconds(120)));
  for (const auto& deployment : all(kDeployments)) {
    const auto owner = api(kFoos).get(deployment.name());
    ASSERT_TRUE(owner) << owner.error();
    EXPECT_TRUE(meta::is_controlled_by(deployment, *owner));
    set_available(deployment, wanted(number_of(deployment)));
  }
  EXPECT_TRUE(eventually([this] { return every_status_is_right(); }, seconds(120)));
  EXPECT_TRUE(eventually([this] { return foos_with_event("Synced").size() == kCount; }, seconds(120)))
      << foos_with_event("Synced").size();
  EXPECT_THAT(foos_with_event("ErrResourceExists"), ::testing::IsEmpty());
  running.request_stop();
  running.join();
  EXPECT_TRUE(ended) << ended.error();
  // One add of each name and no delete: nothing was created twice.
  for (const auto& line : seen.lines()) EXPECT_FALSE(line.starts_with("delete")) << line;
  EXPECT_GE(proxy_->accepted(), 3U);
}

TEST_P(SampleOnAnyServerTest, TheLongVersionConvergesThroughBrokenConnections) {
  expect_convergence([this](const rest::Client& client, const std::stop_token& stop) {
    return sample_run_long(client, stop, sample_options());
  });
}

TEST_P(SampleOnAnyServerTest, TheShortVersionConvergesThroughBrokenConnections) {
  expect_convergence([this](const rest::Client& client, const std::stop_token& stop) {
    return sample::run_short(client, stop, sample_options());
  });
}

}  // namespace
}  // namespace kubexx::contract
