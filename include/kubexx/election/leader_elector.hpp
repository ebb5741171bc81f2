#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/base/async.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/election/fencing_token.hpp"
#include "kubexx/election/leader_guard.hpp"
#include "kubexx/election/wait_options.hpp"
#include "kubexx/events/event_recorder.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::election {

/// Which Lease, under which name, and how quickly a leader is missed.
struct KUBEXX_EXPORT LeaderElectionOptions {
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

  /// Of this candidate, such as the address at which it serves: on the Lease while it holds it, taken away when it
  /// gives it back. Others there stay, so all candidates of a Lease should have the same keys.
  std::vector<std::pair<std::string, std::string>> annotations{};
  /// How long a stopped leader's work may go on, and no guarded write passes after it; absent: as long as it takes.
  /// The lease of one that takes longer is not renewed any more, and given back when the work has ended after all.
  std::optional<Duration> stop_timeout{};

  /// lease_duration > renew_deadline > 1.2 * retry_period > 0, no negative stop_timeout, and names.
  Result<void> validate() const;
};

/// What is called when a term begins and ends, and when somebody else leads.
struct LeaderCallbacks {
  /// Does the leading work: should return soon after the guard's token fired. Runs on the client's executor for
  /// handlers, so renewals do not wait for it. The lease is given back after it returned, and the candidacy ends no
  /// earlier. One that only begins work and returns keeps the lease too, until stop; with LeaderGuard::hold() it is
  /// given back no earlier than that work has ended.
  std::function<void(LeaderGuard guard)> on_started_leading{};
  /// At the end of every candidacy, also of one that never led; on the executor for handlers. May start the next.
  std::function<void()> on_stopped_leading{};
  /// Whenever the holder changes, the first one seen and "" (nobody) included; on the executor for handlers, in order.
  std::function<void(const std::string& identity)> on_new_leader{};
};

/// An election as one candidate sees it, at one moment.
struct ElectionStatus {
  bool standing = false;                   ///< a candidacy is under way
  bool leading = false;                    ///< as is_leader()
  bool stopping = false;                   ///< told to stop: its work is ending, or the lease is given back
  std::string holder = {};                 ///< as leader()
  std::int64_t transitions = 0;            ///< of the Lease as last seen
  std::optional<FencingToken> token = {};  ///< of this candidate's term, while it leads
  std::optional<TimePoint> deadline = {};  ///< of its guard, while it leads
};

/// Runs work in one of several programs at a time, decided by a Lease (coordination.k8s.io/v1).
///
/// A candidate compares its own clock readings only: how long the record has not changed since it first saw it so. The
/// leader renews every retry_period. When that fails for renew_deadline, its guard has run out (see LeaderGuard) and
/// the candidacy ends. A stopped leader fires the guard's token, goes on renewing until its work returned (for
/// stop_timeout at most), then gives the lease back. Each term has a FencingToken, newer than those before.
///
/// A program may stand in several elections: an elector for each Lease, with one client. What it needs when its term
/// begins, informers for example, may run before: a warm standby (examples/leader_service).
///
/// Threads: none of its own; a state machine on the client's executor, which also asks the conditions waited for.
/// Members are safe from any thread.
/// Stop: a candidacy ends when its token fires, after stop(), or with its term, once on_started_leading has returned;
/// start() then stands for election again. The destructor stops and blocks until the end: a program whose executor runs
/// on the same thread lets the candidacy end first.
/// Errors: create() refuses bad options. Requests that fail are logged and tried again.
/// Example:
///
///     auto elector = election::LeaderElector::create(
///         client, {.name = "shop", .identity = "shop-1"},
///         {.on_started_leading = [](election::LeaderGuard guard) { work(guard.stop_token()); }});
///     if (!elector) complain(elector.error());
///     (*elector)->start(stop);
///     auto leading = (*elector)->wait_until([](const auto& now) { return now.leading; }, {.stop = stop});
///     if (leading) greet("the term", leading->token->to_string());
///     (*elector)->ended_async().start([](const Result<void>&) { greet("the candidacy is over"); });
class KUBEXX_EXPORT LeaderElector {
 public:
  /// An Error where the options cannot be.
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

  /// How the candidacy stands.
  ElectionStatus status() const;
  /// Until the condition is true of status(), also from before the start. It is asked when something changes (not when
  /// time passes), on the client's executor, and must not block. Canceled too when the candidacy ends without.
  Async<Result<ElectionStatus>> until_async(std::function<bool(const ElectionStatus&)> condition,
                                            ElectionWaitOptions options = {}) const;
  Result<ElectionStatus> wait_until(std::function<bool(const ElectionStatus&)> condition,
                                    ElectionWaitOptions options = {}) const;
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
class KUBEXX_EXPORT LeaderHealth {
 public:
  explicit LeaderHealth(Duration tolerance = std::chrono::seconds(20)) : tolerance_(tolerance) {}
  /// Asks this one from now on.
  void watch(std::shared_ptr<const LeaderElector> elector);
  Result<void> check() const;  ///< healthy without an elector

 private:
  const Duration tolerance_;
  mutable std::mutex mutex_;
  std::shared_ptr<const LeaderElector> elector_;  // guarded by mutex_
};

}  // namespace kubexx::election
