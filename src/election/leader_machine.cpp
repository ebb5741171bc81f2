#include "election/leader_machine.hpp"

#include <algorithm>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::election {
LeaderMachine::LeaderMachine(rest::Client client, LeaderElectionOptions options, LeaderCallbacks callbacks)
    : client_(std::move(client)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      random_(options_.random ? *options_.random : Random::process()),
      title_("leadership of " + options_.namespace_ + "/" + options_.name),
      strand_(client_.executor()),
      notices_(client_.handlers()),
      call_(client_, strand_),
      is_leader_gauge_(client_.metrics()->gauge("kubexx_leader", "1 while this process holds the lease",
                                                {{"lease", options_.namespace_ + "/" + options_.name}})) {}

void LeaderMachine::start(Task ended) {
  strand_.post([self = shared_from_this(), ended = std::move(ended)]() mutable {
    self->ended_ = std::move(ended);
    if (self->stopping_) return self->end();
    self->phase_ = Phase::Acquiring;
    self->round();
  });
}

void LeaderMachine::stop() {
  strand_.post([self = shared_from_this()] {
    if (std::exchange(self->stopping_, true)) return;
    if (self->phase_ == Phase::Acquiring) return self->writing_ ? self->release() : self->end();
    if (self->phase_ != Phase::Leading) return;
    self->guard_->stop.request_stop();  // the lease is renewed on until the work has returned
    if (!self->working_) self->release();
  });
}

Duration LeaderMachine::request_timeout() const {
  auto limit = options_.renew_deadline / 2;
  if (leading()) limit = std::min(limit, guard_->deadline() - strand_.clock().now());
  return std::max(limit, Duration(1));
}

void LeaderMachine::round() {
  if (phase_ != Phase::Acquiring && phase_ != Phase::Leading) return;
  // A leader knows what it wrote last: without a conflict one request renews.
  if (leading()) return write();
  look();
}

void LeaderMachine::request(rest::Request request, Duration timeout,
                            UniqueFunction<void(LeaderMachine&, Result<rest::Response>)> done) {
  call_.start(std::move(request), timeout,
              [weak = weak_from_this(), done = std::move(done)](Result<rest::Response> answer) mutable {
                if (const auto self = weak.lock()) done(*self, std::move(answer));
              });
}

void LeaderMachine::look() {
  request(lease_request("GET", options_.namespace_, options_.name), request_timeout(),
          [](LeaderMachine& self, Result<rest::Response> answer) { self.looked(std::move(answer)); });
}

void LeaderMachine::looked(Result<rest::Response> answer) {
  if (!answer && answer.error().is_not_found()) return create();
  if (!answer) return round_failed(answer.error(), "read");
  const auto lease = answer->object();
  if (!lease) return round_failed(lease.error(), "read");
  observe(*lease);
  const bool others = !record_.holder.empty() && record_.holder != options_.identity;
  if (leading() && record_.holder != options_.identity) {
    return lost(others ? "taken by " + record_.holder : "given away");
  }
  if (others && observed_ + record_.duration(options_.lease_duration) > strand_.clock().now()) return round_ended();
  write();
}

void LeaderMachine::create() {
  const auto began = strand_.clock().now();
  const auto began_wall = strand_.clock().wall();
  const auto now = meta::MicroTime::from_wall(began_wall).to_string();
  auto lease = new_lease(options_.namespace_, options_.name);
  for (const auto& [key, value] : options_.labels) lease["metadata"]["labels"][key].set(value);
  LeaseRecord{options_.identity, whole_seconds(options_.lease_duration), now, now, 0}.write_to(lease);
  writing_ = true;
  request(lease_request("POST", options_.namespace_, {}, lease.to_object()), request_timeout(),
          [=](LeaderMachine& self, const Result<rest::Response>& answer) {
            self.written(answer, began, began_wall, false);
          });
}

/// Takes or renews the lease as last seen. A leader whose write fails looks once what happened.
void LeaderMachine::write() {
  const auto began = strand_.clock().now();
  const auto began_wall = strand_.clock().wall();
  const auto now = meta::MicroTime::from_wall(began_wall).to_string();
  auto next = record_;
  if (record_.holder != options_.identity) {
    next.acquired = now;
    ++next.transitions;
  }
  next.holder = options_.identity;
  next.duration_seconds = whole_seconds(options_.lease_duration);
  next.renewed = now;
  auto lease = lease_.edit();
  for (const auto& [key, value] : options_.labels) lease["metadata"]["labels"][key].set(value);
  next.write_to(lease);
  writing_ = true;
  request(lease_request("PUT", options_.namespace_, options_.name, lease.to_object()), request_timeout(),
          [=](LeaderMachine& self, const Result<rest::Response>& answer) {
            self.written(answer, began, began_wall, true);
          });
}

void LeaderMachine::written(const Result<rest::Response>& answer, TimePoint began, WallTime began_wall,
                            bool look_on_conflict) {
  writing_ = false;
  auto lease = answer ? answer->object() : Result<meta::Object>(answer.error());
  if (!lease) {
    // A leader's lease was changed, or is gone: see at once who holds it. Other failures wait for the next round.
    const bool changed = lease.error().is_conflict() || lease.error().is_not_found();
    if (leading() && look_on_conflict && changed && !std::exchange(looked_after_conflict_, true)) return look();
    return round_failed(lease.error(), "write");
  }
  looked_after_conflict_ = false;
  observe(*lease);
  if (!leading()) {
    guard_ = std::make_shared<LeaderGuard::Impl>(
        strand_.clock(), title_, options_.renew_deadline,
        options_.renew_deadline + (options_.lease_duration - options_.renew_deadline) / 2);
  }
  guard_->extend(began, began_wall);
  {
    const std::lock_guard lock(mutex_);
    renewed_ = began;
  }
  deadline_timer_.cancel();
  deadline_timer_ = strand_.post_after(guard_->deadline() - strand_.clock().now(), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->leading()) self->lost("not renewed in time");
  });
  if (!leading()) lead();
  round_ended();
}

