#include <gtest/gtest.h>

#include <cstdio>

#include "kubexx/testkit/simulation.hpp"
#include "simulation/informer_scenario.hpp"
#include "simulation/replicas_scenario.hpp"

// The environment has the settings, see testkit::SimulationOptions::from_environment().
namespace kubexx::simulation {
namespace {

using std::chrono::seconds;
using testkit::simulate;
using testkit::SimulationOptions;

// As many seeds as their time allows: they say how many.
template <class Scenario>
void expect_no_violation(const char* of, const SimulationOptions& settings) {
  const auto report = simulate<Scenario>(settings.from_environment());
  EXPECT_TRUE(report) << report.to_string();
  std::printf("%llu seeds of %s\n", static_cast<unsigned long long>(report.seeds), of);
}

TEST(SimulationTest, CachesAndHandlersFollowTheServerThroughEveryFault) {
  expect_no_violation<InformerScenario>("informers", {.seeds = 200, .steps = 2000, .time_limit = seconds(80)});
}

TEST(SimulationTest, OneLeadsEveryKeyHasOneOwnerAndEverythingIsBroughtInLine) {
  expect_no_violation<ReplicasScenario>("replicas", {.seeds = 50, .steps = 600, .time_limit = seconds(40)});
}

template <class Scenario>
class ReplayTest : public testing::Test {};
using Scenarios = testing::Types<InformerScenario, ReplicasScenario>;
TYPED_TEST_SUITE(ReplayTest, Scenarios);

TYPED_TEST(ReplayTest, ASeedReplaysExactly) {
  const SimulationOptions options{.seeds = 5, .steps = 400, .shrink_runs = 0};
  EXPECT_EQ(simulate<TypeParam>(options).digest, simulate<TypeParam>(options).digest);
}

TYPED_TEST(ReplayTest, DifferentSeedsAreDifferentRuns) {
  const SimulationOptions options{.seeds = 1, .steps = 200, .shrink_runs = 0};
  auto other = options;
  other.first_seed = 2;
  EXPECT_NE(simulate<TypeParam>(options).digest, simulate<TypeParam>(other).digest);
}

}  // namespace
}  // namespace kubexx::simulation
