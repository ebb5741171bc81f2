#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/testkit/in_process_transport.hpp"
#include "kubexx/testkit/simulation.hpp"
#include "testkit/scheduler.hpp"

namespace kubexx::testkit {

struct KUBEXX_HIDDEN SimulatedProgram::Impl {
  std::string name;
  std::shared_ptr<ScheduledExecutor> executor;
  std::shared_ptr<InProcessTransport> transport;
  std::optional<rest::Client> client;
};

/// One step of a run. Its number and its seed stay when others are left out.
struct PlannedStep {
  std::size_t number = 0;
  std::size_t which = 0;  // of all steps
  std::uint64_t seed = 0;
};

struct KUBEXX_HIDDEN Simulation::Impl {
  Impl(std::uint64_t seed_, const SimulationOptions& options_);
  ~Impl();

  struct Dead {
    std::shared_ptr<SimulatedProgram> program;
    std::vector<apiserver::Outage> outages;
    std::shared_ptr<void> had;
  };

  const std::uint64_t seed;
  const SimulationOptions& options;
  std::shared_ptr<Scheduler> scheduler;
  std::unique_ptr<apiserver::Core> core;
  std::vector<std::weak_ptr<SimulatedProgram>> programs;
  std::vector<Dead> dead;
  std::vector<apiserver::Outage> outages;

  std::unique_ptr<Scenario> scenario;
  std::vector<SimulationStep> steps;  // those of every simulation first
  std::vector<PlannedStep> plan;
  std::size_t next = 0;  // of the plan
  Random meanwhile;      // when steps happen while a task is blocked

  std::vector<SimulationFailure::Line> story;  // the steps so far
  std::vector<std::size_t> describing;         // those under way, the innermost last
  std::string what;                            // is wrong; empty: nothing
  std::string details;
  std::uint64_t digest = 14695981039346656037ULL;
  bool over = false;      // what happens from now on does not count
  bool settling = false;  // no step happens meanwhile, also while a task is blocked

  void note(std::string_view line);
  void fail(std::string what_, std::string_view details_);
  void describe(std::string text);
  void settle();
  void heal_all();
  void perform(const PlannedStep& step);
  void check();
  bool failed_or_done() const;
  std::vector<std::shared_ptr<SimulatedProgram>> living() const;

  // simulation_steps.cpp
  std::vector<SimulationStep> own_steps(const SimulationWeights& weights);
  void work(Random& random);
  void pass_time(Random& random);
  void break_something(Random& random, const std::vector<std::string>& verbs);
  void break_a_watch(Random& random);
  void break_a_request(Random& random, const std::vector<std::string>& verbs);
  void heal_one(Random& random);
  void freeze_one(Random& random);
};

/// One run of a scenario: of a whole plan, or of some of its steps.
class KUBEXX_HIDDEN SimulationRun {
 public:
  /// `only`: the numbers of the steps; null: all.
  SimulationRun(const MakeScenario& make, std::uint64_t seed, const SimulationOptions& options,
                const std::vector<std::size_t>* only);
  ~SimulationRun();
  void play();

  bool failed() const { return !world_->what.empty(); }
  const std::string& what() const { return world_->what; }
  const std::string& details() const { return world_->details; }
  const std::vector<SimulationFailure::Line>& story() const { return world_->story; }
  std::uint64_t digest() const { return world_->digest; }

 private:
  void end();
  std::unique_ptr<Simulation> simulation_;
  Simulation::Impl* world_;
};

}  // namespace kubexx::testkit
