#include "simulation/simulation.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "kubexx/base/log.hpp"

// KUBEXX_SIMULATION_SEED: the first seed; KUBEXX_SIMULATION_SEEDS: how many; KUBEXX_SIMULATION_STEPS: of each;
// KUBEXX_SIMULATION_TRACE=1: every step on standard error.
namespace kubexx::simulation {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(SimulationTest, CachesAndHandlersFollowTheServerThroughEveryFault) {
  const auto first = setting("KUBEXX_SIMULATION_SEED", 1);
  const auto count = setting("KUBEXX_SIMULATION_SEEDS", 200);
  const auto steps = static_cast<int>(setting("KUBEXX_SIMULATION_STEPS", 2000));
  const bool verbose = setting("KUBEXX_SIMULATION_TRACE", 0) != 0;
  if (verbose) set_log_sink(stderr_log_sink(), LogLevel::Debug);
  int failed = 0;
  for (auto seed = first; seed < first + count && failed < 5; ++seed) {
    Simulation simulation(seed, verbose);
    const auto outcome = simulation.run(steps);
    if (outcome.problems.empty()) continue;
    ++failed;
    std::string text;
    for (const auto& problem : outcome.problems) text += "\n  " + problem;
    ADD_FAILURE() << "seed " << seed << ":" << text << "\n  replay: KUBEXX_SIMULATION_SEED=" << seed
                  << " KUBEXX_SIMULATION_SEEDS=1 KUBEXX_SIMULATION_STEPS=" << steps << " KUBEXX_SIMULATION_TRACE=1";
  }
  set_log_sink(nullptr);
}

TEST(SimulationTest, ASeedReplaysExactly) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto once = Simulation(seed).run(500);
    const auto again = Simulation(seed).run(500);
    EXPECT_EQ(once.digest, again.digest) << "seed " << seed;
  }
}

TEST(SimulationTest, DifferentSeedsAreDifferentRuns) {
  EXPECT_NE(Simulation(1).run(200).digest, Simulation(2).run(200).digest);
}

}  // namespace
}  // namespace kubexx::simulation
