#pragma once

#include <atomic>
#include <string>

#include "kubexx/election/leader_guard.hpp"

namespace kubexx::election {

/// What an elector extends and ends, and what the transport asks.
struct KUBEXX_HIDDEN LeaderGuard::Impl final : transport::SendGate {
  /// `what` is named in errors: "leadership of default/widget".
  Impl(const Clock& clock, std::string what, Duration valid_for, Duration suspended_for, FencingToken token_ = {})
      : token(std::move(token_)),
        clock_(&clock),
        what_(std::move(what)),
        valid_for_(valid_for),
        suspended_for_(suspended_for) {}

  /// A renewal that began then has succeeded.
  void extend(TimePoint began, WallTime began_wall);
  void limit(TimePoint until);  ///< no renewal extends it further
  void end();                   ///< for good
  std::optional<Error> closed() const override;
  TimePoint deadline() const;

  std::stop_source stop;
  const FencingToken token;
  std::weak_ptr<void> work;  // set before anybody has the guard

 private:
  const Clock* clock_;
  const std::string what_;
  const Duration valid_for_;
  const Duration suspended_for_;                                       // by the calendar
  Duration::rep limit_ = TimePoint::max().time_since_epoch().count();  // of whoever extends
  std::atomic<Duration::rep> deadline_{0};
  std::atomic<Duration::rep> wall_deadline_{0};
  std::atomic<bool> ended_{false};
};

}  // namespace kubexx::election
