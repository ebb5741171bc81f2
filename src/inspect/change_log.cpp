#include "inspect/change_log.hpp"

#include <utility>

namespace kubexx::inspect {
namespace {

/// As if it were alone: what it shares with others may soon be its own.
std::size_t held_bytes(const meta::Object& object) {
  return object.byte_size() + object.shared_bytes();
}

}  // namespace

std::vector<Change> ChangeLog::of(std::string_view key, std::size_t most) const {
  std::vector<Change> found;
  const std::lock_guard lock(mutex_);
  for (auto change = changes_.rbegin(); change != changes_.rend() && found.size() < most; ++change) {
    if (change->key == key) found.push_back(*change);
  }
  return found;
}

std::size_t ChangeLog::size() const {
  const std::lock_guard lock(mutex_);
  return changes_.size();
}

std::size_t ChangeLog::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void ChangeLog::on_add(const meta::Object&, bool, const informer::EventContext&) {}

void ChangeLog::on_update(const meta::Object& before, const meta::Object& after,
                          const informer::EventContext& context) {
  if (before.same_document(after) || before.resource_version() == after.resource_version()) return;
  keep({meta::ObjectKey::of(after).to_string(), context.cause(), clock_.wall(), before, after});
}

void ChangeLog::on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) {
  keep({gone.key(), context.cause(), clock_.wall(), gone.last_known(), {}});
}

void ChangeLog::keep(Change change) {
  std::deque<Change> dropped;  // freed without the lock
  const std::lock_guard lock(mutex_);
  bytes_ += held_bytes(change.before);
  changes_.push_back(std::move(change));
  while (changes_.size() > kMostChanges || bytes_ > kMostBytes) {
    bytes_ -= held_bytes(changes_.front().before);
    dropped.push_back(std::move(changes_.front()));
    changes_.pop_front();
  }
}

}  // namespace kubexx::inspect
