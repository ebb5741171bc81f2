#include "apiserver/storage/storage.hpp"

#include <algorithm>

#include "kubexx/meta/object_builder.hpp"

namespace kubexx::apiserver {

std::string storage_key(std::string_view namespace_, std::string_view name) {
  if (namespace_.empty()) return std::string(name);
  std::string key;
  key.reserve(namespace_.size() + 1 + name.size());
  key.append(namespace_).append(1, '/').append(name);
  return key;
}

meta::Object with_version(const meta::Object& object, std::uint64_t version) {
  meta::ObjectBuilder out;
  const std::string text = std::to_string(version);
  out.begin_map();
  for (const auto& [name, value] : object.root().entries()) {
    out.key(name);
    if (name != "metadata" || !value.is_map()) {
      out.copy(value);
      continue;
    }
    out.begin_map();
    bool written = false;
    for (const auto& [field, content] : value.entries()) {
      out.key(field);
      if (field == "resourceVersion") {
        out.string(text);
        written = true;
      } else {
        out.copy(content);
      }
    }
    if (!written) {
      out.key("resourceVersion");
      out.string(text);
    }
    out.end_map();
  }
  out.end_map();
  auto done = out.finish();
  return done ? *done : object;
}

std::shared_ptr<Bucket> Storage::bucket(std::string_view group, std::string_view resource) {
  auto& bucket = buckets_[{std::string(group), std::string(resource)}];
  if (!bucket) {
    bucket = std::make_shared<Bucket>();
    bucket->group = group;
    bucket->resource = resource;
    bucket->floor = version_;
  }
  return bucket;
}

std::shared_ptr<Bucket> Storage::find(std::string_view group, std::string_view resource) const {
  const auto it = buckets_.find({std::string(group), std::string(resource)});
  return it == buckets_.end() ? nullptr : it->second;
}

void Storage::drop(const std::shared_ptr<Bucket>& bucket) {
  std::erase_if(order_, [&](const auto& event) {
    if (event->bucket != bucket.get()) return false;
    bytes_ -= event->bytes;
    return true;
  });
  buckets_.erase({bucket->group, bucket->resource});
}

// A write happens with its event or not at all: what may lack memory comes first.
meta::Object Storage::put(Bucket& bucket, const std::string& key, const meta::Object& object) {
  auto event = std::make_shared<Event>();
  event->version = version_ + 1;
  event->bucket = &bucket;
  event->key = key;
  event->object =
      object.resource_version() == std::to_string(event->version) ? object : with_version(object, event->version);
  meta::Object stored = event->object;
  const auto [slot, added] = bucket.objects.try_emplace(key);
  event->type = added ? meta::WatchEventType::Added : meta::WatchEventType::Modified;
  event->previous = slot->second;
  try {
    record(event);
  } catch (...) {
    if (added) bucket.objects.erase(slot);
    throw;
  }
  slot->second = stored;
  announce(event);
  return stored;
}

meta::Object Storage::erase(Bucket& bucket, const std::string& key) {
  const auto it = bucket.objects.find(key);
  if (it == bucket.objects.end()) return {};
  auto event = std::make_shared<Event>();
  event->version = version_ + 1;
  event->bucket = &bucket;
  event->key = key;
  event->type = meta::WatchEventType::Deleted;
  event->previous = it->second;
  event->object = with_version(it->second, event->version);
  meta::Object last = event->object;
  record(event);
  bucket.objects.erase(it);
  announce(event);
  return last;
}

// What only the history keeps: the state before, and the last one of what is gone. A state after is the current one, or
// is counted by the event that replaced it, which goes later than this one.
void Storage::record(const std::shared_ptr<Event>& event) {
  // What it shares counts as if it were alone: it may be soon.
  const auto bytes = [](const meta::Object& object) { return object.byte_size() + object.shared_bytes(); };
  event->bytes = sizeof(Event) + event->key.size() + bytes(event->previous) +
                 (event->type == meta::WatchEventType::Deleted ? bytes(event->object) : 0);
  event->bucket->history.push_back(event);
  try {
    order_.push_back(event);
  } catch (...) {
    event->bucket->history.pop_back();
    throw;
  }
  bytes_ += event->bytes;
  version_ = event->version;
}

void Storage::announce(const std::shared_ptr<const Event>& event) {
  if (listener_) listener_(event);
  trim();
}

void Storage::trim() {
  while (order_.size() > limit_events_ || bytes_ > limit_bytes_) {
    if (order_.empty()) break;
    const auto oldest = order_.front();
    order_.pop_front();
    bytes_ -= oldest->bytes;
    oldest->bucket->floor = oldest->version;
    oldest->bucket->history.pop_front();
  }
}

void Storage::compact() {
  order_.clear();
  bytes_ = 0;
  for (auto& [name, bucket] : buckets_) {
    bucket->history.clear();
    bucket->floor = version_;
  }
}

std::optional<Storage::Page> Storage::list_at(const Bucket& bucket, std::uint64_t version, std::string_view prefix,
                                              std::string_view start, std::size_t limit,
                                              const std::function<bool(const meta::Object&)>& wanted) const {
  if (version < bucket.floor) return std::nullopt;
  // What later events changed, as it was before them: walking back, the oldest of them has the last word.
  std::map<std::string_view, meta::Object> undone;
  for (auto it = bucket.history.rbegin(); it != bucket.history.rend() && (*it)->version > version; ++it) {
    const Event& event = **it;
    if (event.key.starts_with(prefix)) undone[event.key] = event.previous;
  }
  Page page;
  const auto visit = [&](std::string_view key, const meta::Object& object) {
    if (!page.next.empty()) {
      ++page.remaining;
      return;
    }
    if (!object || (wanted && !wanted(object))) return;
    if (limit && page.objects.size() == limit) {
      page.next = key;
      page.remaining = 1;
      return;
    }
    page.objects.push_back(object);
  };
  const std::string_view from = std::max(start, prefix);
  auto current = bucket.objects.lower_bound(from);
  auto past = undone.lower_bound(from);
  while (true) {
    const bool has_current = current != bucket.objects.end() && current->first.starts_with(prefix);
    const bool has_past = past != undone.end();
    if (!has_current && !has_past) break;
    if (has_past && (!has_current || past->first <= current->first)) {
      if (has_current && past->first == current->first) ++current;
      if (past->second) visit(past->first, past->second);
      ++past;
    } else {
      visit(current->first, current->second);
      ++current;
    }
  }
  return page;
}

Storage::Snapshot Storage::snapshot() const {
  Snapshot out;
  out.version = version_;
  for (const auto& [name, bucket] : buckets_) out.buckets.emplace_back(name, bucket->objects);
  return out;
}

void Storage::restore(const Snapshot& snapshot) {
  version_ = snapshot.version;
  for (auto& [name, bucket] : buckets_) bucket->objects.clear();
  for (const auto& [name, objects] : snapshot.buckets) bucket(name.first, name.second)->objects = objects;
  compact();
}

}  // namespace kubexx::apiserver
