#pragma once

#include <limits>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/random.hpp"

namespace kubexx {

/// How long to wait between tries. The defaults are those of client-go's reflector.
struct KUBEXX_EXPORT Backoff {
  Duration initial = std::chrono::milliseconds(800);
  double factor = 2.0;
  Duration cap = std::chrono::seconds(30);
  double jitter = 1.0;                             ///< a delay d becomes uniform in [d, d * (1 + jitter))
  Duration reset_after = std::chrono::minutes(2);  ///< back to `initial` after this long without a step; 0 = never
  int steps = std::numeric_limits<int>::max();     ///< growth stops after this many steps

  static Backoff none();  ///< no waiting at all, for tests
};

/// The running state of one Backoff.
///
/// Threads: not thread-safe: it belongs to one strand.
/// Errors: none; a delay that is too long to be said is Duration::max().
/// Example:
///
///     BackoffTimer backoff(Backoff{.initial = 100ms, .cap = 10s}, executor->clock());
///     executor->post_after(backoff.next(), [] { work(); });  // 100 to 200 ms, and next time twice as long
///     backoff.reset();
class KUBEXX_EXPORT BackoffTimer {
 public:
  BackoffTimer(Backoff policy, const Clock& clock, Random& random = Random::process());
  /// The next delay, longer than the one before until the cap; reset() begins anew.
  Duration next();
  void reset();

 private:
  Backoff policy_;
  const Clock* clock_;
  Random* random_;
  int step_ = 0;
  TimePoint last_step_;
};

}  // namespace kubexx
