#include "reflector/machine.hpp"

#include "base/internal/enum_name.hpp"

/// What a reflector tells of itself: counted where it happens, put together when somebody asks.
namespace kubexx::reflector {
namespace {

struct Named {
  ReflectorState operator()(const Idle&) const { return ReflectorState::Idle; }
  ReflectorState operator()(const Listing&) const { return ReflectorState::Listing; }
  ReflectorState operator()(const WatchListing&) const { return ReflectorState::WatchListing; }
  ReflectorState operator()(const Watching& watching) const {
    return watching.stream.open ? ReflectorState::Watching : ReflectorState::Opening;
  }
  ReflectorState operator()(const Polling&) const { return ReflectorState::Polling; }
  ReflectorState operator()(const BackingOff&) const { return ReflectorState::BackingOff; }
  ReflectorState operator()(const Parked&) const { return ReflectorState::Parked; }
  ReflectorState operator()(const Stopped&) const { return ReflectorState::Stopped; }
};

}  // namespace

ReflectorState to_reflector_state(const State& state) noexcept {
  return std::visit(Named{}, state);
}

std::string_view to_string(ReflectorState state) noexcept {
  static constexpr std::string_view kNames[] = {"idle",        "listing", "watch-listing", "opening", "watching",
                                                "backing off", "parked",  "polling",       "stopped"};
  return enum_name<ReflectorState::Stopped>(state, kNames);
}

ReflectorStatus Reflector::Impl::read_status() const {
  const std::lock_guard lock(mutex);
  auto status = seldom;
  status.last_sync_resource_version = last_version;
  status.events = events.load(std::memory_order_relaxed);
  status.skipped = skipped.load(std::memory_order_relaxed);
  status.received_bytes = received_bytes.load(std::memory_order_relaxed);
  status.initial_items = initial_items.load(std::memory_order_relaxed);
  if (const auto at = last_activity.load(std::memory_order_relaxed)) status.last_activity = TimePoint(Duration(at));
  return status;
}

/// Of state, error or first whole state: readers and the owner see it.
void Reflector::Impl::changed() {
  {
    const std::lock_guard lock(mutex);
    seldom.state = to_reflector_state(state);
  }
  if (options.owner) call_isolated("owner of a reflector", [this] { options.owner->on_change(); });
}

void Reflector::Impl::tell_rollback() {
  if (options.owner) call_isolated("owner of a reflector", [this] { options.owner->on_rollback(); });
}

void Reflector::Impl::note_error(const Error& error) {
  {
    const std::lock_guard lock(mutex);
    seldom.last_error = error;
  }
  changed();
}

void Reflector::Impl::set_version(std::string version) {
  const std::lock_guard lock(mutex);
  last_version = std::move(version);
}

void Reflector::Impl::count_event() {
  events_counter.add();
  events.fetch_add(1, std::memory_order_relaxed);
  last_activity.store(strand.clock().now().time_since_epoch().count(), std::memory_order_relaxed);
}

void Reflector::Impl::count_skipped() {
  skipped_counter.add();
  skipped.fetch_add(1, std::memory_order_relaxed);
}

void Reflector::Impl::count_bytes(std::size_t received) {
  bytes_counter.add(static_cast<double>(received));
  received_bytes.fetch_add(received, std::memory_order_relaxed);
}

void Reflector::Impl::count_restart(const char* reason, const Error* error) {
  end_span(reason, error);
  {
    const std::lock_guard lock(mutex);
    ++seldom.restarts[reason];
  }
  if (!options.metrics) return;
  auto found = restart_counters.find(reason);
  if (found == restart_counters.end()) {
    const MetricLabels labels{{"informer", options.name}, {"resource", options.type_description}, {"reason", reason}};
    auto counter = options.metrics->counter("kubexx_reflector_restarts_total", "Watches ended, by reason", labels);
    found = restart_counters.emplace(reason, std::move(counter)).first;
  }
  found->second.add();
}

}  // namespace kubexx::reflector
