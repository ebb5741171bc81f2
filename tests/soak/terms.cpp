#include "soak/terms.hpp"

#include <algorithm>
#include <charconv>

namespace kubexx::soak {
namespace {

constexpr std::size_t kRemembered = 50;

template <class T>
bool take_number(std::string_view& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with('.')) text.remove_prefix(1);
  return true;
}

}  // namespace

std::string TermWrite::name() const {
  const auto text = [](TimePoint time) { return std::to_string(time.time_since_epoch().count()); };
  return whose() + "." + std::to_string(number) + "." + text(began) + "." + text(deadline);
}

std::optional<TermWrite> TermWrite::parse(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  TermWrite write;
  write.leader = name.substr(0, dot);
  name.remove_prefix(dot + 1);
  Duration::rep began = 0;
  Duration::rep deadline = 0;
  if (!take_number(name, write.term) || !take_number(name, write.number) || !take_number(name, began) ||
      !take_number(name, deadline) || !name.empty())
    return std::nullopt;
  write.began = TimePoint(Duration(began));
  write.deadline = TimePoint(Duration(deadline));
  return write;
}

void Terms::collect(apiserver::Core& core) {
  auto entries = core.requests().entries("patch", kTermWrites.resource, {.namespace_ = std::string(kTermNamespace)});
  std::ranges::stable_sort(entries, {}, &apiserver::LoggedRequest::time);
  for (const auto& entry : entries) {
    if (entry.time <= last_) continue;
    last_ = entry.time;
    if (const auto write = TermWrite::parse(entry.name)) arrived(*write, entry.time);
  }
  for (const auto& object : core.list(kTermWrites, kTermNamespace)) {
    static_cast<void>(core.remove(kTermWrites, meta::ObjectKey::of(object)));
  }
}

void Terms::arrived(const TermWrite& write, TimePoint at) {
  ++writes_;
  const auto key = "leader " + write.leader;
  journal_.event(key, "write " + write.name() + (at > write.deadline ? " late" : ""));
  if (at > write.deadline) return arrived_late(write);
  if (write.whose() == current_) return;
  if (std::ranges::find(over_, write.whose()) != over_.end()) {
    return journal_.violation(key, "two leaders: " + write.whose() + " writes after the first write of " + current_);
  }
  if (!current_.empty()) over_.push_back(current_);
  if (over_.size() > kRemembered) over_.pop_front();
  current_ = write.whose();
  ++terms_;
}

void Terms::arrived_late(const TermWrite& write) {
  if (write.began <= write.deadline) return;
  auto& names = lates_[write.deadline];
  names.insert(write.whose() + "." + std::to_string(write.number));
  if (names.size() > 1) {
    journal_.violation("leader " + write.leader, write.whose() + " wrote on after its guard's time");
  }
  if (lates_.size() > kRemembered) lates_.erase(lates_.begin());
}

}  // namespace kubexx::soak
