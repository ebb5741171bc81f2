#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/apiserver/faults.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::testkit {

/// One program of a simulation: its own connections to the server, its own tasks.
class KUBEXX_EXPORT SimulatedProgram {
 public:
  ~SimulatedProgram();
  SimulatedProgram(const SimulatedProgram&) = delete;
  SimulatedProgram& operator=(const SimulatedProgram&) = delete;

  const std::string& name() const noexcept;
  /// What the program is made of: informers, controllers and electors take their executors from it.
  const rest::Client& client() const noexcept;
  /// Its connections are cut and new ones refused until the Outage ends.
  apiserver::Outage disconnect();
  /// None of its tasks runs until the Outage ends, as between SIGSTOP and SIGCONT. What it sent before arrives.
  apiserver::Outage freeze();
  bool frozen() const noexcept;

 private:
  friend class Simulation;
  struct Impl;
  explicit SimulatedProgram(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

/// A server and the programs that use it, in one thread under one virtual clock: what a Scenario is played in.
///
/// From the seed come the order of all tasks, the steps and what each of them does; nothing comes from the system, so a
/// seed repeats a run exactly, in this process or in another one of the same build. Requests reach the server before
/// the clock moves on; answers come when the program's tasks run.
///
/// Blocking calls work: a task that blocks has others run, and steps that may (SimulationStep::while_blocked) happen
/// meanwhile. A call that has not returned after an hour of the virtual clock is told that it would wait for ever. Work
/// that blocks for as long as a term of leadership does not belong here: it holds LeaderGuard::hold() instead. Time
/// limits of blocking waits for informers are of the system's clock, and do not pass.
///
/// Threads: one, that of simulate(). Code that starts threads of its own is not repeated by a seed.
/// Stop: simulate() ends it: first what was killed goes, then the Scenario.
/// Errors: misuse throws std::logic_error. What goes wrong with the programs is said to fail().
/// Example:
///
///     class OneCopy : public testkit::Scenario {
///      public:
///       explicit OneCopy(testkit::Simulation& simulation)
///           : world_(simulation), program_(simulation.start_program("copier")), factory_(program_->client()) {
///         factory_.start();
///       }
///       std::vector<testkit::SimulationStep> steps() override {
///         return {{"write", [this](Random& random) {
///           const auto key = "default/n" + std::to_string(random.below(5));
///           if (auto done = world_.server().seed(testkit::make_config_map(key)); !done) complain(done.error());
///         }}};
///       }
///       std::string unsettled() override { return reconcile(factory_) ? "" : "a copy is missing"; }
///
///      private:
///       testkit::Simulation& world_;
///       std::shared_ptr<testkit::SimulatedProgram> program_;
///       informer::SharedInformerFactory factory_;
///     };
///     const auto report = testkit::simulate<OneCopy>({.seeds = 1000});
///     if (!report) complain(report.to_string());  // the seed, what was wrong, and the shortest story of it
class KUBEXX_EXPORT Simulation {
 public:
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  std::uint64_t seed() const noexcept;
  apiserver::Core& server() noexcept;
  const Clock& clock() const noexcept;

  std::shared_ptr<SimulatedProgram> start_program(std::string name);
  /// The program dies: from now on it does nothing, and its connections are cut. `had` is what it was made of
  /// (informers, controllers), whose destructors would say goodbye: it is kept, and goes at the end of the run before
  /// the Scenario does, cut off from the server.
  void kill(std::shared_ptr<SimulatedProgram> program, std::shared_ptr<void> had);

  /// What this step does, for the story: "write default/n3".
  void describe(std::string what);
  /// A line of the run: in the trace, and in the digest by which two runs are compared.
  void note(std::string_view line);
  /// Ends the run: `what` must not happen. While a story is made short, failures of the same `what` count as the same.
  void fail(std::string what, std::string_view details = {});
  bool failed() const noexcept;
  /// An outage lasts until a step heals it, or the next quiet point.
  void keep(apiserver::Outage outage);
  /// A quiet point now: everything is healed, and the scenario has to settle. Not in a step that may run while a task
  /// is blocked (std::logic_error).
  void settle();

  struct Impl;

 private:
  friend class SimulationRun;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Something that may happen, once or often. It chooses with the Random it is given and with nothing else, so that it
/// does the same when other steps of the run are left out. What there is nothing to do for, does nothing.
struct SimulationStep {
  std::string name = {};
  std::function<void(Random& random)> act = {};
  double weight = 10;  ///< against those of the other steps
  /// Also while a task is blocked. For what changes the server; not for what ends, stops or waits for programs.
  bool while_blocked = false;
};

/// How often happens what every simulation has, against the weights of the steps.
struct SimulationWeights {
  double work = 40;    ///< a few tasks run
  double time = 9;     ///< the clock moves, and what became due has not run yet
  double faults = 5;   ///< something breaks: a request, a watch, a connection, the server's history
  double heal = 3;     ///< one of the outages ends
  double quiet = 0.4;  ///< a quiet point
  double freeze = 1;   ///< a program is stopped for a while
  /// Of the requests that fail. None of those that write is late: it arrives while its sender may still send it.
  std::vector<std::string> verbs = {"list", "watch", "get", "create", "update", "patch", "delete"};
};

/// What is simulated, made anew for each run: its constructor starts programs, its destructor ends them.
class KUBEXX_EXPORT Scenario {
 public:
  virtual ~Scenario() = default;
  virtual std::vector<SimulationStep> steps() = 0;  ///< asked once
  virtual SimulationWeights weights() const { return {}; }
  /// Asked after every step: what is wrong now; empty: nothing.
  virtual std::string violated() { return {}; }
  /// A quiet point begins: what the scenario broke itself it mends here.
  virtual void heal() {}
  /// Asked at quiet points until it is empty: what is not yet as it has to be.
  virtual std::string unsettled() = 0;
};

using MakeScenario = std::function<std::unique_ptr<Scenario>(Simulation&)>;

struct KUBEXX_EXPORT SimulationOptions {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 100;                       ///< how many, or until one fails
  std::size_t steps = 500;                         ///< of each
  std::optional<Duration> time_limit = {};         ///< of the system's clock: then no further seed is begun
  Duration patience = std::chrono::minutes(15);    ///< of the virtual clock, for a quiet point
  std::size_t shrink_runs = 2000;                  ///< at most, to make the story of a failure short
  Duration shrink_time = std::chrono::minutes(1);  ///< the same, of the system's clock
  std::vector<std::size_t> story = {};             ///< only these steps of the first seed, by their numbers
  bool trace = false;                              ///< every step, every note and the log on standard error

  /// The same with what the environment says: KUBEXX_SIMULATION_SEED, _SEEDS, _STEPS, _SECONDS (the time limit, 0:
  /// none), _STORY (numbers with commas between) and _TRACE.
  SimulationOptions from_environment() const;
};

/// One seed at which something was wrong, and the shortest run found that shows it.
struct KUBEXX_EXPORT SimulationFailure {
  struct Line {
    std::size_t number = 0;  ///< of the step, counted from 1
    std::string what = {};
  };
  std::uint64_t seed = 0;
  std::string what = {};
  std::string details = {};
  std::vector<Line> story = {};
  std::size_t steps = 0;  ///< that the run had before it was made short
  std::size_t runs = 0;   ///< that making it short took
};

struct KUBEXX_EXPORT SimulationReport {
  std::uint64_t seeds = 0;   ///< that were run
  std::uint64_t digest = 0;  ///< of every note of all of them: equal for equal options
  std::size_t steps = 0;     ///< of each seed, as asked for
  std::optional<SimulationFailure> failure = {};

  explicit operator bool() const noexcept { return !failure; }
  /// The failure with its story, one step a line, and the settings that repeat it.
  std::string to_string() const;
};

/// Plays a scenario from one seed after the other. The first that fails is played again with fewer and fewer steps, as
/// long as it fails in the same way.
///
/// A run sets the process-wide Random, and with `trace` the log sink.
[[nodiscard]] KUBEXX_EXPORT SimulationReport simulate(const MakeScenario& make, const SimulationOptions& options = {});

template <class S>
[[nodiscard]] SimulationReport simulate(const SimulationOptions& options = {}) {
  return simulate([](Simulation& simulation) { return std::make_unique<S>(simulation); }, options);
}

}  // namespace kubexx::testkit
