#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/base/async.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/election/leader_guard.hpp"
#include "kubexx/events/event_recorder.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::election {

struct LeaderElectionOptions {
  std::string namespace_ = "default";
  std::string name{};      ///< of the Lease
  std::string identity{};  ///< of this candidate; no two may share one

  /// How long others wait after the last renewal they saw. Written in whole seconds, rounded up.
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);  ///< how long the leader goes on after its last renewal
  Duration retry_period = std::chrono::seconds(2);     ///< between renewals, and (with jitter) between tries to lead

  bool release_on_stop = true;                                ///< others need not wait for the lease to run out
  std::vector<std::pair<std::string, std::string>> labels{};  ///< set on the Lease; others there stay
  events::EventRecorder recorder{};                           ///< told about every term
  Random* random = nullptr;

  /// lease_duration > renew_deadline > 1.2 * retry_period > 0, and names.
  Result<void> validate() const;
};

struct LeaderCallbacks {
  /// Does the leading work: should return soon after the guard's token fired. Runs on the client's executor for
  /// handlers, so renewals do not wait for it. The lease is given back after it returned, and the candidacy ends no
  /// earlier. One that only begins work and returns keeps the lease too, until stop: end that work first.
  std::function<void(LeaderGuard guard)> on_started_leading{};
  /// At the end of every candidacy, also of one that never led; on the executor for handlers. May start the next.
  std::function<void()> on_stopped_leading{};
  /// Whenever the holder changes, the first one seen and "" (nobody) included; on the executor for handlers, in order.
  std::function<void(const std::string& identity)> on_new_leader{};
};

/// Runs work in one of several programs at a time, decided by a Lease (coordination.k8s.io/v1).
///
/// A candidate compares its own clock readings only: how long the record has not changed since it first saw it so. The
/// leader renews every retry_period. When that fails for renew_deadline, its guard has run out (see LeaderGuard) and
/// the candidacy ends. A stopped leader fires the guard's token, goes on renewing until its work returned, then gives
/// the lease back.
///
/// Threads: none of its own; a state machine on the client's executor. Members are safe from any thread.
/// Stop: a candidacy ends when its token fires, after stop(), or with its term, once on_started_leading has returned;
/// start() then stands for election again. The destructor stops and blocks until the end: a program whose executor runs
/// on the same thread lets the candidacy end first.
/// Errors: create() refuses bad options. Requests that fail are logged and tried again.
///
/// Example:
///   elector->start(stop);
///   elector->ended_async().start([&](Result<void>) { ... });
class LeaderElector {
 public:
  static Result<std::unique_ptr<LeaderElector>> create(rest::Client client, LeaderElectionOptions options,
                                                       LeaderCallbacks callbacks);
  ~LeaderElector();

  /// Stands for election and returns at once. Throws std::logic_error while a candidacy is under way.
  void start(std::stop_token stop = {});
  void stop();  ///< as if the token had fired; no effect without a candidacy
  /// Completes when the candidacy has ended and on_stopped_leading has returned; soon, if there is none.
  Async<Result<void>> ended_async() const;
  /// start(), and blocks until that candidacy has ended.
  void run(std::stop_token stop);

  bool is_leader() const;
  std::string leader() const;  ///< who holds the lease, as far as is known; may be empty
  /// An Error while this program leads and could not renew for longer than the lease and the tolerance.
  Result<void> check(Duration tolerance) const;

 private:
  class Impl;
  explicit LeaderElector(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

/// The health of an elector that may be set later or never, for a program's liveness check: a leader that can neither
/// renew nor stop should be restarted.
class LeaderHealth {
 public:
  explicit LeaderHealth(Duration tolerance = std::chrono::seconds(20)) : tolerance_(tolerance) {}
  void watch(std::shared_ptr<const LeaderElector> elector);
  Result<void> check() const;  ///< healthy without an elector

 private:
  const Duration tolerance_;
  mutable std::mutex mutex_;
  std::shared_ptr<const LeaderElector> elector_;  // guarded by mutex_
};

}  // namespace kubexx::election
