#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "kubexx/api/apps/v1.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/owner_reference.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "sample/resources.hpp"
#include "sample/run_long.hpp"
#include "support/server_faults.hpp"

namespace kubexx {
namespace {

using apiserver::Outage;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::kDeployments;
using test::kEvents;
using test::kFoos;

meta::Object foo(const std::string& name, int replicas, const std::string& deployment) {
  return meta::object_from_json(
      R"({"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"namespace":"default","name":")" +
      name + R"("},"spec":{"deploymentName":")" + deployment + R"(","replicas":)" + std::to_string(replicas) + "}}");
}

bool until(const std::function<bool()>& condition, Duration ceiling = seconds(60)) {
  return testkit::eventually(condition, ceiling);
}

enum class Version { Long, Short };

/// The embedded server with Foo installed, and one version of the controller running against it.
class SampleControllerTest : public ::testing::TestWithParam<Version> {
 protected:
  static apiserver::Options server_options() {
    apiserver::Options options;
    options.bookmark_interval = milliseconds(200);
    options.request_log_entries = 1'000'000;
    options.seed = 7;
    return options;
  }
  void SetUp() override {
    const auto installed = sample::install_crd(testkit::client(server));
    ASSERT_TRUE(installed) << installed.error().message();
  }
  void TearDown() override { stop_controller(); }

  void start_controller() {
    sample::Options options;
    options.resync = Duration::zero();
    options.backoff = {milliseconds(20), 2.0, milliseconds(200), 0.5};
    options.events.queue = 100'000;
    options.events.retry_delay = milliseconds(20);
    running = std::jthread([this, options](std::stop_token stop) {
      const auto client = testkit::client(server);
      ended = GetParam() == Version::Long ? sample_run_long(client, stop, options)
                                          : sample::run_short(client, stop, options);
    });
  }
  void stop_controller() {
    if (!running.joinable()) return;
    running.request_stop();
    running.join();
    EXPECT_TRUE(ended) << (ended ? "" : ended.error().message());
  }

  Result<meta::Object> deployment(const std::string& name) {
    return server.core().get(kDeployments, {"default", name});
  }
  meta::Object stored_foo(const std::string& name) { return server.core().get(kFoos, {"default", name}).value(); }
  std::set<std::string> foos_with_event(std::string_view reason) {
    std::set<std::string> names;
    for (const auto& event : server.core().list(kEvents)) {
      if (event["reason"].string() == reason) names.emplace(event["involvedObject"]["name"].string());
    }
    return names;
  }
  /// As the controllers of a cluster would: this many replicas of the Deployment are available.
  void set_available(const meta::Object& of, int count) {
    auto draft = of.edit();
    draft["status"]["availableReplicas"].set(count);
    ASSERT_TRUE(server.update(draft.to_object()));
  }

  apiserver::Server server{server_options()};
  Result<void> ended;
  std::jthread running;
};

TEST_P(SampleControllerTest, AFooGetsItsDeploymentAndSaysHowManyReplicasAreAvailable) {
  ASSERT_TRUE(server.seed(foo("one", 2, "one-web")));
  start_controller();
  ASSERT_TRUE(until([&] { return deployment("one-web").has_value(); }));

  const auto made = deployment("one-web").value();
  EXPECT_EQ(made["spec"]["replicas"].int_or(0), 2);
  EXPECT_TRUE(meta::is_controlled_by(made, stored_foo("one")));
  EXPECT_EQ(made["spec"]["template"]["spec"]["containers"][0]["image"].string(), "nginx:latest");
  EXPECT_EQ(made["spec"]["selector"]["matchLabels"]["controller"].string(), "one");
  EXPECT_TRUE(until([&] { return stored_foo("one").at("/status/availableReplicas").exists(); }));

  set_available(made, 2);
  EXPECT_TRUE(until([&] { return stored_foo("one").at("/status/availableReplicas").int_or(-1) == 2; }));
  EXPECT_TRUE(until([&] { return foos_with_event("Synced").count("one") == 1; }));
  EXPECT_EQ(server.requests().count("create", "deployments", {.status = 201}), 1U);
  for (const auto& request : server.requests().entries("", "foos")) {
    if (request.method == "GET") continue;
    EXPECT_EQ(request.subresource, "status") << request.method << " " << request.path;
  }
}

TEST_P(SampleControllerTest, ChangedReplicasReachTheDeploymentInBothDirections) {
  ASSERT_TRUE(server.seed(foo("one", 1, "web")));
  start_controller();
  ASSERT_TRUE(until([&] { return deployment("web").has_value(); }));

  auto more = stored_foo("one").edit();
  more["spec"]["replicas"].set(5);
  ASSERT_TRUE(server.update(more.to_object()));
  EXPECT_TRUE(until([&] { return deployment("web").value()["spec"]["replicas"].int_or(0) == 5; }));

  auto meddled = deployment("web").value().edit();
  meddled["spec"]["replicas"].set(9);
  ASSERT_TRUE(server.update(meddled.to_object()));
  EXPECT_TRUE(until([&] { return deployment("web").value()["spec"]["replicas"].int_or(0) == 5; }));
}

TEST_P(SampleControllerTest, ADeletedDeploymentComesBackAndADeletedFooTakesItsOwn) {
  ASSERT_TRUE(server.seed(foo("one", 1, "web")));
  start_controller();
  ASSERT_TRUE(until([&] { return deployment("web").has_value(); }));
  const std::string first(deployment("web").value().uid());

  ASSERT_TRUE(server.core().remove(kDeployments, {"default", "web"}));
  EXPECT_TRUE(until([&] {
    const auto again = deployment("web");
    return again && again->uid() != first;
  }));
  const client::ResourceApi foos(testkit::client(server), kFoos, "default");
  ASSERT_TRUE(foos.remove("one", {.propagation_policy = "Background"}));
  EXPECT_TRUE(until([&] { return !deployment("web").has_value(); }));
}

