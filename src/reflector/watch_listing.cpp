#include <algorithm>

#include "kubexx/base/log.hpp"
#include "kubexx/meta/object_key.hpp"
#include "reflector/machine.hpp"

/// A whole state by a watch: initial events up to a bookmark, then the same stream goes on.
namespace kubexx::reflector {
namespace {

constexpr int kInAll = 10;  // times the progress deadline, for all of it

}  // namespace

bool Reflector::Impl::wants_watch_list() const {
  if (!options.watch_list || !source->supports_watch_list() || !source->supports_watch()) return false;
  if (server.unwatchable || versions.went_back) return false;
  const auto refused_until = std::max(server.refused_until, source->watch_list_refused_until().value_or(TimePoint{}));
  return strand.clock().now() >= refused_until;
}

void Reflector::Impl::remember_refusal() {
  server.refused_until = detail::after(strand.clock().now(), options.watch_list_reprobe);
  source->refuse_watch_list_until(server.refused_until);
}

void Reflector::Impl::start_watch_list(int closed_before) {
  enter(WatchListing{.closed_before = closed_before, .progress = meta::ListProgress(options.list_limits)});
  auto query = watch_options();
  query.send_initial_events = true;
  query.resource_version_match = "NotOlderThan";
  if (!versions.unavailable) query.resource_version = last_version.empty() ? options.not_older_than : last_version;
  open_stream(query);
  watch_list_progress();
}

void Reflector::Impl::watch_list_event(WatchListing& listing, meta::WatchEvent& event) {
  if (event.type == meta::WatchEventType::Bookmark) {
    if (!event.is_initial_events_end()) return;
    return watch_list_complete(listing, std::string(event.object.resource_version()));
  }
  auto key = meta::meta_namespace_key(event.object);
  if (!key) return;
  if (event.type == meta::WatchEventType::Deleted || !admitted(event.object)) {
    listing.initial.erase(*key);
    if (event.type == meta::WatchEventType::Added) listing.last_progress = strand.clock().now();
    return;
  }
  if (!listing.initial.insert_or_assign(*key, prefer_known(std::move(event.object))).second) return;
  if (auto more = listing.progress.add(); !more) {
    const auto failure = more.error().with_context("failed to list " + options.type_description);
    return end_round("list_failed", &failure, true);
  }
  if (event.type == meta::WatchEventType::Added) listing.last_progress = strand.clock().now();
  listing.order.push_back(std::move(*key));
  initial_items.store(listing.initial.size(), std::memory_order_relaxed);
}

void Reflector::Impl::watch_list_complete(WatchListing& listing, std::string version) {
  std::vector<meta::Object> objects;
  objects.reserve(listing.initial.size());
  for (const auto& key : listing.order) {
    if (auto node = listing.initial.extract(key)) objects.push_back(std::move(node.mapped()));
  }
  if (!deliver(std::move(objects), version, true)) return;
  Watching watching{.stream = std::move(listing.stream)};
  watching.stream.propagate = true;
  watching.stream.span = begin_span(SpanKind::Watch, "WatchList");
  state.emplace<Watching>(std::move(watching));  // not entered: the generation of the stream goes on
  enter_watching();
}

/// It ended before its bookmark. Null: closed cleanly.
void Reflector::Impl::watch_list_failed(const Error* error) {
  auto& listing = std::get<WatchListing>(state);
  if (error && error->is_canceled()) return end_round("canceled", nullptr, false);
  if (error && (error->is_connection_refused() || error->is_too_many_requests())) {
    return wait_for_server(*error, [this, closed = listing.closed_before] { start_watch_list(closed); });
  }
  if (error && (error->is_expired() || error->is_too_large_resource_version()) && !versions.unavailable) {
    end_span("refused_version", error);
    note_error(*error);
    versions.unavailable = true;
    return start_watch_list(listing.closed_before);
  }
  const bool refused = error && (error->is_bad_request() || error->is_method_not_supported() || error->is_invalid());
  if (refused) remember_refusal();
  if (listing.stream.open && is_clean_end(error)) {
    count_restart("watch_list_closed", error);
    if (listing.closed_before + 1 < options.watch_list_streams) return start_watch_list(listing.closed_before + 1);
    remember_refusal();
  }
  if (error && !refused) note_error(*error);  // a refused WatchList is none: the list will say what else is wrong
  count_restart("watch_list_failed", error);
  start_list({});
}

/// A WatchList must show progress: a new object every now and then until its bookmark, which must come some day. What
/// happens to known objects is no progress: a server that ignores the wish for a state sends that too. Until the stream
/// is open it may wait for its turn; then only the long deadline counts, and nothing is held against the server.
void Reflector::Impl::watch_list_progress() {
  if (!std::holds_alternative<WatchListing>(state)) return;  // the source was done before it returned
  auto& listing = std::get<WatchListing>(state);
  const auto patience = options.watch_list_progress;
  const auto in_all = patience > Duration::max() / kInAll ? Duration::max() : patience * kInAll;
  const auto deadline = listing.stream.open ? std::min(detail::after(listing.last_progress, patience),
                                                       detail::after(listing.opened_at, in_all))
                                            : detail::after(listing.stream.begun, in_all);
  const auto now = strand.clock().now();
  if (now >= deadline) return watch_list_stalled();
  listing.deadline = OwnTimer(after(deadline - now, [this] { watch_list_progress(); }));
}

void Reflector::Impl::watch_list_stalled() {
  log(LogLevel::Warning, "no progress of the WatchList, listing instead",
      {{"reflector", options.name}, {"type", options.type_description}});
  if (std::get<WatchListing>(state).stream.open) remember_refusal();
  count_restart("watch_list_stalled");
  start_list({});
}

}  // namespace kubexx::reflector
