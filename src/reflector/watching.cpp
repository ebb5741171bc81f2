#include <algorithm>

#include "kubexx/base/log.hpp"
#include "kubexx/meta/status.hpp"
#include "reflector/machine.hpp"

namespace kubexx::reflector {
namespace {

constexpr Duration kShortWatch = std::chrono::seconds(1);
constexpr Duration kLongEnough = std::chrono::seconds(3);  // to have worked without an event
constexpr Duration kWorksFor = std::chrono::minutes(1);    // since the last one that worked
constexpr Duration kInternalErrorQuiet = std::chrono::minutes(1);
constexpr Duration kMinWatchTimeout = std::chrono::minutes(5);
constexpr std::size_t kWatchesAtOnce = 4;  // ... in this time:
constexpr Duration kWatchesPeriod = std::chrono::seconds(1);

}  // namespace

bool is_clean_end(const Error* error) {
  return !error || error->is_connection_lost() || error->kind() == ErrorKind::Timeout;
}

meta::ListOptions Reflector::Impl::watch_options() {
  meta::ListOptions query;
  query.watch = true;
  query.allow_watch_bookmarks = true;
  const auto least = std::max(options.min_watch_timeout, kMinWatchTimeout);
  const auto timeout = std::chrono::duration<double>(least) * (1.0 + random.uniform());
  query.timeout_seconds = static_cast<std::int64_t>(timeout.count());
  return query;
}

void Reflector::Impl::start_watch() {
  auto& watching = enter(Watching{.resumed = watches.since_whole_state || versions.unconfirmed});
  watching.stream.propagate = !last_version.empty() && last_version != "0";
  auto query = watch_options();
  query.resource_version = last_version;
  open_stream(query);
}

Stream* Reflector::Impl::stream() noexcept {
  if (auto* watching = std::get_if<Watching>(&state)) return &watching->stream;
  auto* listing = std::get_if<WatchListing>(&state);
  return listing ? &listing->stream : nullptr;
}

/// Opens the stream of the state; what it brings reaches stream_opened, stream_event and stream_end.
void Reflector::Impl::open_stream(const meta::ListOptions& query) {
  const auto wait = turn_of_watch();
  stream()->begun = strand.clock().now() + wait;
  if (wait > Duration::zero()) {
    stream()->turn = OwnTimer(after(wait, [this, query] { open_stream(query); }));
    return;
  }
  watches.recent.push_back(stream()->begun);
  watches_counter.add();
  {
    const std::lock_guard lock(mutex);
    ++seldom.watches;
  }
  const bool lists = std::holds_alternative<WatchListing>(state);
  stream()->span = lists ? begin_span(SpanKind::List, "WatchList") : begin_span(SpanKind::Watch, "watch");
  const TraceScope scope(stream()->span);
  const auto asked_in = generation;
  auto call = own(source->watch(
      query, strand, incoming([](Impl& machine, const Result<meta::ListMeta>& end) { machine.stream_end(end); })));
  if (generation == asked_in) stream()->call = std::move(call);  // else the source has ended it already
}

/// How long the next watch has to wait so that there are no more than so many a second, whatever made it due and
/// whatever the backoff says. Not a backoff: a watch that lived for a while is followed by the next at once.
Duration Reflector::Impl::turn_of_watch() {
  auto& recent = watches.recent;
  const auto now = strand.clock().now();
  while (!recent.empty() && now - recent.front() >= kWatchesPeriod) recent.pop_front();
  return recent.size() < kWatchesAtOnce ? Duration::zero() : recent.front() + kWatchesPeriod - now;
}

void Reflector::Impl::stream_opened() {
  auto* opened = stream();
  if (!opened || opened->open) return;  // of another call: a list, or a question for the version
  opened->open = true;
  if (auto* listing = std::get_if<WatchListing>(&state)) {
    listing->opened_at = listing->last_progress = strand.clock().now();
    return watch_list_progress();
  }
  enter_watching();
}

void Reflector::Impl::enter_watching() {
  changed();
  auto& watching = std::get<Watching>(state);
  watches.since_whole_state = true;
  watching.resync = arm_resync();
  watching.version_check = arm_version_check();
  watching.verify = arm_verify();
  // Each new connection may lead to another server, or to one whose data was restored meanwhile.
  if (watching.resumed) check_version();
}

/// Other kinds, objects without metadata and bookmarks without a version are none of ours: skipped and counted, the
/// stream goes on.
bool Reflector::Impl::acceptable(Stream& from, const meta::WatchEvent& event) {
  const auto& object = event.object;
  const bool says_nothing = event.type == meta::WatchEventType::Bookmark && object.resource_version().empty();
  if (object.has_metadata() && !says_nothing && of_expected_kind(object)) return true;
  count_skipped();
  if (!std::exchange(from.complained, true)) {
    log(LogLevel::Warning, "skipped an event",
        {{"reflector", options.name}, {"kind", object.kind()}, {"expected", options.type_description}});
  }
  return false;
}

void Reflector::Impl::stream_event(meta::WatchEvent event) {
  auto* from = stream();
  if (!from) return;
  auto* listing = std::get_if<WatchListing>(&state);
  if (event.type == meta::WatchEventType::Error) {
    const auto error = meta::error_from_status(event.object);
    return listing ? watch_list_failed(&error) : watch_error(error);
  }
  if (!acceptable(*from, event)) return;
  ++from->events;
  count_event();
  if (listing) return watch_list_event(*listing, event);
  confirm();
  apply(*from, std::move(event));
}

void Reflector::Impl::apply(Stream& from, meta::WatchEvent event) {
  std::string version(event.object.resource_version());
  Result<void> taken;
  switch (event.type) {
    case meta::WatchEventType::Added:
    case meta::WatchEventType::Modified:
      if (!admitted(event.object)) {
        taken = sink->refuse(std::move(event.object));
      } else if (event.type == meta::WatchEventType::Added) {
        taken = sink->add(std::move(event.object));
      } else {
        taken = sink->update(std::move(event.object));
      }
      break;
    case meta::WatchEventType::Deleted:
      taken = sink->remove(std::move(event.object));
      break;
    case meta::WatchEventType::Bookmark:
      sink->bookmark(version);
      break;
    default:
      if (!std::exchange(from.complained, true)) {
        log(LogLevel::Warning, "unknown event type", {{"reflector", options.name}});
      }
      break;
  }
  if (!taken && !std::exchange(from.complained, true)) {
    log(LogLevel::Error, "the sink refused an event", {{"reflector", options.name}, {"error", taken.error()}});
  }
  // Synthetic ADDED events of a watch without a version come unordered: their versions say nothing yet.
  if (event.type != meta::WatchEventType::Added) from.propagate = true;
  if (from.propagate && !version.empty()) set_version(std::move(version));
}

void Reflector::Impl::stream_end(const Result<meta::ListMeta>& end) {
  const Error* error = end ? nullptr : &end.error();
  return std::holds_alternative<WatchListing>(state) ? watch_list_failed(error) : watch_end(error);
}

/// A watch that brought something, or lasted, has worked: the next waits are short again.
void Reflector::Impl::remember(const Stream& ended) {
  const auto now = strand.clock().now();
  if (!ended.open || (ended.events == 0 && now - ended.begun < kLongEnough)) return;
  watches.last_worked = now;
  watches.resume.reset();
}

/// Whether going on at the version we have is likely to succeed.
bool Reflector::Impl::watches_work() const {
  const bool at_a_version = !last_version.empty() && last_version != "0";
  return at_a_version && watches.last_worked && strand.clock().now() - *watches.last_worked <= kWorksFor;
}

void Reflector::Impl::watch_end(const Error* error) {
  const auto& ended = std::get<Watching>(state).stream;
  if (!is_clean_end(error)) {
    if (ended.open) return watch_error(*error);
    if (error->is_canceled()) return end_round("canceled", nullptr, false);
    if (error->is_connection_refused() && watches_work()) {
      return watch_again("refused", *error, watches.resume.next());
    }
    if (error->is_connection_refused() || error->is_too_many_requests()) {
      return wait_for_server(*error, [this] { start_watch(); });
    }
    if (error->is_method_not_supported()) {
      server.unwatchable = true;
      return versions.unconfirmed ? round() : poll();
    }
    if (error->is_expired() && versions.unconfirmed) return list_at_once(*error);
    const auto failure = error->with_context("failed to watch " + options.type_description);
    return end_round(error->is_expired() ? "expired" : "watch_failed", &failure, true);
  }
  if (error) note_error(*error);
  if (ended.events == 0 && strand.clock().now() - ended.begun < kShortWatch) {
    const auto failure = error ? error->with_context("very short watch of " + options.type_description)
                               : Error(ErrorKind::Transport, "very short watch of " + options.type_description +
                                                                 ": closed within a second without an event");
    if (watches_work()) return watch_again("short", failure, watches.resume.next());
    return end_round("short", &failure, false);
  }
  count_restart("closed", error);
  start_watch();
}

/// Nothing is lost: the watch goes on where it was.
void Reflector::Impl::watch_again(const char* reason, const Error& error, Duration delay) {
  note_error(error);
  count_restart(reason, &error);
  wait(delay, [this] { start_watch(); });
}

/// The same is asked again after a backoff.
void Reflector::Impl::wait_for_server(const Error& error, Task again) {
  note_error(error);
  count_restart(error.is_connection_refused() ? "refused" : "throttled", &error);
  log(LogLevel::Warning, "waiting for the server",
      {{"reflector", options.name}, {"type", options.type_description}, {"error", error}});
  back_off(&error, std::move(again));
}

/// What an earlier run left is too old to go on from: the first list of this one needs no backoff.
void Reflector::Impl::list_at_once(const Error& error) {
  note_error(error);
  count_restart("expired", &error);
  round();
}

/// A broken stream, or an ERROR event in it.
void Reflector::Impl::watch_error(const Error& error) {
  if (error.is_expired() && versions.unconfirmed) return list_at_once(error);
  if (error.is_expired()) return end_round("expired", &error, false);
  if (error.is_too_many_requests()) return wait_for_server(error, [this] { start_watch(); });
  if (error.is_internal() && options.max_internal_error_retry > Duration::zero()) {
    const auto now = strand.clock().now();
    auto& since = watches.internal_error_since;
    if (!since || now - watches.last_internal_error >= kInternalErrorQuiet) since = now;
    watches.last_internal_error = now;
    if (now - *since <= options.max_internal_error_retry) {
      count_restart("internal_error", &error);
      return start_watch();
    }
    since.reset();
  }
  log(LogLevel::Warning, "watch ended",
      {{"reflector", options.name}, {"type", options.type_description}, {"error", error}});
  end_round(error.kind() == ErrorKind::Decode ? "undecodable" : "error", &error, false);
}

}  // namespace kubexx::reflector
