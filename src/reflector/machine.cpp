#include "reflector/machine.hpp"

#include <algorithm>

#include "kubexx/base/log.hpp"

namespace kubexx::reflector {
namespace {

constexpr Duration kLongestAskedWait = std::chrono::minutes(10);  // a server that says "in a year" means no year

}  // namespace

Reflector::State::State(std::shared_ptr<ListerWatcher> source_in, std::shared_ptr<DeltaSink> sink_in, Strand strand_in,
                        ReflectorOptions options_in)
    : source(std::move(source_in)),
      sink(std::move(sink_in)),
      strand(std::move(strand_in)),
      options(std::move(options_in)),
      random(options.random ? *options.random : Random::process()),
      backoff(options.backoff, strand.clock(), random) {
  if (options.metrics) {
    const MetricLabels labels{{"name", options.name}, {"resource", options.type_description}};
    lists_counter = options.metrics->counter("kubexx_reflector_lists_total", "Lists begun", labels);
    bytes_counter = options.metrics->counter("kubexx_reflector_received_bytes_total",
                                             "Bytes of lists and watches received", labels);
    watches_counter = options.metrics->counter("kubexx_reflector_watches_total", "Watches begun", labels);
    events_counter = options.metrics->counter("kubexx_reflector_events_total", "Watch events received", labels);
    skipped_counter = options.metrics->counter("kubexx_reflector_skipped_events_total",
                                               "Objects of another kind or without metadata", labels);
  }
}

void Reflector::State::begin() {
  if (started || stopped) return;
  started = true;
  guarded([this] { round(); });
}

void Reflector::State::halt() {
  if (stopped) return;
  stopped = true;
  drop_call();
  enter(ReflectorState::Stopped);
}

/// One round of list and watch. What was under way is over.
void Reflector::State::round() {
  if (stopped) return;
  drop_call();
  list_retried = false;
  list_unlimited = false;
  short_streams = 0;
  change_status([](ReflectorStatus& s) { ++s.attempts; });
  if (options.watch_list && source->supports_watch_list() && source->supports_watch() && !unwatchable &&
      !versions_went_back && !watch_list_refused()) {
    start_watch_list();
  } else {
    start_list();
  }
}

/// The round is over; the next one comes after a backoff, whatever ended this one.
void Reflector::State::end_round(const char* reason, const Error* error, bool tell_handler) {
  drop_call();
  count_restart(reason);
  if (error) {
    note_error(*error);
    if (tell_handler) {
      if (options.watch_error_handler) {
        const auto handler = options.watch_error_handler;
        call_isolated("watch error handler", [&] { handler(*error); });
      } else if (!error->is_expired()) {
        log(LogLevel::Warning, "list and watch failed",
            {{"reflector", options.name}, {"type", options.type_description}, {"error", *error}});
      }
      if (error->is_not_found()) return park(*error);
    }
  }
  back_off(error, [this] { round(); });
}

/// The whole resource is unknown to the server (its CRD was removed, or never there): what we hold is gone, and asking
/// again and again helps nobody. The source tells when to come back.
void Reflector::State::park(const Error& error) {
  bool held = false;
  {
    const std::lock_guard lock(mutex);
    held = status.synced_once;
  }
  if (held) {
    if (auto gone = sink->replace({}, last_version); !gone) note_error(gone.error());
  }
  last_version.clear();
  version_unavailable = false;
  next_resync.reset();
  note_error(error);
  side_call = source->await_served(strand, in_generation([this] {
                                     backoff.reset();
                                     round();
                                   }));
  if (!side_call) return back_off(&error, [this] { round(); });
  enter(ReflectorState::Parked);
}

void Reflector::State::back_off(const Error* cause, Task next) {
  auto delay = backoff.next();
  if (cause && cause->retry_after()) {
    delay = std::max<Duration>(delay, std::min<Duration>(*cause->retry_after(), kLongestAskedWait));
  }
  enter(ReflectorState::BackingOff);
  after(delay, std::move(next));
}

void Reflector::State::drop_call() {
  ++generation;
  for (auto& timer : timers) timer.cancel();
  timers.clear();
  progress_timer.cancel();
  // Not destroyed here: this may run inside one of the call's own callbacks.
  if (call) strand.post([dropped = std::move(call)] {});
  if (side_call) strand.post([dropped = std::move(side_call)] {});
  items.clear();
  verifying = false;
  initial.clear();
  initial_order.clear();
  in_initial = false;
}

Timer Reflector::State::after(Duration delay, Task task) {
  auto timer = strand.post_after(delay, in_generation(std::move(task)));
  std::erase_if(timers, [](const Timer& t) { return !t.pending(); });
  timers.push_back(timer);
  return timer;
}

void Reflector::State::enter(ReflectorState next) {
  change_status([next](ReflectorStatus& s) { s.state = next; });
}

void Reflector::State::note_error(const Error& error) {
  change_status([&error](ReflectorStatus& s) { s.last_error = error; });
}

bool Reflector::State::of_expected_kind(const meta::Object& object) const {
  if (is_table(object.kind(), object.api_version())) return false;
  if (!options.expected_kind) return true;
  return object.kind() == options.expected_kind->kind && object.api_version() == options.expected_kind->api_version();
}

void Reflector::State::count_skipped() {
  skipped_counter.add();
  change_status([](ReflectorStatus& s) { ++s.skipped; });
}

void Reflector::State::count_bytes(std::size_t received) {
  bytes_counter.add(static_cast<double>(received));
  const std::lock_guard lock(mutex);
  status.received_bytes += received;
}

void Reflector::State::count_restart(const char* reason) {
  change_status([reason](ReflectorStatus& s) { ++s.restarts[reason]; });
  if (!options.metrics) return;
  auto found = restart_counters.find(reason);
  if (found == restart_counters.end()) {
    found =
        restart_counters
            .emplace(reason, options.metrics->counter(
                                 "kubexx_reflector_restarts_total", "Watches ended, by reason",
                                 {{"name", options.name}, {"resource", options.type_description}, {"reason", reason}}))
            .first;
  }
  found->second.add();
}

}  // namespace kubexx::reflector
