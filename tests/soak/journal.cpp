#include "soak/journal.hpp"

#include <cstdio>

namespace kubexx::soak {
namespace {

constexpr std::size_t kLinesKept = 40;

}  // namespace

std::string seconds_text(Duration duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", std::chrono::duration<double>(duration).count());
  return text;
}

std::string Journal::stamped(const std::string& line) const {
  return seconds_text(elapsed()) + " " + line;
}

void Journal::append(Lines& lines, std::string line) {
  if (lines.size() == kLinesKept) lines.pop_front();
  lines.push_back(std::move(line));
}

void Journal::event(const std::string& key, const std::string& line) {
  const std::lock_guard lock(mutex_);
  ++events_;
  append(by_key_[key], stamped(line));
}

void Journal::fault(const std::string& line) {
  const std::lock_guard lock(mutex_);
  append(faults_, stamped(line));
}

void Journal::violation(const std::string& key, const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    if (first_) return;
    const auto known = by_key_.find(key);
    Lines events;
    if (known != by_key_.end()) events = known->second;
    first_ = Violation{elapsed(), key, what, {events.begin(), events.end()}, {faults_.begin(), faults_.end()}};
  }
  over_.request_stop();
}

std::optional<Violation> Journal::violated() const {
  const std::lock_guard lock(mutex_);
  return first_;
}

std::uint64_t Journal::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

}  // namespace kubexx::soak
