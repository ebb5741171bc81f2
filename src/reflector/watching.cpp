#include <algorithm>

#include "kubexx/base/log.hpp"
#include "kubexx/meta/object_key.hpp"
#include "kubexx/meta/resource_version.hpp"
#include "kubexx/meta/status.hpp"
#include "reflector/machine.hpp"
#include "reflector/watch_list_memory.hpp"

namespace kubexx::reflector {
namespace {

constexpr Duration kShortWatch = std::chrono::seconds(1);
constexpr Duration kInternalErrorQuiet = std::chrono::minutes(1);
constexpr Duration kMinWatchTimeout = std::chrono::minutes(5);
constexpr std::size_t kWatchesAtOnce = 4;  // ... in this time:
constexpr Duration kWatchesPeriod = std::chrono::seconds(1);
constexpr int kInAll = 10;  // times the progress deadline of a WatchList, for all of it

class WatchReceiver final : public WatchSink {
 public:
  WatchReceiver(Task open, UniqueFunction<void(meta::WatchEvent)> event, UniqueFunction<void(std::size_t)> bytes,
                UniqueFunction<void(const Error*)> end)
      : open_(std::move(open)), event_(std::move(event)), bytes_(std::move(bytes)), end_(std::move(end)) {}
  void on_open() override { open_(); }
  void on_event(meta::WatchEvent event) override { event_(std::move(event)); }
  void on_bytes(std::size_t received) override { bytes_(received); }
  void on_end(const Error* error) override { end_(error); }

 private:
  Task open_;
  UniqueFunction<void(meta::WatchEvent)> event_;
  UniqueFunction<void(std::size_t)> bytes_;
  UniqueFunction<void(const Error*)> end_;
};

class VersionReceiver final : public ListSink {
 public:
  explicit VersionReceiver(UniqueFunction<void(Result<meta::ListMeta>)> end) : end_(std::move(end)) {}
  void on_item(meta::Object) override {}
  void on_end(Result<meta::ListMeta> result) override { end_(std::move(result)); }

