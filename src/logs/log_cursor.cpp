#include "logs/log_cursor.hpp"

#include <algorithm>

#include "kubexx/base/detail/hash.hpp"

namespace kubexx::logs {

void LogCursor::begin(bool same_run) {
  comparing_ = !marks_.empty();
  expected_ = same_run;
  found_last_ = false;
  at_ = 0;
  before_left_ = same_time_before_;
}

LogCursor::Verdict LogCursor::take(WallTime time, std::string_view text, bool may_follow_gap) {
  const Mark mark{time, kubexx::detail::hash_bytes(text, seed_)};
  Verdict verdict = Verdict::New;
  if (comparing_) {
    if (known(mark)) return Verdict::Known;
    if (expected_ && !found_last_) verdict = Verdict::AfterGap;
    if (verdict == Verdict::AfterGap && !may_follow_gap) return verdict;
    comparing_ = false;
  }
  remember(mark);
  return verdict;
}

std::optional<WallTime> LogCursor::last() const {
  if (marks_.empty()) return std::nullopt;
  return marks_.back().time;
}

bool LogCursor::known(const Mark& mark) {
  if (forgot_ && at_ == 0) {
    if (mark.time < marks_.front().time) return true;
    if (mark.time == marks_.front().time && before_left_ > 0) {
      --before_left_;
      return true;
    }
  }
  const auto found = std::find(marks_.begin() + static_cast<std::ptrdiff_t>(at_), marks_.end(), mark);
  // What comes before the first line that was seen was not asked for then: only the last lines were.
  if (found == marks_.end()) return expected_ && at_ == 0 && mark.time <= marks_.front().time;
  at_ = static_cast<std::size_t>(found - marks_.begin()) + 1;
  found_last_ = at_ == marks_.size();
  return true;
}

void LogCursor::remember(const Mark& mark) {
  marks_.push_back(mark);
  if (marks_.size() <= most_) return;
  const bool same = marks_[0].time == marks_[1].time;
  same_time_before_ = same ? same_time_before_ + 1 : 0;
  forgot_ = true;
  marks_.pop_front();
}

}  // namespace kubexx::logs