TEST_P(SampleControllerTest, ADeploymentOfSomebodyElseIsLeftAloneAndReported) {
  ASSERT_TRUE(server.seed(meta::object_from_json(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"default","name":"web"},"spec":{"replicas":3}})")));
  const std::string before(deployment("web").value().resource_version());
  ASSERT_TRUE(server.seed(foo("one", 1, "web")));
  start_controller();

  EXPECT_TRUE(until([&] { return foos_with_event("ErrResourceExists").count("one") == 1; }));
  EXPECT_EQ(deployment("web").value().resource_version(), before);
  EXPECT_TRUE(foos_with_event("Synced").empty());
}

TEST_P(SampleControllerTest, AFooWithoutADeploymentNameIsNotRetried) {
  ASSERT_TRUE(server.seed(foo("bad", 1, "")));
  ASSERT_TRUE(server.seed(foo("good", 1, "web")));
  start_controller();
  ASSERT_TRUE(until([&] { return foos_with_event("Synced").count("good") == 1; }));
  EXPECT_EQ(server.core().list(kDeployments).size(), 1U);
}

/// The faults of the embedded server, one at every step, chosen by the seed.
class Chaos {
 public:
  Chaos(apiserver::Server& server, std::uint64_t seed) : random_(seed), kinds_(server_faults(server)) {}
  std::size_t kinds() const { return kinds_.size(); }

  /// The next kind in a random order that repeats none before all had their turn.
  void step() {
    if (order_.empty()) {
      for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
        order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(random_.below(order_.size() + 1)), kind);
      }
    }
    if (outages_.size() > 2) outages_.erase(outages_.begin());
    outages_.push_back(kinds_[order_.back()].begin());
    order_.pop_back();
  }
  void heal() { outages_.clear(); }

 private:
  Random random_;
  std::vector<NamedFault> kinds_;
  std::vector<std::size_t> order_;
  std::vector<Outage> outages_;
};

TEST_P(SampleControllerTest, ConvergesUnderAllFaultsToAThousandFoosWithoutADuplicateCreate) {
  constexpr int kCount = 1000;
  const auto name = [](int i) { return "foo-" + std::to_string(i); };
  const auto wanted = [](int i) { return 1 + i % 10; };
  for (int i = 0; i < kCount; ++i) ASSERT_TRUE(server.seed(foo(name(i), 1 + (i + 3) % 10, name(i))));

  Chaos chaos(server, 42);
  start_controller();
  for (std::size_t step = 0; step < 2 * chaos.kinds(); ++step) {
    chaos.step();
    const auto asked = server.requests().size();
    // Meanwhile people change their minds, and Deployments make progress.
    const int part = static_cast<int>(step) * kCount / static_cast<int>(2 * chaos.kinds());
    const int next = static_cast<int>(step + 1) * kCount / static_cast<int>(2 * chaos.kinds());
    for (int i = part; i < next; ++i) {
      auto draft = stored_foo(name(i)).edit();
      draft["spec"]["replicas"].set(wanted(i));
      ASSERT_TRUE(server.update(draft.to_object()));
      if (const auto made = deployment(name(i))) set_available(*made, 1);
    }
    // The next fault comes when the controller has met this one: it asked for as much as was changed. Where nothing
    // gets through, a moment has to do.
    const auto enough = asked + static_cast<std::size_t>(next - part);
    static_cast<void>(until([&] { return server.requests().size() >= enough; }, milliseconds(200)));
  }
  chaos.heal();

  const auto converged = [&](int i) {
    const auto made = deployment(name(i));
    return made && (*made)["spec"]["replicas"].int_or(0) == wanted(i) &&
           meta::is_controlled_by(*made, stored_foo(name(i)));
  };
  int at = 0;
  EXPECT_TRUE(until(
      [&] {
        while (at < kCount && converged(at)) ++at;
        return at == kCount;
      },
      seconds(120)))
      << name(at) << " has not what it asks for";
  for (int i = 0; i < kCount; ++i) {
    const auto made = deployment(name(i));
    ASSERT_TRUE(made) << made.error().message();
    set_available(*made, wanted(i));
  }
  at = 0;
  EXPECT_TRUE(until(
      [&] {
        while (at < kCount && stored_foo(name(at)).at("/status/availableReplicas").int_or(-1) == wanted(at)) ++at;
        return at == kCount;
      },
      seconds(120)))
      << name(at) << " does not say how many replicas are available";
  EXPECT_TRUE(until([&] { return foos_with_event("Synced").size() == kCount; }, seconds(120)))
      << foos_with_event("Synced").size();
  stop_controller();

  EXPECT_EQ(server.core().list(kDeployments).size(), static_cast<std::size_t>(kCount));
  // As many Deployments as successful creates: none was created twice.
  EXPECT_EQ(server.requests().count("create", "deployments", {.status = 201}), static_cast<std::size_t>(kCount));
  EXPECT_TRUE(foos_with_event("ErrResourceExists").empty());
}

INSTANTIATE_TEST_SUITE_P(Versions, SampleControllerTest, ::testing::Values(Version::Long, Version::Short),
                         [](const auto& test) { return test.param == Version::Long ? "Long" : "Short"; });

}  // namespace
}  // namespace kubexx
