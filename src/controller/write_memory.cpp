#include "controller/write_memory.hpp"

#include <algorithm>

#include "kubexx/meta/resource_version.hpp"

namespace kubexx::controller {
namespace {

bool newer(std::string_view one, std::string_view other) {
  if (one.empty() || other.empty()) return !one.empty();
  const auto order = meta::compare_resource_versions(one, other);
  return order && *order == std::strong_ordering::greater;
}

}  // namespace

/// Answers of writes that were under way together may come in another order than the server has them in.
void WriteMemory::remember(informer::Written written, TimePoint now) {
  const std::lock_guard lock(mutex_);
  auto& entry = entries_[written.key];
  const auto& before = entry.written.resource_version;
  const bool removal = written.resource_version.empty();
  if (!removal && newer(before, written.resource_version)) return;
  if (removal) written.resource_version = before;  // the cache has to get there first
  entry = {std::move(written), now, ++number_, false};
}

std::vector<informer::Written> WriteMemory::missing(const meta::ObjectKey& key, const Reached& reached, TimePoint now) {
  std::vector<Entry> of_key;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(key); found != entries_.end()) of_key.push_back(found->second);
  }
  return of_key.empty() ? std::vector<informer::Written>() : look(std::move(of_key), reached, now);
}

std::vector<informer::Written> WriteMemory::missing_in(std::string_view namespace_, const Reached& reached,
                                                       TimePoint now) {
  std::vector<Entry> inside;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, entry] : entries_) {
      if (namespace_.empty() || key.namespace_ == namespace_) inside.push_back(entry);
    }
  }
  return look(std::move(inside), reached, now);
}

/// Asks the cache without the lock; what was written again meanwhile stays.
std::vector<informer::Written> WriteMemory::look(std::vector<Entry> entries, const Reached& reached, TimePoint now) {
  for (auto& entry : entries) entry.reached = old(entry, now) || reached(entry.written);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& entry : entries) {
      const auto found = entries_.find(entry.written.key);
      if (found == entries_.end() || found->second.number != entry.number) continue;
      if (!entry.reached) {
        found->second.seen = true;
      } else if (!may_still_show(entry, now)) {
        entries_.erase(found);
      }
    }
  }
  std::vector<informer::Written> missing;
  for (auto& entry : entries) {
    if (!entry.reached) missing.push_back(std::move(entry.written));
  }
  return missing;
}

/// A removal of what the cache has never shown: perhaps it has not heard of it at all.
bool WriteMemory::may_still_show(const Entry& entry, TimePoint now) const {
  return entry.written.resource_version.empty() && !entry.seen && now - entry.at <= limits_.unseen;
}

bool WriteMemory::make_room(const Reached& reached, TimePoint now) {
  {
    const std::lock_guard lock(mutex_);
    if (entries_.size() < std::min(sweep_at_, limits_.writes)) return true;
    if (!reached && entries_.size() >= limits_.writes) {
      entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                      [](const auto& a, const auto& b) { return a.second.number < b.second.number; }));
      return true;
    }
  }
  if (reached) static_cast<void>(missing_in({}, reached, now));
  const std::lock_guard lock(mutex_);
  sweep_at_ = std::max<std::size_t>(64, entries_.size() * 2);
  return entries_.size() < limits_.writes;
}

std::size_t WriteMemory::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace kubexx::controller
