#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "election/leader_lease.hpp"
#include "election/shard_ledger.hpp"
#include "kubexx/base/metrics.hpp"

namespace kubexx::election {

/// One replica's part of the protocol described at ShardMembership, on a strand. Each turn publishes (renews the own
/// lease, with the view it claims by), reads all leases, then decides:
///
///   what it owned and the new view gives to others is let go at once; when no work runs there, the new view is
///   published what its published view gives it, and no other living replica claims, becomes its own
class ShardMachine : public std::enable_shared_from_this<ShardMachine> {
 public:
  ShardMachine(rest::Client client, ShardOptions options, ShardCallbacks callbacks);

  // From any thread.
  void start();
  void leave(Task left);  ///< `left` runs on the strand when the lease is given back, or was never there
  void abandon();         ///< ends at once, on its strand; the lease runs out
  /// Runs when the callbacks asked for so far have returned.
  void after_callbacks(Task task) { notices_.post(std::move(task)); }
  const std::shared_ptr<ShardLedger>& ledger() const noexcept { return ledger_; }
  std::vector<std::string> members() const;

 private:
  using View = std::vector<std::string>;  // sorted
  /// Another replica, as its lease was last read.
  struct Other {
    std::string lease;
    std::string resource_version;
    std::string uid;
    LeaseRecord record;
    ShardSet claims;
    TimePoint observed;  // when this state was first seen, by the local clock
  };

  void request(rest::Request request, UniqueFunction<void(ShardMachine&, Result<rest::Response>)> done);
  void turn();
  void publish();
  void read_own();
  void published(const meta::Object& lease, View view, TimePoint began, WallTime began_wall);
  void read_all();
  void observe(const std::vector<meta::Object>& leases);
  void decide();
  void own(const ShardSet& slots);
  void turn_failed(const Error& error, const char* doing);
  void next_turn_after(Duration delay);
  void guard_ended();
  void give_back();
  void sweep();
  void end();
  bool alive(const Other& other) const;
  bool released(const Other& other) const { return other.record.holder.empty(); }
  std::string lease_name() const { return options_.group + "-" + options_.identity; }

  const rest::Client client_;
  const ShardOptions options_;
  const ShardCallbacks callbacks_;
  const std::shared_ptr<ShardLedger> ledger_ = std::make_shared<ShardLedger>();
  const Strand strand_;
  const Strand notices_;

  // The strand's.
  LeaseCall call_;
  LeaseCall sweep_call_;
  Timer turn_timer_;
  Timer guard_timer_;
  meta::Object lease_;  // our own, as last written; null: not known
  View published_;      // the view others may act upon
  View next_;           // what the next publication says
  std::map<std::string, Other> others_;
  ShardSet owned_;
  std::shared_ptr<LeaderGuard::Impl> guard_;
  bool leaving_ = false;
  bool ended_ = false;
  Task left_;

  mutable std::mutex mutex_;
  View members_;  // guarded by mutex_

  Gauge owned_gauge_;
};

}  // namespace kubexx::election
