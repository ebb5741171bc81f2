// How a term ends: lost, or its work done and the lease given back.
#include <algorithm>

#include "election/leader_machine.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::election {

/// From here on no guarded write leaves this process, and nobody is told that it leads.
void LeaderMachine::end_term(Phase next, std::string_view why) {
  const bool led = leading();
  phase_ = next;
  call_.cancel();
  round_timer_.cancel();
  deadline_timer_.cancel();
  if (!led) return;
  guard_->end();
  {
    const std::lock_guard lock(mutex_);
    renewed_.reset();
    status_.token.reset();
    status_.deadline.reset();
  }
  is_leader_gauge_.set(0);
  tell("stopped leading: ", why);
  tell_changed();
}

/// The guard's deadline has passed.
void LeaderMachine::ran_out() {
  const bool renewed = renewed_ && strand_.clock().now() < *renewed_ + options_.renew_deadline;
  overdue_ = stopping_ && renewed;
  lost(overdue_ ? "its work did not end in time" : "not renewed in time");
}

void LeaderMachine::lost(std::string_view why) {
  end_term(Phase::Lost, why);
  if (!working_) end();
}

void LeaderMachine::work_returned() {
  working_ = false;
  if (phase_ == Phase::Lost) return overdue_ ? release() : end();
  if (leading() && stopping_) release();
}

void LeaderMachine::release() {
  end_term(Phase::Releasing, "stopped");
  if (!options_.release_on_stop) return end();
  release_until_ = strand_.clock().now() + options_.renew_deadline;
  read_for_release();
}

/// The lease may have been written by a renewal whose answer never came: read it first.
void LeaderMachine::read_for_release() {
  const auto left = release_until_ - strand_.clock().now();
  if (left <= Duration::zero()) return end();
  request(lease_request("GET", options_.namespace_, options_.name), left,
          [](LeaderMachine& self, const Result<rest::Response>& answer) {
            const auto lease = answer ? answer->object() : Result<meta::Object>(answer.error());
            if (!lease) return lease.error().is_not_found() ? self.end() : self.release_failed(lease.error());
            self.observe(*lease);
            const bool another = self.guard_ && self.record_.transitions != self.guard_->token.transitions;
            if (another || self.record_.holder != self.options_.identity) return self.end();
            self.write_release();
          });
}

void LeaderMachine::write_release() {
  const auto now = meta::MicroTime::from_wall(strand_.clock().wall()).to_string();
  auto draft = lease_.edit();
  LeaseRecord{"", 1, now, now, record_.transitions}.write_to(draft);
  for (const auto& [key, value] : options_.annotations) draft["metadata"]["annotations"].erase(key);
  request(lease_request("PUT", options_.namespace_, options_.name, draft.to_object()),
          std::max(release_until_ - strand_.clock().now(), Duration(1)),
          [](LeaderMachine& self, const Result<rest::Response>& answer) {
            const auto lease = answer ? answer->object() : Result<meta::Object>(answer.error());
            if (!lease) return self.release_failed(lease.error());
            self.observe(*lease);
            self.end();
          });
}

void LeaderMachine::release_failed(const Error& error) {
  if (error.is_conflict()) return read_for_release();
  log(LogLevel::Warning, "lease not given back", {{"lease", title_}, {"error", error}});
  release_again_later();
}

void LeaderMachine::release_again_later() {
  round_timer_ = strand_.post_after(options_.retry_period, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->phase_ == Phase::Releasing) self->guarded([&] { self->read_for_release(); });
  });
}

void LeaderMachine::end() {
  phase_ = Phase::Ended;
  call_.cancel();
  round_timer_.cancel();
  deadline_timer_.cancel();
  {
    const std::lock_guard lock(mutex_);
    status_.standing = false;
    status_.stopping = false;
  }
  if (auto ended = std::exchange(ended_, nullptr)) insist([&] { ended(); });  // somebody waits for it
}

}  // namespace kubexx::election
