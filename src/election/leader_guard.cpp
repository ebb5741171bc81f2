#include "kubexx/election/leader_guard.hpp"

#include <algorithm>

#include "election/leader_guard_impl.hpp"

namespace kubexx::election {

void LeaderGuard::Impl::extend(TimePoint began, WallTime began_wall) {
  deadline_ = std::min((began + valid_for_).time_since_epoch().count(), limit_);
  wall_deadline_ = (began_wall + suspended_for_).time_since_epoch().count();
}

void LeaderGuard::Impl::limit(TimePoint until) {
  limit_ = until.time_since_epoch().count();
  deadline_ = std::min(deadline_.load(), limit_);
}

void LeaderGuard::Impl::end() {
  ended_ = true;
  stop.request_stop();
}

TimePoint LeaderGuard::Impl::deadline() const {
  return TimePoint(Duration(deadline_));
}

std::optional<Error> LeaderGuard::Impl::closed() const {
  if (ended_) return Error::canceled(what_ + " has ended: no more writes");
  const auto late = clock_->now().time_since_epoch().count() - deadline_;
  if (late >= 0) {
    return Error::canceled(what_ + " ran out (deadline passed " + std::to_string(late / 1'000'000) +
                           " ms ago): no more writes");
  }
  if (clock_->wall().time_since_epoch().count() >= wall_deadline_) {
    return Error::canceled(what_ + " is in doubt: the calendar jumped, or this machine was suspended");
  }
  return std::nullopt;
}

LeaderGuard::LeaderGuard(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

std::stop_token LeaderGuard::stop_token() const {
  return impl_ ? impl_->stop.get_token() : std::stop_token();
}

TimePoint LeaderGuard::deadline() const {
  return impl_ ? impl_->deadline() : TimePoint::min();
}

Result<void> LeaderGuard::check() const {
  if (!impl_) return Error::canceled("a guard that guards nothing");
  if (auto closed = impl_->closed()) return *closed;
  return {};
}

rest::Client LeaderGuard::guarded(const rest::Client& client) const {
  // A guard that guards nothing lets nothing pass.
  static const auto never = std::make_shared<Impl>(Clock::system(), "a default guard", Duration(0), Duration(0));
  return client.with_gate(impl_ ? impl_ : never);
}

FencingToken LeaderGuard::token() const {
  return impl_ ? impl_->token : FencingToken();
}

std::shared_ptr<void> LeaderGuard::hold() const {
  return impl_ ? impl_->work.lock() : nullptr;
}

}  // namespace kubexx::election