void LeaderMachine::round_failed(const Error& error, const char* doing) {
  log(LogLevel::Warning, "lease not available", {{"lease", title_}, {"doing", doing}, {"error", error}});
  round_ended();
}

void LeaderMachine::round_ended() {
  looked_after_conflict_ = false;
  if (leading()) return next_round_after(options_.retry_period);
  const auto scale = 1 + random_.uniform() * kRetryJitter;
  next_round_after(Duration(static_cast<Duration::rep>(scale * static_cast<double>(options_.retry_period.count()))));
}

void LeaderMachine::next_round_after(Duration delay) {
  round_timer_ = strand_.post_after(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->round();
  });
}

void LeaderMachine::observe(const meta::Object& lease) {
  lease_ = lease;
  auto record = LeaseRecord::of(lease);
  if (record != record_ || !reported_) {
    record_ = std::move(record);
    observed_ = strand_.clock().now();
  }
  {
    const std::lock_guard lock(mutex_);
    holder_ = record_.holder;
  }
  if (reported_ == record_.holder) return;
  reported_ = record_.holder;
  if (!callbacks_.on_new_leader) return;
  notices_.post([self = shared_from_this(), holder = record_.holder] {
    call_isolated("on_new_leader", [&] { self->callbacks_.on_new_leader(holder); });
  });
}

void LeaderMachine::lead() {
  phase_ = Phase::Leading;
  working_ = true;
  is_leader_gauge_.set(1);
  tell("became leader");
  client_.handlers()->post([self = shared_from_this(), guard = LeaderGuard(guard_)] {
    call_isolated("on_started_leading", [&] { self->callbacks_.on_started_leading(guard); });
    self->strand_.post([self] { self->work_returned(); });
  });
}

void LeaderMachine::tell(const std::string& what) {
  log(LogLevel::Info, what, {{"identity", options_.identity}, {"lease", title_}});
  options_.recorder.event(lease_, "Normal", "LeaderElection", options_.identity + " " + what);
}

/// From here on no guarded write leaves this process, and nobody is told that it leads.
void LeaderMachine::end_term(Phase next, const std::string& why) {
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
  }
  is_leader_gauge_.set(0);
  tell("stopped leading: " + why);
}

void LeaderMachine::lost(const std::string& why) {
  end_term(Phase::Lost, why);
  if (!working_) end();
}

void LeaderMachine::work_returned() {
  working_ = false;
  if (phase_ == Phase::Lost) return end();
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
            if (self.record_.holder != self.options_.identity) return self.end();
            self.write_release();
          });
}

void LeaderMachine::write_release() {
  const auto now = meta::MicroTime::from_wall(strand_.clock().wall()).to_string();
  auto draft = lease_.edit();
  LeaseRecord{"", 1, now, now, record_.transitions}.write_to(draft);
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
  round_timer_ = strand_.post_after(options_.retry_period, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->phase_ == Phase::Releasing) self->read_for_release();
  });
}

void LeaderMachine::end() {
  phase_ = Phase::Ended;
  call_.cancel();
  round_timer_.cancel();
  deadline_timer_.cancel();
  if (auto ended = std::exchange(ended_, nullptr)) ended();
}

bool LeaderMachine::is_leader() const {
  const std::lock_guard lock(mutex_);
  return renewed_ && strand_.clock().now() < *renewed_ + options_.renew_deadline;
}

std::string LeaderMachine::leader() const {
  const std::lock_guard lock(mutex_);
  return holder_;
}

Result<void> LeaderMachine::check(Duration tolerance) const {
  const std::lock_guard lock(mutex_);
  if (!renewed_) return {};
  const auto age = strand_.clock().now() - *renewed_;
  if (age <= options_.lease_duration + tolerance) return {};
  return Error::timeout(title_ + " was renewed " +
                        std::to_string(std::chrono::duration_cast<std::chrono::seconds>(age).count()) + " s ago");
}

}  // namespace kubexx::election
