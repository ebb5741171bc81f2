#include "apiserver/watch_hub.hpp"

#include <algorithm>

#include "apiserver/codecs.hpp"
#include "apiserver/table.hpp"
#include "apiserver/view.hpp"

namespace kubexx::apiserver {
namespace {

using meta::WatchEventType;

std::uint64_t encoding_key(const Watcher& watcher, bool previous) {
  return (std::uint64_t{watcher.resource->id} << 8) | (static_cast<std::uint64_t>(watcher.form.format) << 4) |
         (static_cast<std::uint64_t>(watcher.form.view) << 1) | (previous ? 1 : 0);
}

}  // namespace

bool selects(const WatchFilter& filter, const Watcher& watcher) {
  return (filter.resource.empty() || filter.resource == watcher.resource->resource) &&
         (filter.namespace_.empty() || filter.namespace_ == watcher.namespace_) &&
         (filter.user_agent.empty() || watcher.user_agent.find(filter.user_agent) != std::string::npos);
}

void WatchHub::add(const std::shared_ptr<Watcher>& watcher, Duration timeout) {
  watchers_[watcher->id] = watcher;
  by_bucket_[watcher->resource->bucket.get()].push_back(watcher);
  const std::uint64_t id = watcher->id;
  watcher->timeout = schedule_(timeout, [this, id] { finish(id); });
  if (!watcher->bookmarks) return;
  // A server sends a bookmark every minute, and one two seconds before the end.
  const Duration last = timeout - std::chrono::seconds(2);
  if (last > Duration::zero()) arm_bookmark(watcher, std::min(limits_.bookmark_interval, last));
}

void WatchHub::arm_bookmark(const std::shared_ptr<Watcher>& watcher, Duration delay) {
  const std::uint64_t id = watcher->id;
  watcher->bookmark_timer = schedule_(delay, [this, id] {
    const auto it = watchers_.find(id);
    if (it == watchers_.end()) return;
    const auto alive = it->second;
    send_bookmark(*alive, false);
    if (watchers_.count(id)) arm_bookmark(alive, limits_.bookmark_interval);
  });
}

std::shared_ptr<Watcher> WatchHub::take(std::uint64_t id) {
  const auto it = watchers_.find(id);
  if (it == watchers_.end()) return nullptr;
  const std::shared_ptr<Watcher> watcher = it->second;
  watchers_.erase(it);
  const auto list = by_bucket_.find(watcher->resource->bucket.get());
  if (list != by_bucket_.end()) {
    std::erase(list->second, watcher);
    if (list->second.empty()) by_bucket_.erase(list);
  }
  watcher->timeout.cancel();
  watcher->bookmark_timer.cancel();
  watcher->release_timer.cancel();
  return watcher;
}

void WatchHub::finish(std::uint64_t id) {
  if (const auto watcher = take(id)) watcher->out->finish();
}

void WatchHub::abort(std::uint64_t id) {
  if (const auto watcher = take(id)) watcher->out->abort();
}

void WatchHub::forget(std::uint64_t id) {
  take(id);
}

std::vector<std::shared_ptr<Watcher>> WatchHub::matching(const WatchFilter& filter) const {
  std::vector<std::shared_ptr<Watcher>> out;
  for (const auto& [id, watcher] : watchers_) {
    if (selects(filter, *watcher)) out.push_back(watcher);
  }
  return out;
}

std::vector<std::shared_ptr<Watcher>> WatchHub::of(const Bucket& bucket) const {
  const auto it = by_bucket_.find(&bucket);
  return it == by_bucket_.end() ? std::vector<std::shared_ptr<Watcher>>() : it->second;
}

void WatchHub::publish(const std::shared_ptr<const Event>& event) {
  const auto list = by_bucket_.find(event->bucket);
  if (list == by_bucket_.end()) return;
  // A watcher that is cut leaves the list: walk it backwards over the positions that stay.
  std::vector<std::uint64_t> cut;
  for (const auto& watcher : list->second) {
    if (!deliver(*watcher, *event)) cut.push_back(watcher->id);
  }
  for (const std::uint64_t id : cut) abort(id);
}

bool WatchHub::deliver(Watcher& watcher, const Event& event) {
  if (event.version <= watcher.after) return true;
  watcher.after = event.version;
  if (!watcher.filter.matches_key(event.key)) return true;
  const bool was = event.previous && watcher.filter.matches(event.previous);
  const bool is = event.type != WatchEventType::Deleted && watcher.filter.matches(event.object);
  if (!was && !is) return true;
  const std::string_view type = !was ? "ADDED" : is ? "MODIFIED" : "DELETED";
  // What left a selector is shown as it last matched, at the version of the change.
  const bool left = was && !is && event.type != WatchEventType::Deleted;
  if (watcher.form.view == View::Table) {
    send(watcher, frame(watcher, type, left ? with_version(event.previous, event.version) : event.object));
  } else {
    const auto text = encoded(event, watcher, left ? event.previous : event.object, left);
    send(watcher, watch_frame(watcher.form.format, type, *text));
  }
  return watcher.held_bytes + watcher.out->backlog() <= limits_.backlog;
}

std::shared_ptr<const std::string> WatchHub::encoded(const Event& event, const Watcher& watcher,
                                                     const meta::Object& object, bool previous) {
  const std::uint64_t key = encoding_key(watcher, previous);
  for (const auto& [known, text] : event.encodings) {
    if (known == key) return text;
  }
  meta::Object shown = previous ? with_version(object, event.version) : object;
  shown = watcher.form.view == View::Metadata ? metadata_view(shown, watcher.form.table_version)
                                              : as_version(shown, *watcher.resource);
  auto text =
      std::make_shared<const std::string>(encode_watched(watcher.form.format, shown).value_or(std::string("{}")));
  event.encodings.emplace_back(key, text);
  return text;
}

std::string WatchHub::frame(Watcher& watcher, std::string_view type, const meta::Object& object) {
  meta::Object shown;
  switch (watcher.form.view) {
    case View::Full:
      shown = as_version(object, *watcher.resource);
      break;
    case View::Metadata:
      shown = metadata_view(object, watcher.form.table_version);
      break;
    case View::Table:
      shown =
          table({object}, version_only(object), *watcher.resource, watcher.form, !watcher.header_sent, clock_.wall());
      watcher.header_sent = true;
      break;
  }
  return watch_frame(watcher.form.format, type, encode_watched(watcher.form.format, shown).value_or(std::string("{}")));
}

void WatchHub::send_object(Watcher& watcher, std::string_view type, const meta::Object& object) {
  send(watcher, frame(watcher, type, object));
}

void WatchHub::send_state(Watcher& watcher) {
  const Bucket& bucket = *watcher.resource->bucket;
  const std::string& prefix = watcher.filter.prefix();
  for (auto it = bucket.objects.lower_bound(prefix); it != bucket.objects.end() && it->first.starts_with(prefix);
       ++it) {
    if (watcher.filter.matches(it->second)) send_object(watcher, "ADDED", it->second);
  }
  watcher.after = storage_.version();
}

void WatchHub::replay(Watcher& watcher) {
  const auto& history = watcher.resource->bucket->history;
  auto it = std::upper_bound(history.begin(), history.end(), watcher.after,
                             [](std::uint64_t version, const auto& event) { return version < event->version; });
  // The backlog limit is for watchers that do not read; what was asked for is sent whole.
  for (; it != history.end(); ++it) {
    deliver(watcher, **it);
    (*it)->encodings.clear();
  }
}

void WatchHub::send_bookmark(Watcher& watcher, bool initial_events_end) {
  // A watch that waits for a version in the future stays silent.
  if (watcher.dropping_bookmarks || watcher.after > storage_.version()) return;
  const meta::Object object = bookmark_object(*watcher.resource, storage_.version(), initial_events_end);
  send_object(watcher, "BOOKMARK", object);
}

void WatchHub::send_error(Watcher& watcher, const meta::Object& status) {
  send(watcher, watch_frame(watcher.form.format, "ERROR",
                            encode_watched(watcher.form.format, status).value_or(std::string("{}"))));
}

void WatchHub::send(Watcher& watcher, std::string bytes) {
  if (watcher.stalls == 0 && watcher.delay == Duration::zero() && watcher.held.empty())
    return write(watcher, std::move(bytes));
  watcher.held_bytes += bytes.size();
  watcher.held.emplace_back(clock_.now() + watcher.delay, std::move(bytes));
  if (const auto it = watchers_.find(watcher.id); it != watchers_.end() && !watcher.release_timer.pending())
    release(it->second);
}

void WatchHub::write(Watcher& watcher, std::string bytes) {
  if (watcher.truncate_next) {
    watcher.truncate_next = false;
    bytes.resize(bytes.size() / 2);
    watcher.out->write(std::move(bytes));
    const std::uint64_t id = watcher.id;
    schedule_(Duration::zero(), [this, id] { abort(id); });
    watcher.stalls++;  // nothing may follow the half frame
    return;
  }
  watcher.out->write(std::move(bytes));
}

void WatchHub::release(const std::shared_ptr<Watcher>& watcher) {
  while (watcher->stalls == 0 && !watcher->held.empty()) {
    const Duration wait = watcher->held.front().first - clock_.now();
    if (wait > Duration::zero()) {
      const std::uint64_t id = watcher->id;
      watcher->release_timer = schedule_(wait, [this, id] {
        if (const auto it = watchers_.find(id); it != watchers_.end()) {
          const auto alive = it->second;
          alive->release_timer = Timer();
          release(alive);
        }
      });
      return;
    }
    std::string bytes = std::move(watcher->held.front().second);
    watcher->held.pop_front();
    watcher->held_bytes -= bytes.size();
    write(*watcher, std::move(bytes));
  }
}

}  // namespace kubexx::apiserver
