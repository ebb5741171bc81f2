#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kubexx/controller/controller_core.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/election/shard_membership.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/simulation.hpp"

namespace kubexx::simulation {

inline const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
inline const meta::GroupVersionResource kSecrets{"", "v1", "secrets"};
inline const meta::GroupVersionResource kLeases{"coordination.k8s.io", "v1", "leases"};
inline constexpr const char* kLedger = "kube-public";  ///< the namespace in which leaders write

/// Watches over all replicas: no key is reconciled by two of them at once, none twice at once by one, and a reconcile
/// that fails is tried again no faster than its rate limiter allows.
class Reconciles {
 public:
  explicit Reconciles(testkit::Simulation& simulation) : simulation_(simulation) {}

  /// One reconcile, from its begin to its end.
  class Running {
   public:
    Running(Reconciles& all, const std::string& key, const std::string& replica, election::LeaderGuard guard);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    Reconciles& all_;
    const std::string key_;
    const std::uint64_t number_;
  };

  /// Reconciles of the key fail until then.
  void fail_until(const std::string& key, TimePoint until);
  bool must_fail(const std::string& key);
  /// Something made a replica look at the key again: a change that it was told of, or a share that it gained.
  void caused(const std::string& key) { ++causes_[key]; }
  /// Too many tries of a key, for what caused them; empty: none.
  std::string too_many() const;
  std::size_t total() const noexcept { return next_number_; }

 private:
  struct Entry {
    std::string replica;
    election::LeaderGuard guard;
  };
  testkit::Simulation& simulation_;
  std::map<std::string, std::map<std::uint64_t, Entry>> running_;
  std::uint64_t next_number_ = 0;
  std::map<std::string, TimePoint> failing_until_;
  std::map<std::string, std::uint64_t> failures_;
  std::map<std::string, std::uint64_t> causes_;
};

/// A program that stands for election, has a share of the keys, and gives every ConfigMap of its share a Secret with
/// the same contents. It is written as such programs are: its reconcile reads from caches and blocks in its writes.
class Replica {
 public:
  Replica(testkit::Simulation& simulation, Reconciles& reconciles, const std::string& name);
  ~Replica();

  const std::string& name() const noexcept { return program_->name(); }
  const std::shared_ptr<testkit::SimulatedProgram>& program() const noexcept { return program_; }
  /// One write into the ledger with the term's number, if it was ever told that it leads.
  void write_as_leader(std::uint64_t number);
  void relist() { maps_->relist(); }

  bool leads() const { return elector_->is_leader(); }
  bool owns(const std::string& key) const { return shards_->owns(key); }
  election::ShardSet owned() const { return shards_->owned(); }
  /// What its caches and its queue lack; empty: nothing.
  std::string unsettled() const;

 private:
  Result<controller::Action> reconcile(const meta::ObjectKey& key);
  Result<void> bring_in_line(const meta::ObjectKey& key, const rest::Client& client);
  void count_causes();

  testkit::Simulation& simulation_;
  Reconciles& reconciles_;
  std::shared_ptr<testkit::SimulatedProgram> program_;
  informer::DynamicSharedInformerFactory factory_;
  std::shared_ptr<informer::SharedIndexInformer> maps_;
  std::shared_ptr<informer::SharedIndexInformer> secrets_;
  election::LeaderGuard guard_;  // of the last term
  bool led_ = false;
  std::stop_source stop_;
  std::unique_ptr<controller::ControllerCore> controller_;
  std::unique_ptr<election::ShardMembership> shards_;
  const std::shared_ptr<bool> member_ = std::make_shared<bool>(true);  // until shards_ has gone
  std::unique_ptr<election::LeaderElector> elector_;
  informer::Registration seen_maps_;
  informer::Registration seen_secrets_;
};

}  // namespace kubexx::simulation
