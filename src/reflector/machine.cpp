#include "reflector/machine.hpp"

#include <algorithm>

#include "kubexx/base/log.hpp"

namespace kubexx::reflector {
namespace {

constexpr Duration kLongestAskedWait = std::chrono::minutes(10);  // a server that says "in a year" means no year
constexpr std::uint64_t kWatchesBeforeList = 5;                   // of a version that is not confirmed
constexpr Duration kLeastResume = std::chrono::milliseconds(250);
constexpr Duration kLongestResume = std::chrono::milliseconds(500);  // and up to as much again, by chance

/// It did not answer, or somebody else did in its place.
bool is_away(const Error& error) {
  if (error.is_too_large_resource_version()) return false;
  return error.kind() == ErrorKind::Transport || error.kind() == ErrorKind::Timeout || error.code() >= 500;
}

/// Never longer than the backoff that was asked for.
Backoff resume_policy(const Backoff& asked) {
  Backoff policy;
  policy.initial = std::min(kLeastResume, asked.initial);
  policy.cap = asked.cap > Duration::zero() ? std::min(kLongestResume, asked.cap) : kLongestResume;
  policy.jitter = std::min(asked.jitter, 1.0);
  return policy;
}

}  // namespace

/// Hands what a call brings to the machine, while the machine waits for it.
class Reflector::Impl::Incoming final : public meta::StreamSink {
 public:
  Incoming(std::weak_ptr<Reflector> reflector, std::uint64_t made_in, End end)
      : reflector_(std::move(reflector)), made_in_(made_in), end_(end) {}
  void on_open() override {
    in_generation(reflector_, made_in_, [](Impl& machine) { machine.stream_opened(); });
  }
  void on_item(meta::Object item) override {
    in_generation(reflector_, made_in_, [&](Impl& machine) { machine.list_item(std::move(item)); });
  }
  void on_event(meta::WatchEvent event) override {
    in_generation(reflector_, made_in_, [&](Impl& machine) { machine.stream_event(std::move(event)); });
  }
  bool has_known() const override {
    const auto alive = reflector_.lock();
    return alive && alive->impl_->generation == made_in_ && alive->impl_->may_reuse();
  }
  meta::Object find_known(const meta::ItemIdentity& identity) const override {
    meta::Object known;
    in_generation(reflector_, made_in_, [&](Impl& machine) {
      known = machine.options.owner->find_known(identity);
      if (known) machine.versions.reused = true;
    });
    return known;
  }
  void on_bytes(std::size_t received) override {
    in_generation(reflector_, made_in_, [&](Impl& machine) { machine.count_bytes(received); });
  }
  void on_end(Result<meta::ListMeta> end) override {
    in_generation(reflector_, made_in_, [&](Impl& machine) { end_(machine, end); });
  }

 private:
  const std::weak_ptr<Reflector> reflector_;
  const std::uint64_t made_in_;
  const End end_;
};

Reflector::Impl::Impl(std::shared_ptr<ListerWatcher> source_in, std::shared_ptr<DeltaSink> sink_in, Strand strand_in,
                      ReflectorOptions options_in)
    : source(std::move(source_in)),
      sink(std::move(sink_in)),
      strand(std::move(strand_in)),
      options(std::move(options_in)),
      random(options.random ? *options.random : Random::process()),
      backoff(options.backoff, strand.clock(), random),
      watches(BackoffTimer(resume_policy(options.backoff), strand.clock(), random)) {
  if (options.metrics) {
    const MetricLabels labels{{"informer", options.name}, {"resource", options.type_description}};
    lists_counter = options.metrics->counter("kubexx_reflector_lists_total", "Lists begun", labels);
    bytes_counter = options.metrics->counter("kubexx_reflector_received_bytes_total",
                                             "Bytes of lists and watches received", labels);
    watches_counter = options.metrics->counter("kubexx_reflector_watches_total", "Watches begun", labels);
    events_counter = options.metrics->counter("kubexx_reflector_events_total", "Watch events received", labels);
    skipped_counter = options.metrics->counter("kubexx_reflector_skipped_events_total",
                                               "Objects of another kind or without metadata", labels);
  }
}

void Reflector::Impl::begin() {
  if (!std::holds_alternative<Idle>(state)) return;
  guarded([this] { options.resume_from.empty() ? round() : resume(); });
}

/// Goes on where an earlier run ended.
void Reflector::Impl::resume() {
  const auto now = strand.clock().now();
  set_version(options.resume_from);
  versions.unconfirmed = true;
  due.resync = detail::after(now, options.resync_period);
  due.verify = detail::after(now, options.verify_every);
  if (!source->supports_watch()) return round();
  {
    const std::lock_guard lock(mutex);
    ++seldom.attempts;
  }
  start_watch();
}

/// The server knows the version that we went on from.
void Reflector::Impl::confirm() {
  if (!std::exchange(versions.unconfirmed, false)) return;
  sink->confirm();
  last_activity.store(strand.clock().now().time_since_epoch().count(), std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex);
    seldom.synced_once = true;
    seldom.last_error.reset();
    seldom.attempts = 0;
  }
  changed();
}