 private:
  UniqueFunction<void(Result<meta::ListMeta>)> end_;
};

bool wait_and_watch_again(const Error& error) {
  return error.is_connection_refused() || error.is_too_many_requests();
}

/// The ways a stream ends that mean no more than its end: the server or something between went away or had enough.
bool clean_end(const Error* error) {
  return !error || error->is_connection_lost() || error->kind() == ErrorKind::Timeout;
}

}  // namespace

meta::ListOptions Reflector::State::watch_options() {
  meta::ListOptions query;
  query.watch = true;
  query.allow_watch_bookmarks = true;
  const auto least = std::max(options.min_watch_timeout, kMinWatchTimeout);
  const auto timeout = std::chrono::duration<double>(least) * (1.0 + random.uniform());
  query.timeout_seconds = static_cast<std::int64_t>(timeout.count());
  return query;
}

void Reflector::State::start_watch_list() {
  drop_call();
  in_initial = true;
  progress = meta::ListProgress(options.list_limits);
  auto query = watch_options();
  query.send_initial_events = true;
  query.resource_version_match = "NotOlderThan";
  if (!version_unavailable) query.resource_version = last_version;
  open_stream(query, ReflectorState::WatchListing);
  watch_list_progress();
}

void Reflector::State::start_watch() {
  drop_call();
  resumed = watched;
  auto query = watch_options();
  query.resource_version = last_version;
  propagate = !last_version.empty() && last_version != "0";
  open_stream(query, ReflectorState::Opening);
}

/// Opens a watch; what it brings reaches watch_opened, watch_event and watch_end.
void Reflector::State::open_stream(const meta::ListOptions& query, ReflectorState entering) {
  if (entering == ReflectorState::WatchListing) propagate = false;
  opened = false;
  stream_events = 0;
  stream_complained = false;
  const auto wait = turn_of_watch();
  stream_start = strand.clock().now() + wait;
  if (wait > Duration::zero()) {
    enter(entering);
    after(wait, [this, query, entering] { open_stream(query, entering); });
    return;
  }
  recent_watches.push_back(stream_start);
  change_status([entering](ReflectorStatus& s) {
    ++s.watches;
    s.state = entering;
  });
  watches_counter.add();
  auto receiver =
      std::make_shared<WatchReceiver>(in_generation([this] { watch_opened(); }),
                                      in_generation([this](meta::WatchEvent event) { watch_event(std::move(event)); }),
                                      in_generation([this](std::size_t received) { count_bytes(received); }),
                                      in_generation([this](const Error* error) { watch_end(error); }));
  call = source->watch(query, strand, std::move(receiver));
}

/// How long the next watch has to wait so that there are no more than so many a second, whatever made it due and
/// whatever the backoff says. Not a backoff: a watch that lived for a while is followed by the next at once.
Duration Reflector::State::turn_of_watch() {
  const auto now = strand.clock().now();
  while (!recent_watches.empty() && now - recent_watches.front() >= kWatchesPeriod) recent_watches.pop_front();
  return recent_watches.size() < kWatchesAtOnce ? Duration::zero() : recent_watches.front() + kWatchesPeriod - now;
}

/// A WatchList must show progress: a new object every now and then until its bookmark, which must come some day. What
/// happens to known objects is no progress: a server that ignores the wish for a state sends that too. Until the stream
/// is open it may wait for its turn; then only the long deadline counts, and nothing is held against the server.
void Reflector::State::watch_list_progress() {
  progress_timer.cancel();
  const auto patience = options.watch_list_progress;
  const auto in_all = patience > Duration::max() / kInAll ? Duration::max() : patience * kInAll;
  const auto due = opened ? std::min(detail::after(last_progress, patience), detail::after(opened_at, in_all))
                          : detail::after(stream_start, in_all);
  const auto now = strand.clock().now();
  if (now >= due) return watch_list_stalled();
  progress_timer = after(due - now, [this] { watch_list_progress(); });
}

void Reflector::State::watch_list_stalled() {
  log(LogLevel::Warning, "no progress of the WatchList, listing instead",
      {{"reflector", options.name}, {"type", options.type_description}});
  if (opened) remember_refusal();
  count_restart("watch_list_stalled");
  drop_call();
  start_list();
}

bool Reflector::State::watch_list_refused() const {
  const auto now = strand.clock().now();
  return now < refused_until || refusal_remembered(source->identity(), now);
}

void Reflector::State::remember_refusal() {
  refused_until = detail::after(strand.clock().now(), options.watch_list_reprobe);
  reflector::remember_refusal(source->identity(), refused_until);
}

void Reflector::State::watch_opened() {
  opened = true;
  if (!in_initial) return enter_watching();
  opened_at = last_progress = strand.clock().now();
  watch_list_progress();
}

void Reflector::State::enter_watching() {
  enter(ReflectorState::Watching);
  watched = true;
  arm_resync();
  arm_version_check();
  arm_verify();
  // Each new connection may lead to another server, or to one whose data was restored meanwhile.
  if (resumed) check_version();
}

/// Other kinds, objects without metadata and bookmarks without a version are none of ours: skipped and counted, the
/// stream goes on.
bool Reflector::State::acceptable(const meta::WatchEvent& event) {
  const auto& object = event.object;
  const bool says_nothing = event.type == meta::WatchEventType::Bookmark && object.resource_version().empty();
  if (object.has_metadata() && !says_nothing && of_expected_kind(object)) return true;
  count_skipped();
  if (!std::exchange(stream_complained, true)) {
    log(LogLevel::Warning, "skipped an event",
        {{"reflector", options.name}, {"kind", object.kind()}, {"expected", options.type_description}});
  }
  return false;
}

/// Of several watches the highest version counts: that is what a restored server is compared with.
bool Reflector::State::moves_on(std::string_view version) const {
  if (source->has_one_version()) return true;
  const auto order = meta::compare_resource_versions(version, last_version);
  return !order || *order != std::strong_ordering::less;
}

void Reflector::State::watch_event(meta::WatchEvent event) {
  if (event.type == meta::WatchEventType::Error) return stream_error(meta::error_from_status(event.object));
  if (!acceptable(event)) return;
  ++stream_events;
  events_counter.add();
  const auto now = strand.clock().now();
  if (in_initial) {
    change_status([now](ReflectorStatus& s) {
      ++s.events;
      s.last_activity = now;
    });
    return watch_list_event(event);
  }
  std::string version(event.object.resource_version());
  Result<void> taken;
  switch (event.type) {
    case meta::WatchEventType::Added:
      taken = sink->add(std::move(event.object));
      break;
    case meta::WatchEventType::Modified:
      taken = sink->update(std::move(event.object));
      break;
    case meta::WatchEventType::Deleted:
      taken = sink->remove(std::move(event.object));
      break;
    case meta::WatchEventType::Bookmark:
      sink->bookmark(version);
      break;
    default:
      if (!std::exchange(stream_complained, true)) {
        log(LogLevel::Warning, "unknown event type", {{"reflector", options.name}});
      }
      break;
  }
  if (!taken && !std::exchange(stream_complained, true)) {
    log(LogLevel::Error, "the sink refused an event", {{"reflector", options.name}, {"error", taken.error()}});
  }
  // Synthetic ADDED events of a watch without a version come unordered: their versions say nothing yet.
  if (event.type != meta::WatchEventType::Added) propagate = true;
  if (propagate && !version.empty() && moves_on(version)) last_version = version;
  change_status([&](ReflectorStatus& s) {
    ++s.events;
    s.last_activity = now;
    if (propagate) s.last_sync_resource_version = last_version;
  });
}

void Reflector::State::watch_list_event(meta::WatchEvent& event) {
  if (event.type == meta::WatchEventType::Bookmark) {
    if (!event.is_initial_events_end()) return;
    std::vector<meta::Object> objects;
    objects.reserve(initial.size());
    for (const auto& key : initial_order) {
      if (auto node = initial.extract(key)) objects.push_back(std::move(node.mapped()));
    }
    initial_order.clear();
    in_initial = false;
    progress_timer.cancel();
    if (!deliver(std::move(objects), std::string(event.object.resource_version()), true)) return;
    propagate = true;
    short_streams = 0;
    return enter_watching();
  }
  auto key = meta::meta_namespace_key(event.object);
  if (!key) return;
  if (event.type == meta::WatchEventType::Deleted) {
    initial.erase(*key);
    return;
  }
  auto [place, fresh] = initial.insert_or_assign(*key, sink->prefer_known(std::move(event.object)));
  if (fresh) {
    if (auto more = progress.add(); !more) {
      const auto failure = more.error().with_context("failed to list " + options.type_description);
      return end_round("list_failed", &failure, true);
    }
    if (event.type == meta::WatchEventType::Added) last_progress = strand.clock().now();
    initial_order.push_back(std::move(*key));
    if (initial.size() % 1000 == 0) {
      const auto count = initial.size();
      change_status([count](ReflectorStatus& s) { s.initial_items = count; });
    }
  }
}

void Reflector::State::watch_end(const Error* error) {
  if (in_initial) return watch_list_failed(error);
  if (!opened && error && !clean_end(error)) {
    if (error->is_canceled()) return end_round("canceled", nullptr, false);
    if (wait_and_watch_again(*error)) return wait_for_server(*error, [this] { start_watch(); });
    if (error->is_method_not_supported()) {
      unwatchable = true;
      drop_call();
      return poll();
    }
    const auto failure = error->with_context("failed to watch " + options.type_description);
    return end_round(error->is_expired() ? "expired" : "watch_failed", &failure, true);
  }
  if (!clean_end(error)) return stream_error(*error);
  if (error) note_error(*error);
  if (stream_events == 0 && strand.clock().now() - stream_start < kShortWatch) {
    const auto failure = error ? error->with_context("very short watch of " + options.type_description)
                               : Error(ErrorKind::Transport, "very short watch of " + options.type_description +
                                                                 ": closed within a second without an event");
    return end_round("short", &failure, false);
  }
  reopen("closed");
}

/// Nothing is lost: the same is asked again after a backoff.
void Reflector::State::wait_for_server(const Error& error, Task again) {
  note_error(error);
  count_restart(error.is_connection_refused() ? "refused" : "throttled");
  log(LogLevel::Warning, "waiting for the server",
      {{"reflector", options.name}, {"type", options.type_description}, {"error", error}});
  drop_call();
  back_off(&error, std::move(again));
}

/// A broken stream, or an ERROR event in it.
void Reflector::State::stream_error(const Error& error) {
  if (in_initial) return watch_list_failed(&error);
  if (error.is_expired()) return end_round("expired", &error, false);
  if (error.is_too_many_requests()) return wait_for_server(error, [this] { start_watch(); });
  if (error.is_internal() && options.max_internal_error_retry > Duration::zero()) {
    const auto now = strand.clock().now();
    if (!internal_error_since || now - last_internal_error >= kInternalErrorQuiet) internal_error_since = now;
    last_internal_error = now;
    if (now - *internal_error_since <= options.max_internal_error_retry) return reopen("internal_error");
    internal_error_since.reset();
  }
  log(LogLevel::Warning, "watch ended",
      {{"reflector", options.name}, {"type", options.type_description}, {"error", error}});
  end_round(error.kind() == ErrorKind::Decode ? "undecodable" : "error", &error, false);
}

void Reflector::State::reopen(const char* reason) {
  count_restart(reason);
  start_watch();
}

/// A WatchList ended before its bookmark. Null: closed cleanly.
void Reflector::State::watch_list_failed(const Error* error) {
  progress_timer.cancel();
  if (error && error->is_canceled()) return end_round("canceled", nullptr, false);
  if (error && wait_and_watch_again(*error)) return wait_for_server(*error, [this] { start_watch_list(); });
  if (error && (error->is_expired() || error->is_too_large_resource_version()) && !version_unavailable) {
    note_error(*error);
    version_unavailable = true;
    return start_watch_list();
  }
  const bool refused = error && (error->is_bad_request() || error->is_method_not_supported() || error->is_invalid());
  if (refused) remember_refusal();
  if (clean_end(error) && opened) {
    count_restart("watch_list_closed");
    if (++short_streams < options.watch_list_streams) return start_watch_list();
    remember_refusal();
  }
  if (error && !refused) note_error(*error);  // a refused WatchList is none: the list will say what else is wrong
  count_restart("watch_list_failed");
  drop_call();
  start_list();
}

void Reflector::State::arm_resync() {
  if (options.resync_period <= Duration::zero() || !next_resync) return;
  after(*next_resync - strand.clock().now(), [this] {
    next_resync = detail::after(strand.clock().now(), options.resync_period);
    bool wanted = !options.should_resync;
    if (!wanted) call_isolated("resync check", [&] { wanted = options.should_resync(); });
    if (wanted) {
      if (auto done = sink->resync(); !done) {
        log(LogLevel::Error, "resync failed", {{"reflector", options.name}, {"error", done.error()}});
        return end_round("resync_failed", &done.error(), false);
      }
    }
    arm_resync();
  });
}

void Reflector::State::arm_version_check() {
  if (options.version_check <= Duration::zero()) return;
  after(options.version_check, [this] {
    check_version();
    arm_version_check();
  });
}

void Reflector::State::arm_verify() {
  if (options.verify_every <= Duration::zero()) return;
  after(next_verify - strand.clock().now(), [this] {
    count_restart("verify");
    drop_call();
    list_retried = false;
    list_unlimited = false;
    // Of several watches no list has exactly the state: the most recent one, not a cached one, puts right as well.
    verifying = source->has_one_version();
    version_unavailable = !verifying;
    start_list();
  });
}

/// Asks for the server's current version beside the running watch. Lower than ours: the server's data was restored, our
/// versions are from a future that never happened, and only a full list helps.
void Reflector::State::check_version() {
  const auto ours = last_version;
  auto receiver = std::make_shared<VersionReceiver>(in_generation([this, ours](Result<meta::ListMeta> answer) {
    if (!answer) return;
    const auto order = meta::compare_resource_versions(answer->resource_version, ours);
    if (!order || *order != std::strong_ordering::less) return;
    log(LogLevel::Warning, "the server's versions went back, listing anew",
        {{"reflector", options.name}, {"ours", ours}, {"server", answer->resource_version}});
    versions_went_back = true;
    count_restart("versions_went_back");
    round();
  }));
  if (side_call) strand.post([done = std::move(side_call)] {});
  side_call = source->current_version(strand, std::move(receiver));
}

}  // namespace kubexx::reflector
