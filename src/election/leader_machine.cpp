#include "election/leader_machine.hpp"

#include <algorithm>

#include "base/internal/deadline.hpp"
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

void LeaderMachine::start(Task ended, std::function<void()> changed) {
  {
    const std::lock_guard lock(mutex_);
    status_.standing = true;
  }
  strand_.post([self = shared_from_this(), ended = std::move(ended), changed = std::move(changed)]() mutable {
    self->ended_ = std::move(ended);
    self->changed_ = std::move(changed);
    if (self->stopping_) return self->end();
    self->phase_ = Phase::Acquiring;
    self->guarded([&] { self->round(); });
  });
}

void LeaderMachine::stop() {
  strand_.post([self = shared_from_this()] {
    if (std::exchange(self->stopping_, true) || self->phase_ == Phase::Ended) return;
    self->guarded([&] { self->stopped(); });
  });
}

void LeaderMachine::stopped() {
  {
    const std::lock_guard lock(mutex_);
    status_.stopping = true;
  }
  tell_changed();
  if (phase_ == Phase::Acquiring) return writing_ ? release() : end();
  if (phase_ != Phase::Leading) return;
  if (const auto& limit = options_.stop_timeout) {
    guard_->limit(kubexx::detail::after(strand_.clock().now(), *limit));
    await_deadline();
  }
  guard_->stop.request_stop();  // the lease is renewed on until the work has returned
  if (!working_) release();
}

/// A step was left in the middle. Whether a request of it went out is not known: the next round looks.
void LeaderMachine::recover() {
  call_.cancel();
  round_timer_.cancel();
  switch (phase_) {
    case Phase::Acquiring:
      if (!stopping_) return round_ended();
      return writing_ ? release() : end();
    case Phase::Leading:
      if (strand_.clock().now() >= guard_->deadline()) return ran_out();  // its timer does not come again
      if (stopping_) guard_->stop.request_stop();
      return stopping_ && !working_ ? release() : round_ended();
    case Phase::Lost:
      if (!working_) end();
      return;
    case Phase::Releasing:
      return release_again_later();
    default:
      return;
  }
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
                const auto self = weak.lock();
                if (self) self->guarded([&] { done(*self, std::move(answer)); });
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
  if (leading() && record_.transitions != guard_->token.transitions) return lost("taken by another of this name");
  if (others && observed_ + record_.duration(options_.lease_duration) > strand_.clock().now()) return round_ended();
  write();
}

/// What this candidate writes next. A term that begins gets a number of its own, also after one of the same identity,
/// and when the Lease was deleted meanwhile: fencing tokens are told apart by it.
LeaseRecord LeaderMachine::next_record(const std::string& now) const {
  auto next = record_;
  if (!leading()) {
    next.acquired = now;
    if (lease_) ++next.transitions;
  }
  next.holder = options_.identity;
  next.duration_seconds = whole_seconds(options_.lease_duration);
  next.renewed = now;
  return next;
}

void LeaderMachine::mark(meta::Draft& lease) const {
  for (const auto& [key, value] : options_.labels) lease["metadata"]["labels"][key].set(value);
  for (const auto& [key, value] : options_.annotations) lease["metadata"]["annotations"][key].set(value);
}

void LeaderMachine::create() {
  const auto began = strand_.clock().now();
  const auto began_wall = strand_.clock().wall();
  auto lease = new_lease(options_.namespace_, options_.name);
  mark(lease);
  next_record(meta::MicroTime::from_wall(began_wall).to_string()).write_to(lease);
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
  auto lease = lease_.edit();
  mark(lease);
  next_record(meta::MicroTime::from_wall(began_wall).to_string()).write_to(lease);
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
  const bool begins = !leading();
  if (begins) begin_term(*lease);
  guard_->extend(began, began_wall);
  {
    const std::lock_guard lock(mutex_);
    renewed_ = began;
    status_.token = guard_->token;
  }
  await_deadline();
  if (begins) lead();
  round_ended();
}

void LeaderMachine::begin_term(const meta::Object& lease) {
  guard_ = std::make_shared<LeaderGuard::Impl>(
      strand_.clock(), title_, options_.renew_deadline,
      options_.renew_deadline + (options_.lease_duration - options_.renew_deadline) / 2,
      FencingToken{record_.transitions, std::string(lease.resource_version())});
}

void LeaderMachine::await_deadline() {
  {
    const std::lock_guard lock(mutex_);
    status_.deadline = guard_->deadline();
  }
  deadline_timer_.cancel();
  deadline_timer_ = strand_.post_after(guard_->deadline() - strand_.clock().now(), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->leading()) self->guarded([&] { self->ran_out(); });
  });
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
    if (const auto self = weak.lock()) self->guarded([&] { self->round(); });
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
    status_.holder = record_.holder;
    status_.transitions = record_.transitions;
  }
  tell_changed();
  if (reported_ == record_.holder) return;
  reported_ = record_.holder;
  if (!callbacks_.on_new_leader) return;
  notices_.post([self = shared_from_this(), holder = record_.holder] {
    call_isolated("on_new_leader", [&] { self->callbacks_.on_new_leader(holder); });
  });
}

/// Gone when the callback has returned and nobody holds a part of the work.
struct LeaderMachine::Work {
  explicit Work(std::shared_ptr<LeaderMachine> of) : machine(std::move(of)) {}
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() {
    const auto& strand = machine->strand_;
    strand.post([self = machine] { self->guarded([&] { self->work_returned(); }); });
  }
  const std::shared_ptr<LeaderMachine> machine;
};

void LeaderMachine::lead() {
  auto work = std::make_shared<Work>(shared_from_this());  // first: what throws here leaves a candidate
  phase_ = Phase::Leading;
  working_ = true;
  is_leader_gauge_.set(1);
  tell("became leader");
  tell_changed();
  guard_->work = work;
  client_.handlers()->post([self = shared_from_this(), guard = LeaderGuard(guard_), work = std::move(work)] {
    call_isolated("on_started_leading", [&] { self->callbacks_.on_started_leading(guard); });
  });
}

void LeaderMachine::tell_changed() const {
  if (changed_) changed_();
}

void LeaderMachine::tell(std::string_view what, std::string_view why) {
  call_isolated("leader election", [&] {  // for want of words nobody stops
    const auto said = std::string(what).append(why);
    log(LogLevel::Info, said, {{"identity", options_.identity}, {"lease", title_}});
    options_.recorder.event(lease_, "Normal", "LeaderElection", options_.identity + " " + said);
  });
}

bool LeaderMachine::is_leader() const {
  return status().leading;
}

std::string LeaderMachine::leader() const {
  return status().holder;
}

ElectionStatus LeaderMachine::status() const {
  const std::lock_guard lock(mutex_);
  auto now = status_;
  now.leading = now.deadline && strand_.clock().now() < *now.deadline;
  return now;
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