void Reflector::Impl::halt() {
  if (!std::holds_alternative<Stopped>(state)) enter(Stopped{});
}

void Reflector::Impl::relist() {
  if (std::holds_alternative<Idle>(state)) options.resume_from.clear();  // it will begin with a list
  if (std::holds_alternative<Idle>(state) || std::holds_alternative<Stopped>(state)) return;
  versions.in_doubt = true;
  guarded([this] {
    count_restart("asked");
    round();
  });
}

/// One round of list and watch. What was under way is over.
void Reflector::Impl::round() {
  {
    const std::lock_guard lock(mutex);
    ++seldom.attempts;
  }
  if (wants_watch_list()) return start_watch_list(0);
  start_list({});
}

/// The round is over; the next one comes after a backoff, whatever ended this one.
void Reflector::Impl::end_round(const char* reason, const Error* error, bool tell_handler) {
  count_restart(reason, error);
  if (error) {
    note_error(*error);
    if (tell_handler) {
      if (options.watch_error_handler) {
        const auto handler = options.watch_error_handler;
        call_isolated("watch error handler",
                      [&] { handler({*error, options.name, options.resource, seldom.attempts}); });
      } else if (!error->is_expired()) {
        log(LogLevel::Warning, "list and watch failed",
            {{"reflector", options.name}, {"type", options.type_description}, {"error", *error}});
      }
      if (error->is_not_found()) return park(*error);
    }
  }
  const bool away = error && is_away(*error);
  back_off(error, [this, away] { next_round(away); });
}

/// A server that is away says nothing of the version of an earlier run: when it is back, the watch may go on there. Now
/// and then a list is tried, for it may be the watches alone that do not get through.
void Reflector::Impl::next_round(bool server_was_away) {
  const bool doubted = versions.in_doubt || versions.went_back || versions.unavailable;  // a list was wanted for it
  const bool may_resume = versions.unconfirmed && !doubted && server_was_away;
  if (may_resume && ++unconfirmed_tries % kWatchesBeforeList != 0) return start_watch();
  round();
}

/// The whole resource is unknown to the server (its CRD was removed, or never there): what we hold is gone, and asking
/// again and again helps nobody. The source tells when to come back.
void Reflector::Impl::park(const Error& error) {
  if (seldom.synced_once || versions.unconfirmed || !options.not_older_than.empty()) {
    if (auto gone = sink->replace({}, last_version); !gone) note_error(gone.error());
  }
  set_version("");
  versions.unavailable = false;
  versions.unconfirmed = false;
  due.resync.reset();
  note_error(error);
  auto& parked = enter(Parked{});
  const auto asked_in = generation;
  auto call = own(source->await_served(strand, [weak = self, asked_in] {
    in_generation(weak, asked_in, [](Impl& machine) {
      machine.backoff.reset();
      machine.round();
    });
  }));
  if (generation != asked_in) return;
  if (!call) return back_off(&error, [this] { round(); });
  parked.waiting = std::move(call);
}

void Reflector::Impl::back_off(const Error* cause, Task next) {
  auto delay = backoff.next();
  if (const auto asked = cause ? cause->retry_after() : std::nullopt) {
    delay = std::max<Duration>(delay, std::min<Duration>(*asked, kLongestAskedWait));
  }
  wait(delay, std::move(next));
}

void Reflector::Impl::wait(Duration delay, Task next) {
  auto& waiting = enter(BackingOff{});
  waiting.next = OwnTimer(after(delay, std::move(next)));
}

Timer Reflector::Impl::after(Duration delay, Task task) {
  return strand.post_after(delay, [weak = self, made_in = generation, task = std::move(task)]() mutable {
    in_generation(weak, made_in, [&](Impl&) { task(); });
  });
}

/// A sink for the next call, which belongs to the state that is there.
std::shared_ptr<meta::StreamSink> Reflector::Impl::incoming(End end) {
  return std::make_shared<Incoming>(self, generation, end);
}

bool Reflector::Impl::of_expected_kind(const meta::Object& object) const {
  if (is_table(object.kind(), object.api_version())) return false;
  if (!options.expected_kind) return true;
  return object.kind() == options.expected_kind->kind && object.api_version() == options.expected_kind->api_version();
}

bool Reflector::Impl::admitted(const meta::Object& object) const {
  bool wanted = true;
  if (options.admit) call_isolated("filter of a reflector", [&] { wanted = options.admit(object); });
  return wanted;
}

/// A list that is not older than what is known says by an object's version whether it is the one that is known. One
/// that may be older, and one that verifies, is read whole.
bool Reflector::Impl::may_reuse() const {
  if (!options.owner || last_version.empty() || versions.went_back || versions.unavailable || versions.in_doubt) {
    return false;
  }
  if (const auto* listing = std::get_if<Listing>(&state)) {
    return !listing->verifying && listing->version == last_version;
  }
  return std::holds_alternative<WatchListing>(state);
}

meta::Object Reflector::Impl::prefer_known(meta::Object fresh) {
  return options.owner ? options.owner->prefer_known(std::move(fresh)) : fresh;
}

}  // namespace kubexx::reflector
