#include "kubexx/testkit/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "kubexx/client/resource_api.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::testkit {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

/// Nothing breaks and no time passes, unless it is asked for.
SimulationWeights calm() {
  SimulationWeights weights;
  weights.time = weights.faults = weights.heal = weights.freeze = weights.quiet = 0;
  return weights;
}

struct CalmScenario : Scenario {
  explicit CalmScenario(Simulation& simulation) : world(simulation) {}
  SimulationWeights weights() const override { return calm(); }
  std::string unsettled() override { return {}; }
  Simulation& world;
};

/// Goes wrong when b happens after two times a.
struct TwoThenOne : CalmScenario {
  using CalmScenario::CalmScenario;
  std::vector<SimulationStep> steps() override {
    const auto noise = [this](Random& random) { world.note(std::to_string(random.next())); };
    return {{"a", [this](Random&) { ++a; }},
            {"b",
             [this](Random& random) {
               world.describe("b at " + std::to_string(random.below(1000)));
               if (a >= 2) world.fail("b after two a");
             }},
            {"noise", noise, 100}};
  }
  int a = 0;
};

TEST(SimulationTest, AFailureIsShrunkToTheStepsThatItNeeds) {
  const auto report = simulate<TwoThenOne>({.steps = 300});
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->what, "b after two a");
  ASSERT_EQ(report.failure->story.size(), 3U) << report.to_string();
  EXPECT_EQ(report.failure->story[0].what, "a");
  EXPECT_EQ(report.failure->story[1].what, "a");
  EXPECT_THAT(report.failure->story[2].what, HasSubstr("b at "));
  EXPECT_GT(report.failure->steps, 3U);
  EXPECT_GT(report.failure->runs, 0U);
  EXPECT_THAT(report.to_string(), HasSubstr("KUBEXX_SIMULATION_STORY="));
}

TEST(SimulationTest, AStoryIsReplayedByItsNumbers) {
  const auto whole = simulate<TwoThenOne>({.steps = 300});
  ASSERT_TRUE(whole.failure);
  SimulationOptions options{.first_seed = whole.failure->seed, .steps = 300};
  for (const auto& line : whole.failure->story) options.story.push_back(line.number);
  const auto again = simulate<TwoThenOne>(options);
  ASSERT_TRUE(again.failure);
  EXPECT_EQ(again.failure->story.back().what, whole.failure->story.back().what);
  options.story.pop_back();
  EXPECT_TRUE(simulate<TwoThenOne>(options));
}

TEST(SimulationTest, TheEnvironmentHasSettings) {
  ASSERT_EQ(setenv("KUBEXX_SIMULATION_SEED", "7", 1), 0);
  ASSERT_EQ(setenv("KUBEXX_SIMULATION_STORY", "3,14,15", 1), 0);
  ASSERT_EQ(setenv("KUBEXX_SIMULATION_SECONDS", "0", 1), 0);
  const auto options = SimulationOptions{.steps = 9, .time_limit = seconds(5)}.from_environment();
  unsetenv("KUBEXX_SIMULATION_SEED");
  unsetenv("KUBEXX_SIMULATION_STORY");
  unsetenv("KUBEXX_SIMULATION_SECONDS");
  EXPECT_EQ(options.first_seed, 7U);
  EXPECT_EQ(options.steps, 9U);
  EXPECT_THAT(options.story, ElementsAre(3, 14, 15));
  EXPECT_FALSE(options.time_limit);
}

/// Never as it has to be.
struct NeverSettled : CalmScenario {
  using CalmScenario::CalmScenario;
  std::vector<SimulationStep> steps() override {
    return {{"nothing", [](Random&) {}}};
  }
  std::string unsettled() override { return "the moon is not blue"; }
};

TEST(SimulationTest, WhatDoesNotSettleFailsAndNeedsNoStep) {
  const auto report = simulate<NeverSettled>({.steps = 20, .patience = seconds(30)});
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->what, "not settled");
  EXPECT_EQ(report.failure->details, "the moon is not blue");
  EXPECT_TRUE(report.failure->story.empty());
}

/// Tasks that make each other run.
struct HotLoop : CalmScenario {
  explicit HotLoop(Simulation& simulation) : CalmScenario(simulation), program(simulation.start_program("hot")) {
    again();
  }
  ~HotLoop() override { *stopped = true; }
  void again() {
    program->client().executor()->post([this, stopped = stopped] {
      if (!*stopped) again();
    });
  }
  std::vector<SimulationStep> steps() override {
    return {{"nothing", [](Random&) {}}};
  }
  std::shared_ptr<bool> stopped = std::make_shared<bool>(false);
  std::shared_ptr<SimulatedProgram> program;
};

