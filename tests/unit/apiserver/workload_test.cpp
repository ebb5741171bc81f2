#include "kubexx/apiserver/workload.hpp"

#include <limits>
#include <optional>

#include "core_fixture.hpp"
#include "unit/apiserver/comes_true.hpp"

namespace kubexx::apiserver {
namespace {

using std::chrono::seconds;

class WorkloadTest : public CoreFixture {
 protected:
  std::size_t ready_pods(const std::string& label = "") {
    std::size_t count = 0;
    for (const meta::Object& pod : core->list({"", "v1", "pods"})) {
      if (!label.empty() && pod.labels()["app"].string() != label) continue;
      for (meta::Value condition : pod["status"]["conditions"].items())
        count += condition["type"].string() == "Ready" && condition["status"].string() == "True" ? 1 : 0;
    }
    return count;
  }
};

TEST_F(WorkloadTest, DeploymentsBecomeReadyPodsOnNodes) {
  WorkloadOptions options;
  options.pods = 10;
  options.changes_per_second = 0;
  const Workload workload(*core, executor, options);

  executor->advance(seconds(5));

  EXPECT_EQ(ready_pods(), 10u);
  EXPECT_EQ(core->list({"", "v1", "nodes"}).size(), 3u);
  for (const meta::Object& deployment : core->list({"apps", "v1", "deployments"}))
    EXPECT_EQ(deployment["status"]["readyReplicas"].int_or(0), deployment["spec"]["replicas"].int_or(-1))
        << deployment.name();
}

TEST_F(WorkloadTest, ANewTemplateRollsOutAndTheOldSetEndsEmpty) {
  WorkloadOptions options;
  options.pods = 4;
  options.changes_per_second = 0;
  const Workload workload(*core, executor, options);
  executor->advance(seconds(5));

  send("PATCH", "/apis/apps/v1/namespaces/demo/deployments/web",
       R"({"spec":{"template":{"spec":{"containers":[{"name":"main","image":"registry.example/web:2"}]}}}})",
       "application/strategic-merge-patch+json");
  executor->advance(seconds(20));

  EXPECT_EQ(ready_pods("web"), 4u);
  for (const meta::Object& pod : core->list({"", "v1", "pods"}))
    EXPECT_EQ(pod["spec"]["containers"][0]["image"].string(), "registry.example/web:2");
}

TEST_F(WorkloadTest, ItStopsInTheMiddleOfAStepWithoutEnd) {
  WorkloadOptions options;
  options.pods = 1;
  options.step = std::chrono::milliseconds(1);
  options.changes_per_second = std::numeric_limits<double>::infinity();
  const auto threads = std::make_shared<ThreadExecutor>();
  std::optional<Workload> workload(std::in_place, *core, threads, options);
  const auto restless = [this] { return core->list({"apps", "v1", "deployments"}).front().generation() > 100; };
  EXPECT_TRUE(comes_true(restless));

  workload.reset();
}

TEST_F(WorkloadTest, ItSettlesWhenNothingIsToBeChanged) {
  WorkloadOptions options;
  options.changes_per_second = 0;
  options.heartbeat = std::chrono::hours(1);
  const Workload workload(*core, executor, options);
  executor->advance(seconds(10));
  const std::uint64_t version = core->version();

  executor->advance(seconds(10));

  EXPECT_EQ(core->version(), version);
}

TEST_F(WorkloadTest, ItKeepsMovingAndTheSameSeedMovesTheSame) {
  const auto run = [&] {
    open({});
    WorkloadOptions options;
    options.changes_per_second = 5;
    options.seed = 42;
    const Workload workload(*core, executor, options);
    executor->advance(seconds(20));
    return core->version();
  };

  const std::uint64_t first = run();

  EXPECT_GT(first, 200u);
  EXPECT_EQ(run(), first);
}

}  // namespace
}  // namespace kubexx::apiserver
