#include "kubexx/apiserver/request_log.hpp"

namespace kubexx::apiserver {
namespace {

bool matches(const LoggedRequest& entry, std::string_view verb, std::string_view resource,
             const RequestFilter& filter) {
  const auto differs = [](const std::optional<std::string>& wanted, const std::string& actual) {
    return wanted && *wanted != actual;
  };
  if (!verb.empty() && entry.verb != verb) return false;
  if (!resource.empty() && entry.resource != resource) return false;
  if (filter.initial_events && *filter.initial_events != entry.options.send_initial_events.value_or(false))
    return false;
  if (filter.continued && *filter.continued == entry.options.continue_token.empty()) return false;
  if (filter.status && *filter.status != entry.status) return false;
  if (filter.user_agent && entry.user_agent.find(*filter.user_agent) == std::string::npos) return false;
  return !differs(filter.namespace_, entry.namespace_) && !differs(filter.name, entry.name) &&
         !differs(filter.resource_version, entry.options.resource_version) &&
         !differs(filter.label_selector, entry.options.label_selector) &&
         !differs(filter.subresource, entry.subresource);
}

constexpr std::size_t kMostBytes = 64 << 20;

std::size_t bytes_of(const LoggedRequest& entry) {
  std::size_t size = 0;
  for (const std::string* text :
       {&entry.path, &entry.group, &entry.version, &entry.resource, &entry.subresource, &entry.namespace_, &entry.name,
        &entry.user, &entry.user_agent, &entry.accept, &entry.content_type, &entry.options.label_selector,
        &entry.options.field_selector, &entry.options.resource_version, &entry.options.continue_token})
    size += text->size();
  return size;
}

}  // namespace

RequestLog::RequestLog(std::size_t limit) : limit_(limit ? limit : 1) {}

std::size_t RequestLog::count(std::string_view verb, std::string_view resource, const RequestFilter& filter) const {
  const std::lock_guard lock(mutex_);
  std::size_t found = 0;
  for (const LoggedRequest& entry : entries_) found += matches(entry, verb, resource, filter) ? 1 : 0;
  return found;
}

std::vector<LoggedRequest> RequestLog::entries() const {
  const std::lock_guard lock(mutex_);
  return {entries_.begin(), entries_.end()};
}

std::vector<LoggedRequest> RequestLog::entries(std::string_view verb, std::string_view resource,
                                               const RequestFilter& filter) const {
  const std::lock_guard lock(mutex_);
  std::vector<LoggedRequest> out;
  for (const LoggedRequest& entry : entries_) {
    if (matches(entry, verb, resource, filter)) out.push_back(entry);
  }
  return out;
}

std::size_t RequestLog::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void RequestLog::clear() {
  const std::lock_guard lock(mutex_);
  dropped_ += entries_.size();
  entries_.clear();
  bytes_ = 0;
}

std::size_t RequestLog::add(LoggedRequest request) {
  const std::lock_guard lock(mutex_);
  bytes_ += bytes_of(request);
  entries_.push_back(std::move(request));
  const std::size_t ticket = dropped_ + entries_.size() - 1;
  while (entries_.size() > limit_ || bytes_ > kMostBytes) {
    bytes_ -= bytes_of(entries_.front());
    entries_.pop_front();
    ++dropped_;
  }
  return ticket;
}

void RequestLog::set_status(std::size_t ticket, int status) {
  const std::lock_guard lock(mutex_);
  if (ticket >= dropped_ && ticket - dropped_ < entries_.size()) entries_[ticket - dropped_].status = status;
}

}  // namespace kubexx::apiserver
