#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/election/leader_guard.hpp"
#include "kubexx/election/shard_set.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::election {

struct ShardLedger;  // src/election/shard_ledger.hpp

/// Which group of replicas, under which name, and how quickly one is missed.
struct KUBEXX_EXPORT ShardOptions {
  std::string namespace_ = "default";
  std::string group{};     ///< the replicas that share the work; a label value and the beginning of Lease names
  std::string identity{};  ///< of this replica, as a name ("widget-7c9f-x2x1p"); no two may share one

  /// As in LeaderElectionOptions, with the same rules.
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);

  /// An Error for what cannot be.
  Result<void> validate() const;
};

/// Run on the client's executor for handlers, one at a time, in order. Absent ones are not called.
struct ShardCallbacks {
  std::function<void(const ShardSet& keys)> on_gained{};  ///< look at everything in there
  std::function<void(const ShardSet& keys)> on_lost{};    ///< nothing new begins there; running work is waited for
};

/// The right to work on one key; empty when this replica does not own it. While it lives the key stays here, unless the
/// replica could not renew its lease: then guard() has ended. Destroy it before the membership's client.
class KUBEXX_EXPORT ShardWork {
 public:
  ShardWork() = default;
  ShardWork(ShardWork&& other) noexcept;
  ShardWork& operator=(ShardWork&& other) noexcept;
  ~ShardWork();
  explicit operator bool() const noexcept { return ledger_ != nullptr; }
  /// Writes for the key go through `guard().guarded(client)`.
  const LeaderGuard& guard() const noexcept { return guard_; }

 private:
  friend class ShardMembership;
  friend struct ShardLedger;
  ShardWork(std::shared_ptr<ShardLedger> ledger, std::size_t slot, LeaderGuard guard);
  void finish() noexcept;
  std::shared_ptr<ShardLedger> ledger_;
  std::size_t slot_ = 0;
  LeaderGuard guard_;
};

/// Divides keys over the replicas of a group: each key is owned by at most one of them at any time, and by one again
/// soon after a replica came, left or died.
///
/// Each replica renews a Lease of its own. In it stands the view, the list of replicas, by which it currently claims
/// its share of the keys (ShardSet::share_of). A replica that sees the group change first lets go: it starts no work on
/// the keys it will lose and waits for what runs. Then it writes the new view; then it reads all leases, and takes of
/// its new share what no other replica claims. Because everybody writes before reading, two replicas cannot both find a
/// key unclaimed. The claim of a replica that stopped renewing counts until its lease has run out by the reader's own
/// clock, which is after its guard ended.
///
/// Threads: none of its own; a state machine on the client's executor. Members are safe from any thread.
/// Stop: leave(), or the destructor. A replica that leaves hands over at once; one that dies, when its lease runs out.
/// Errors: create() refuses bad options. Requests that fail are logged and tried again.
/// Example:
///
///     auto membership = election::ShardMembership::create(client, {.group = "shop", .identity = "shop-1"});
///     if (!membership) complain(membership.error());
///     (*membership)->start();
///     if (const auto mine = (*membership)->begin("default/web")) work(mine.guard().guarded(client));
///     (*membership)->leave(10s);
class KUBEXX_EXPORT ShardMembership {
 public:
  /// An Error where the options cannot be.
  static Result<std::unique_ptr<ShardMembership>> create(rest::Client client, ShardOptions options,
                                                         ShardCallbacks callbacks = {});
  /// Leaves, for at most renew_deadline, and waits until no callback runs; so not in one.
  ~ShardMembership();

  /// Joins the group.
  void start();
  /// Lets go of everything, waits for running work, gives the lease back. False: not in time; the lease runs out then.
  bool leave(Duration timeout);

  /// Whether the key is this replica's now.
  bool owns(std::string_view key) const;
  ShardWork begin(std::string_view key);
  /// All that is.
  ShardSet owned() const;
  std::vector<std::string> members() const;  ///< those this replica believes alive, sorted, itself included

 private:
  class Impl;
  explicit ShardMembership(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::election
