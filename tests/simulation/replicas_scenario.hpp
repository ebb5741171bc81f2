#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kubexx/election/leader_observer.hpp"
#include "kubexx/testkit/simulation.hpp"
#include "simulation/replica.hpp"

namespace kubexx::simulation {

/// Up to four replicas that elect a leader, share the keys, and reconcile; they start, end, die and are stopped for a
/// while. Somebody writes, removes and spoils what they look after.
///
/// Always: one leads at most, no key is owned or reconciled by two, no guarded write comes after one of a later term.
/// At quiet points: one leads and the observer knows it, every key has one owner, everything is in line, caches have
/// what the server has, and queues are empty.
class ReplicasScenario : public testkit::Scenario {
 public:
  explicit ReplicasScenario(testkit::Simulation& simulation);
  ~ReplicasScenario() override;

  std::vector<testkit::SimulationStep> steps() override;
  std::string violated() override;
  void heal() override;
  std::string unsettled() override;

 private:
  void write(Random& random);
  void spoil(Random& random);
  void fail_a_key(Random& random);
  void start(Random& random);
  void start(const std::string& name);
  void end(Random& random);
  void kill(Random& random);
  Replica* pick(Random& random);
  std::string mixed_terms() const;
  std::map<std::uint64_t, election::FencingToken> ledger() const;  ///< the terms of guarded writes, by version
  void forget_ledger();
  std::string wrong_leader() const;
  std::string wrong_shares() const;
  std::string out_of_line() const;

  testkit::Simulation& simulation_;
  Reconciles reconciles_{simulation_};
  std::shared_ptr<testkit::SimulatedProgram> watcher_;
  std::unique_ptr<election::LeaderObserver> observer_;
  std::vector<std::shared_ptr<Replica>> replicas_;
  std::vector<std::weak_ptr<Replica>> dead_;
  std::uint64_t writes_ = 0;
  std::uint64_t entries_ = 0;              // of the ledger
  election::FencingToken forgotten_term_;  // the last of those that are no longer in it
};

}  // namespace kubexx::simulation
