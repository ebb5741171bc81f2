#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/meta/object.hpp"
#include "kubexx/meta/watch_event.hpp"

namespace kubexx::apiserver {

struct Bucket;

/// One write. `object` is the state after it, or for a deletion the last one with the version of the deletion.
struct Event {
  std::uint64_t version = 0;
  meta::WatchEventType type = meta::WatchEventType::Added;
  std::string key;
  meta::Object object;
  meta::Object previous;  ///< null for Added
  Bucket* bucket = nullptr;
  std::size_t bytes = 0;  ///< that go with it
};

/// The objects of one resource, all namespaces and versions, and the events that led to them.
struct Bucket {
  std::string group;
  std::string resource;
  std::map<std::string, meta::Object, std::less<>> objects;  ///< "ns/name" or "name", in etcd's order
  std::deque<std::shared_ptr<const Event>> history;
  std::uint64_t floor = 0;  ///< events up to this version are gone
};

std::string storage_key(std::string_view namespace_, std::string_view name);

/// All objects in memory, one version counter over all of them, and a bounded history. Not thread-safe: its owner
/// serializes.
class Storage {
 public:
  using Listener = std::function<void(const std::shared_ptr<const Event>&)>;
  Storage(std::size_t history_events, std::size_t history_bytes)
      : limit_events_(history_events), limit_bytes_(history_bytes) {}

  void set_listener(Listener listener) { listener_ = std::move(listener); }
  std::uint64_t version() const noexcept { return version_; }
  /// The bucket of a resource, made when it does not exist yet.
  std::shared_ptr<Bucket> bucket(std::string_view group, std::string_view resource);
  std::shared_ptr<Bucket> find(std::string_view group, std::string_view resource) const;
  void drop(const std::shared_ptr<Bucket>& bucket);
  const std::map<std::pair<std::string, std::string>, std::shared_ptr<Bucket>>& buckets() const noexcept {
    return buckets_;
  }

  /// Stores the object under the next version and tells the listener. Returns it with that resourceVersion.
  meta::Object put(Bucket& bucket, const std::string& key, const meta::Object& object);
  /// Removes it; the returned object carries the version of the deletion. Null when there was none.
  meta::Object erase(Bucket& bucket, const std::string& key);

  void compact();
  std::size_t history_bytes() const noexcept { return bytes_; }  ///< kept for the history alone

  /// Up to `limit` (0: all) objects from `start` (inclusive) with the key prefix, as they were at `version`.
  struct Page {
    std::vector<meta::Object> objects;
    std::string next;           ///< key to go on from; empty: that was all
    std::size_t remaining = 0;  ///< objects behind `next`, selectors not applied
  };
  /// Nullopt when the version is no longer known. `wanted` filters.
  std::optional<Page> list_at(const Bucket& bucket, std::uint64_t version, std::string_view prefix,
                              std::string_view start, std::size_t limit,
                              const std::function<bool(const meta::Object&)>& wanted) const;

  struct Snapshot {
    std::uint64_t version = 0;
    std::vector<std::pair<std::pair<std::string, std::string>, std::map<std::string, meta::Object, std::less<>>>>
        buckets;
  };
  Snapshot snapshot() const;
  /// Back to that state and version, without events; the history is empty then.
  void restore(const Snapshot& snapshot);

 private:
  void record(const std::shared_ptr<Event>& event);
  void announce(const std::shared_ptr<const Event>& event);
  void trim();

  const std::size_t limit_events_;
  const std::size_t limit_bytes_;
  std::uint64_t version_ = 0;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Bucket>> buckets_;
  std::deque<std::shared_ptr<const Event>> order_;  // over all buckets, oldest first
  std::size_t bytes_ = 0;
  Listener listener_;
};

/// A copy with another resourceVersion.
meta::Object with_version(const meta::Object& object, std::uint64_t version);

}  // namespace kubexx::apiserver
