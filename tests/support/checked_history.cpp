#include "support/checked_history.hpp"

#include <algorithm>

#include "kubexx/meta/resource_version.hpp"

namespace kubexx {

void CheckedHistory::on_add(const meta::Object& object, bool /*initial*/, const informer::EventContext& context) {
  const auto key = context.key_of(object);
  Problems found;
  {
    const std::lock_guard lock(mutex_);
    found = begin_call();
    const auto [at, added] = versions_.emplace(key, object.resource_version());
    if (!added) found.push_back("it is there already, at " + at->second);
    follow_version(key, object.resource_version(), found);
  }
  tell("add", key, found);
}

void CheckedHistory::on_update(const meta::Object& before, const meta::Object& after,
                               const informer::EventContext& context) {
  const auto key = context.key_of(after);
  Problems found;
  {
    const std::lock_guard lock(mutex_);
    found = begin_call();
    const auto known = versions_.find(key);
    if (known == versions_.end()) {
      found.emplace_back("it was never added");
    } else if (known->second != before.resource_version()) {
      found.push_back("from " + std::string(before.resource_version()) + ", but last was " + known->second);
    }
    versions_[key] = after.resource_version();
    follow_version(key, after.resource_version(), found);
  }
  tell("update", key, found);
}

void CheckedHistory::on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& /*context*/) {
  Problems found;
  {
    const std::lock_guard lock(mutex_);
    found = begin_call();
    if (!gone.final_state_known()) ++inferred_;
    if (versions_.erase(gone.key()) == 0) found.emplace_back("it was never added");
    if (gone.last_known()) follow_version(gone.key(), gone.last_known().resource_version(), found);
  }
  tell("delete", gone.key(), found);
}

CheckedHistory::Problems CheckedHistory::begin_call() {
  ++calls_;
  if (retired_) return {"called after its removal"};
  return {};
}

void CheckedHistory::follow_version(const std::string& key, std::string_view version, Problems& found) {
  if (rules_.versions_may_fall) return;
  const auto [newest, first] = newest_.emplace(key, version);
  if (first) return;
  const auto order = meta::compare_resource_versions(version, newest->second);
  if (!order || *order == std::strong_ordering::less) {
    found.push_back("the version fell from " + newest->second + " to " + std::string(version));
  }
  newest->second = version;
}

void CheckedHistory::tell(const char* call, const std::string& key, const Problems& found) {
  for (const auto& what : found) {
    if (rules_.on_problem) rules_.on_problem(key, std::string(call) + ": " + what);
    const std::lock_guard lock(mutex_);
    problems_.push_back(std::string(call) + " " + key + ": " + what);
  }
}

void CheckedHistory::retire() {
  const std::lock_guard lock(mutex_);
  retired_ = true;
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

}  // namespace kubexx