TEST(SimulationTest, TasksThatRunForEverAreFoundInsteadOfRun) {
  const auto report = simulate<HotLoop>({.steps = 1, .shrink_runs = 1});
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->what, "the clock stands still");
}

/// A program whose tasks block in requests, as a reconcile does.
struct BlockingProgram : CalmScenario {
  explicit BlockingProgram(Simulation& simulation)
      : CalmScenario(simulation), program(simulation.start_program("blocking")) {
    EXPECT_TRUE(simulation.server().seed(make_config_map("default/a", "0")));
  }
  std::vector<SimulationStep> steps() override {
    return {{"read",
             [this](Random&) {
               ++asked;
               program->client().executor()->post([this] {
                 const client::ResourceApi maps(program->client(), kConfigMaps, "default");
                 ++inside;
                 if (maps.get("a")) ++answered;
                 --inside;
               });
             }},
            {"write",
             [this](Random& random) {
               EXPECT_FALSE(quiet) << "a step at a quiet point";
               if (inside > 0) ++written_meanwhile;
               EXPECT_TRUE(world.server().seed(make_config_map("default/a", std::to_string(random.next()))));
             },
             10, true}};
  }
  ~BlockingProgram() override { total_meanwhile += written_meanwhile; }
  SimulationWeights weights() const override {
    auto some = calm();
    some.quiet = 5;
    return some;
  }
  void heal() override { quiet = true; }
  std::string unsettled() override {
    quiet = answered != asked;
    return quiet ? "a read has no answer" : "";
  }
  std::shared_ptr<SimulatedProgram> program;
  bool quiet = false;
  int asked = 0;
  int answered = 0;
  int inside = 0;
  int written_meanwhile = 0;
  inline static int total_meanwhile = 0;
};

TEST(SimulationTest, BlockingCallsReturnAndStepsHappenMeanwhile) {
  BlockingProgram::total_meanwhile = 0;
  const auto report = simulate<BlockingProgram>({.seeds = 20, .steps = 100});
  EXPECT_TRUE(report) << report.to_string();
  EXPECT_GT(BlockingProgram::total_meanwhile, 0);
}

/// Programs that count their tasks, one each second, until one is stopped, another cut off and a third killed.
struct Counters : CalmScenario {
  struct Counter {
    Counter(Simulation& simulation, const std::string& name) : program(simulation.start_program(name)) { tick(); }
    ~Counter() { timer.cancel(); }
    void tick() {
      ++count;
      timer = program->client().executor()->post_after(seconds(1), [this] { tick(); });
    }
    std::shared_ptr<SimulatedProgram> program;
    Timer timer;
    int count = 0;
  };
  explicit Counters(Simulation& simulation) : CalmScenario(simulation) {}
  std::vector<SimulationStep> steps() override {
    return {{"all of it", [this](Random&) {
               if (!killed) return;
               const auto frozen_at = (world.settle(), frozen->count);
               {
                 const auto outage = frozen->program->freeze();
                 EXPECT_TRUE(frozen->program->frozen());
                 world.settle();
                 EXPECT_EQ(frozen->count, frozen_at);
               }
               world.settle();
               EXPECT_GT(frozen->count, frozen_at);
               const auto killed_at = killed->count;
               const std::weak_ptr<Counter> gone = killed;
               const auto program = killed->program;
               world.kill(program, std::exchange(killed, nullptr));
               world.settle();
               EXPECT_EQ(gone.lock()->count, killed_at);
             }}};
  }
  SimulationWeights weights() const override {
    auto none = calm();
    none.work = 0;
    return none;
  }
  std::shared_ptr<Counter> frozen = std::make_shared<Counter>(world, "frozen");
  std::shared_ptr<Counter> killed = std::make_shared<Counter>(world, "killed");
};

TEST(SimulationTest, StoppedAndKilledProgramsDoNothing) {
  const auto report = simulate<Counters>({.seeds = 1, .steps = 1});
  EXPECT_TRUE(report) << report.to_string();
}

TEST(SimulationTest, NoFurtherSeedIsBegunWhenTheTimeIsOver) {
  const auto report = simulate<TwoThenOne>({.steps = 0, .time_limit = Duration::zero()});
  EXPECT_TRUE(report);
  EXPECT_EQ(report.seeds, 0U);
}

}  // namespace
}  // namespace kubexx::testkit
