#include "apiserver/storage/watch_hub.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "apiserver/http/codecs.hpp"
#include "apiserver/http/table.hpp"
#include "apiserver/http/view.hpp"
#include "base/internal/insist.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::apiserver {
namespace {

using meta::WatchEventType;

// What decides about a frame's bytes besides the write that it shows.
std::uint64_t shape_of(const Watcher& watcher, std::string_view type, bool left, bool header) {
  const Negotiated& form = watcher.form;
  const auto included = form.include_object == "None" ? 0U : form.include_object == "Object" ? 2U : 1U;
  return (std::uint64_t{watcher.resource->id} << 32) | (static_cast<std::uint64_t>(type.front()) << 16) |
         (static_cast<std::uint64_t>(form.format) << 8) | (static_cast<std::uint64_t>(form.view) << 6) |
         (included << 4) | (form.table_version == "v1" ? 4U : 0U) | (header ? 2U : 0U) | (left ? 1U : 0U);
}

std::uint64_t version_of(const meta::Object& stored) {
  const std::string_view text = stored.resource_version();
  std::uint64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

std::size_t unread(const Watcher& watcher) {
  return watcher.held_bytes + watcher.out->backlog();
}

}  // namespace

bool selects(const WatchFilter& filter, const Watcher& watcher) {
  return (filter.resource.empty() || filter.resource == watcher.resource->resource) &&
         (filter.namespace_.empty() || filter.namespace_ == watcher.namespace_) &&
         (filter.user_agent.empty() || watcher.user_agent.find(filter.user_agent) != std::string::npos);
}

void WatchHub::add(const std::shared_ptr<Watcher>& watcher, Duration timeout) {
  watchers_.emplace(watcher->id, watcher);
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
  if (watchers_.empty()) frames_.clear();
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
  std::vector<std::uint64_t> cut;  // a watcher that is cut leaves the list
  for (const auto& watcher : list->second) {
    const bool delivered = call_isolated("apiserver watch", [&] {
      deliver(*watcher, *event);
      if (unread(*watcher) > watcher->asked + limits_.backlog) cut.push_back(watcher->id);
    });
    if (!delivered) insist([&] { cut.push_back(watcher->id); });  // it lacks an event
  }
  fresh_.clear();
  for (const std::uint64_t id : cut) abort(id);
  relieve();
}

// Frames are shared: which of them go with a watcher is known when it is gone. So the slowest lose their watch until
// what the rest has not read, counted for each, fits. One alone may hold more: it asked for a large state.
void WatchHub::relieve() {
  if (frames_.held() <= limits_.unread) return;
  std::vector<std::pair<std::size_t, std::uint64_t>> slow;
  std::size_t total = 0;
  for (const auto& [id, watcher] : watchers_) {
    const std::size_t bytes = unread(*watcher);
    total += bytes;
    if (bytes > 0) slow.emplace_back(bytes, id);
  }
  std::sort(slow.rbegin(), slow.rend());
  for (std::size_t i = 0; i + 1 < slow.size() && total > limits_.unread; ++i) {
    total -= slow[i].first;
    abort(slow[i].second);
  }
}

void WatchHub::deliver(Watcher& watcher, const Event& event) {
  if (event.version <= watcher.after) return;
  watcher.after = event.version;
  if (!watcher.filter.matches_key(event.key)) return;
  const bool was = event.previous && watcher.filter.matches(event.previous);
  const bool is = event.type != WatchEventType::Deleted && watcher.filter.matches(event.object);
  if (!was && !is) return;
  const std::string_view type = !was ? "ADDED" : is ? "MODIFIED" : "DELETED";
  // What left a selector is shown as it last matched, at the version of the change.
  const bool left = was && !is && event.type != WatchEventType::Deleted;
  fresh_.push_back(frame(watcher, type, left ? event.previous : event.object, event.version, left));
  send(watcher, fresh_.back());
}

SharedBytes WatchHub::frame(Watcher& watcher, std::string_view type, const meta::Object& object, std::uint64_t version,
                            bool left) {
  const bool table = watcher.form.view == View::Table;
  const bool header = table && !std::exchange(watcher.header_sent, true);
  const auto second = std::chrono::duration_cast<std::chrono::seconds>(clock_.wall().time_since_epoch()).count();
  const FrameCache::Key key{version, shape_of(watcher, type, left, header), table ? second : 0};
  return frames_.get(key, [&] { return encode(watcher, type, left ? with_version(object, version) : object, header); });
}

std::string WatchHub::encode(const Watcher& watcher, std::string_view type, const meta::Object& object,
                             bool header) const {
  meta::Object shown;
  switch (watcher.form.view) {
    case View::Full:
      shown = as_version(object, *watcher.resource);
      break;
    case View::Metadata:
      shown = metadata_view(object, watcher.form.table_version);
      break;
    case View::Table:
      shown = table({object}, version_only(object), *watcher.resource, watcher.form, header, clock_.wall());
      break;
  }
  return watch_frame(watcher.form.format, type, encode_watched(watcher.form.format, shown).value_or(std::string("{}")));
}

void WatchHub::send_state(Watcher& watcher) {
  const Bucket& bucket = *watcher.resource->bucket;
  const std::string& prefix = watcher.filter.prefix();
  for (auto it = bucket.objects.lower_bound(prefix); it != bucket.objects.end() && it->first.starts_with(prefix);
       ++it) {
    const meta::Object& object = it->second;
    if (!watcher.filter.matches(object)) continue;
    send(watcher, frame(watcher, "ADDED", object, version_of(object), false));
  }
  watcher.after = storage_.version();
  watcher.asked = unread(watcher);
  relieve();
}

void WatchHub::replay(Watcher& watcher) {
  const auto& history = watcher.resource->bucket->history;
  auto it = std::upper_bound(history.begin(), history.end(), watcher.after,
                             [](std::uint64_t version, const auto& event) { return version < event->version; });
  for (; it != history.end(); ++it) {
    deliver(watcher, **it);
    fresh_.clear();
  }
  watcher.asked = unread(watcher);
  relieve();
}

void WatchHub::send_bookmark(Watcher& watcher, bool initial_events_end) {
  // A watch that waits for a version in the future stays silent.
  if (watcher.dropping_bookmarks || watcher.after > storage_.version()) return;
  const meta::Object object = bookmark_object(*watcher.resource, storage_.version(), initial_events_end);
  const bool header = watcher.form.view == View::Table && !std::exchange(watcher.header_sent, true);
  send(watcher, frames_.count(encode(watcher, "BOOKMARK", object, header)));
}

void WatchHub::send_error(Watcher& watcher, const meta::Object& status) {
  send(watcher, frames_.count(watch_frame(watcher.form.format, "ERROR",
                                          encode_watched(watcher.form.format, status).value_or(std::string("{}")))));
}

void WatchHub::send(Watcher& watcher, SharedBytes bytes) {
  if (watcher.stalls == 0 && watcher.delay == Duration::zero() && watcher.held.empty())
    return write(watcher, std::move(bytes));
  watcher.held_bytes += bytes->size();
  watcher.held.emplace_back(clock_.now() + watcher.delay, std::move(bytes));
  if (const auto it = watchers_.find(watcher.id); it != watchers_.end() && !watcher.release_timer.pending())
    release(it->second);
}

void WatchHub::write(Watcher& watcher, SharedBytes bytes) {
  if (watcher.truncate_next) {
    watcher.truncate_next = false;
    watcher.out->write(frames_.count(bytes->substr(0, bytes->size() / 2)));
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
    SharedBytes bytes = std::move(watcher->held.front().second);
    watcher->held.pop_front();
    watcher->held_bytes -= bytes->size();
    write(*watcher, std::move(bytes));
  }
}

}  // namespace kubexx::apiserver
