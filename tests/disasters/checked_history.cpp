#include "disasters/checked_history.hpp"

#include <algorithm>

namespace kubexx::disasters {

void CheckedHistory::on_add(const meta::Object& object, bool /*initial*/, const informer::EventContext& context) {
  const auto key = context.key_of(object);
  const std::lock_guard lock(mutex_);
  ++calls_;
  const auto [at, added] = versions_.emplace(key, object.resource_version());
  if (!added) problems_.push_back("add " + key + ": it is there already, at " + at->second);
}

void CheckedHistory::on_update(const meta::Object& before, const meta::Object& after,
                               const informer::EventContext& context) {
  const auto key = context.key_of(after);
  const std::lock_guard lock(mutex_);
  ++calls_;
  const auto known = versions_.find(key);
  if (known == versions_.end()) {
    problems_.push_back("update " + key + ": it was never added");
  } else if (known->second != before.resource_version()) {
    problems_.push_back("update " + key + ": from " + std::string(before.resource_version()) + ", but last was " +
                        known->second);
  }
  versions_[key] = after.resource_version();
}

void CheckedHistory::on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& /*context*/) {
  const std::lock_guard lock(mutex_);
  ++calls_;
  if (!gone.final_state_known()) ++inferred_;
  if (versions_.erase(gone.key()) == 0) problems_.push_back("delete " + gone.key() + ": it was never added");
}

std::vector<std::string> CheckedHistory::view() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  for (const auto& [key, version] : versions_) lines.push_back(key + "=" + version);
  std::sort(lines.begin(), lines.end());  // of m1 and m10 the lines sort otherwise than the keys
  return lines;
}

std::vector<std::string> CheckedHistory::problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}

std::size_t CheckedHistory::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::size_t CheckedHistory::inferred_deletes() const {
  const std::lock_guard lock(mutex_);
  return inferred_;
}

}  // namespace kubexx::disasters
