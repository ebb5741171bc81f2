#include "informer/parts_status.hpp"

#include <algorithm>

#include "kubexx/meta/resource_version.hpp"

namespace kubexx::informer {
namespace {

using reflector::ReflectorState;
using reflector::ReflectorStatus;

int distance_from_watching(ReflectorState state) {
  switch (state) {
    case ReflectorState::Stopped:
      return 0;
    case ReflectorState::Watching:
      return 1;
    case ReflectorState::Polling:
      return 2;
    case ReflectorState::Opening:
      return 3;
    case ReflectorState::Listing:
    case ReflectorState::WatchListing:
      return 4;
    case ReflectorState::Idle:
      return 5;
    case ReflectorState::BackingOff:
      return 6;
    case ReflectorState::Parked:
      return 7;
  }
  return 0;
}

}  // namespace

const std::string& higher_version(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return one.empty() ? other : one;
  const auto order = meta::compare_resource_versions(one, other);
  return order && *order == std::strong_ordering::less ? other : one;
}

void add_counts(ReflectorStatus& to, const ReflectorStatus& part) {
  to.lists += part.lists;
  to.watches += part.watches;
  to.events += part.events;
  to.skipped += part.skipped;
  to.received_bytes += part.received_bytes;
  for (const auto& [reason, count] : part.restarts) to.restarts[reason] += count;
}

ReflectorStatus combined(const std::vector<ReflectorStatus>& parts) {
  ReflectorStatus all;
  if (parts.empty()) return all;
  all.state = ReflectorState::Stopped;
  all.synced_once = true;
  for (const auto& part : parts) {
    add_counts(all, part);
    all.attempts = std::max(all.attempts, part.attempts);
    all.initial_items += part.initial_items;
    all.synced_once &= part.synced_once;
    all.used_watch_list |= part.used_watch_list;
    const bool worse = distance_from_watching(part.state) >= distance_from_watching(all.state);
    if (part.last_error && (!all.last_error || worse)) all.last_error = part.last_error;
    if (worse) all.state = part.state;
    all.last_sync_resource_version = higher_version(all.last_sync_resource_version, part.last_sync_resource_version);
    // Of those that brought something: the one that has been silent for longest.
    if (part.last_activity && (!all.last_activity || *part.last_activity < *all.last_activity)) {
      all.last_activity = part.last_activity;
    }
  }
  return all;
}

}  // namespace kubexx::informer
