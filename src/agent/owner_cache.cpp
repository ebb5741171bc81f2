#include "agent/owner_cache.hpp"

#include <algorithm>

#include "kubexx/meta/owner_reference.hpp"

namespace kubexx::agent::detail {
namespace {

constexpr Duration kForbiddenFor = std::chrono::minutes(5);

/// Whether the same request may be answered otherwise later. What is wrong with the request itself stays: a name that
/// is none, for example, which whoever makes pods may write into them.
bool may_pass(const Error& error) {
  if (error.kind() == ErrorKind::Transport || error.kind() == ErrorKind::Timeout || error.is_canceled()) return true;
  return error.code() == 401 || error.code() == 403 || error.code() == 408 || error.code() == 429 ||
         error.code() >= 500;
}

std::shared_ptr<const OwnerReference> reference_of(meta::Value owner) {
  if (!owner) return nullptr;
  return std::make_shared<const OwnerReference>(
      OwnerReference{std::string(owner["apiVersion"].string()), std::string(owner["kind"].string()),
                     std::string(owner["name"].string()), std::string(owner["uid"].string())});
}

bool same(const OwnerCache::Answer& a, const OwnerCache::Answer& b) {
  return a.above && b.above ? *a.above == *b.above : a.above == b.above;
}

}  // namespace

std::optional<OwnerQuestion> question_about(const PodRecord& record) {
  const auto& owner = record.controller;
  if (!owner || owner.name.empty()) return std::nullopt;
  const auto ask = [&](const char* group, const char* resource) {
    return OwnerQuestion{
        {group, "v1", resource}, std::string(record.pod.namespace_()), std::string(owner.name), std::string(owner.uid)};
  };
  if (owner.kind == "ReplicaSet" && owner.api_version.starts_with("apps/")) return ask("apps", "replicasets");
  if (owner.kind == "Job" && owner.api_version.starts_with("batch/")) return ask("batch", "jobs");
  return std::nullopt;
}

std::optional<OwnerCache::Answer> OwnerCache::find_or_ask(OwnerQuestion question) {
  auto key = question.key();
  if (const auto found = owners_.find(key); found != owners_.end()) return found->second.answer;
  waiting_.push_back(key);
  owners_.emplace(std::move(key), Known{std::move(question)});
  return std::nullopt;
}

std::optional<OwnerQuestion> OwnerCache::next() {
  while (!waiting_.empty() && under_way_ < options_.most_requests && clock_->now() >= paused_until_) {
    const auto found = owners_.find(waiting_.front());
    waiting_.pop_front();
    if (found == owners_.end()) continue;  // forgotten meanwhile
    ++under_way_;
    return found->second.question;
  }
  return std::nullopt;
}

std::optional<OwnerCache::Answer> OwnerCache::answered(const OwnerQuestion& question,
                                                       const Result<meta::Object>& metadata) {
  --under_way_;
  if (!metadata && may_pass(metadata.error())) {
    failed(question, metadata.error());
    return std::nullopt;
  }
  backoff_.reset();
  last_error_.reset();
  const auto found = owners_.find(question.key());
  if (found == owners_.end()) return std::nullopt;
  auto& owner = found->second;
  owner.asking = false;
  owner.due = options_.refresh > Duration::zero() ? clock_->now() + options_.refresh : TimePoint::max();
  // Another one of that name says nothing about the one that was asked for.
  const bool there = metadata && metadata->uid() == question.uid;
  if (owner.answer && !there) return std::nullopt;  // its pods end with it; what was known of them stays true
  Answer answer{there ? reference_of(meta::controller_of(*metadata)) : nullptr};
  if (owner.answer && same(*owner.answer, answer)) return std::nullopt;
  known_ += owner.answer ? 0 : 1;
  owner.answer = answer;
  return answer;
}

void OwnerCache::failed(const OwnerQuestion& question, const Error& error) {
  last_error_ = error;
  if (error.code() == 403) {  // perhaps in this namespace alone
    if (const auto found = owners_.find(question.key()); found != owners_.end()) {
      found->second.asking = false;
      found->second.due = clock_->now() + kForbiddenFor;
    }
    return;
  }
  waiting_.push_back(question.key());
  const Duration asked_for = error.retry_after().value_or(std::chrono::milliseconds(0));
  paused_until_ = clock_->now() + std::max(backoff_.next(), asked_for);
}

void OwnerCache::refresh() {
  const auto now = clock_->now();
  for (auto& [key, owner] : owners_) {
    if (owner.asking || now < owner.due) continue;
    owner.asking = true;
    waiting_.push_back(key);
  }
}

TimePoint OwnerCache::due() const noexcept {
  auto due = TimePoint::max();
  if (!waiting_.empty() && under_way_ < options_.most_requests) due = paused_until_;
  for (const auto& [key, owner] : owners_) {
    if (!owner.asking) due = std::min(due, owner.due);
  }
  return due;
}

void OwnerCache::keep_only(const std::set<std::string, std::less<>>& keys) {
  std::erase_if(owners_, [&](const auto& each) {
    if (keys.contains(each.first)) return false;
    known_ -= each.second.answer ? 1 : 0;
    return true;
  });
}

}  // namespace kubexx::agent::detail
