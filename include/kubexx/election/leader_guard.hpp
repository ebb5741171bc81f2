#pragma once

#include <memory>
#include <stop_token>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/election/fencing_token.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::election {

/// The right to act, for a limited time that is extended while the lease behind it is renewed. A handle: copies share
/// the right. A default one has none.
///
/// The deadline is the start of the last renewal that succeeded plus the renew deadline; whoever else wants the lease
/// waits the whole lease duration from a later moment. So the right ends before another can get it, whatever calendars
/// and time zones say; only clocks that run at different speeds could change that, by as much as the two durations
/// differ. A machine that was suspended is noticed by its calendar having moved further than its monotonic clock.
///
/// Threads: safe from any thread.
/// Stop: stop_token() fires when the right ends, or is going to.
/// Errors: a right that has ended is Canceled, in check() and as the answer to a guarded write.
/// Example:
///
///     election::LeaderCallbacks callbacks;
///     callbacks.on_started_leading = [](election::LeaderGuard guard) {
///       client::Api<corev1::ConfigMap> maps(guard.guarded(client), "default");  // writes end with the leadership
///       work(maps, guard.stop_token());
///     };
class KUBEXX_EXPORT LeaderGuard {
 public:
  LeaderGuard() = default;

  /// Fires when the right ends, and when the elector is stopped: then there is still time for last writes.
  std::stop_token stop_token() const;
  /// Of the executor's clock; moves on with every renewal, after a stop no further than its time for the work.
  TimePoint deadline() const;
  Result<void> check() const;  ///< Canceled when the right has ended; says which and why
  bool valid() const { return check().has_value(); }
  /// The same client, whose writes are refused with check()'s Error once the right has ended. The question is asked
  /// right before a request is sent, after waiting for rate limits, credentials and connections, and again for retries.
  rest::Client guarded(const rest::Client& client) const;
  /// Of this term, for systems outside Kubernetes; empty where no leader is elected (shards).
  FencingToken token() const;
  /// A part of the leading work that goes on when on_started_leading has returned: while somebody holds it, a leader
  /// that is stopped keeps the lease, and its candidacy has not ended. Null when no work is left, so ask for it while
  /// some is.
  std::shared_ptr<void> hold() const;

  struct Impl;  // src/election/leader_guard_impl.hpp
  explicit LeaderGuard(std::shared_ptr<Impl> impl);

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::election
