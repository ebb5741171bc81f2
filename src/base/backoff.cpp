#include "kubexx/base/backoff.hpp"

#include <algorithm>
#include <cmath>

namespace kubexx {

namespace {

Duration to_duration(double nanoseconds) {
  // 2^63 is the first double above the range; anything near it is "forever" anyway.
  constexpr double kLimit = 9.2e18;
  if (!(nanoseconds > 0)) return Duration::zero();
  if (nanoseconds >= kLimit) return Duration::max();
  return Duration(static_cast<Duration::rep>(nanoseconds));
}

}  // namespace

Backoff Backoff::none() {
  Backoff policy;
  policy.initial = Duration::zero();
  policy.cap = Duration::zero();
  policy.jitter = 0;
  return policy;
}

BackoffTimer::BackoffTimer(Backoff policy, const Clock& clock, Random& random)
    : policy_(policy), clock_(&clock), random_(&random), last_step_(clock.now()) {}

Duration BackoffTimer::next() {
  const TimePoint now = clock_->now();
  if (policy_.reset_after > Duration::zero() && now - last_step_ >= policy_.reset_after) step_ = 0;
  last_step_ = now;

  double delay = static_cast<double>(policy_.initial.count()) * std::pow(policy_.factor, step_);
  if (policy_.cap > Duration::zero()) delay = std::min(delay, static_cast<double>(policy_.cap.count()));
  if (step_ < policy_.steps) ++step_;
  if (policy_.jitter > 0) delay += delay * policy_.jitter * random_->uniform();
  return to_duration(delay);
}

void BackoffTimer::reset() {
  step_ = 0;
}

}  // namespace kubexx
