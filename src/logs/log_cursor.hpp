#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "kubexx/base/clock.hpp"

namespace kubexx::logs {

/// How far a reader is in the log of a container, and which lines of an answer it has seen before.
///
/// A server is asked from a whole second on, and lines may share a time to the nanosecond. So the last lines are kept
/// as time and hash, in order, and an answer is laid beside them: what is there is known, and at the first line that is
/// not everything is new. A node that threw the beginning of its file away answers with less, which is known too. If
/// the last line does not come again although it should, others may be missing.
class LogCursor {
 public:
  explicit LogCursor(std::uint64_t seed, std::size_t marks = kMarks) : seed_(seed), most_(marks) {}

  enum class Verdict {
    Known,
    New,
    AfterGap,  ///< new, and the last line did not come again before it
  };
  /// An answer begins. `same_run`: of the log that the last line came from, so that it is expected to come again.
  void begin(bool same_run);
  /// A line after a gap counts as seen only if it `may`; else nothing has changed.
  Verdict take(WallTime time, std::string_view text, bool may_follow_gap = true);
  /// The last line came again in this answer.
  bool found_last() const noexcept { return found_last_; }
  /// It was expected to, and has not yet.
  bool lacks_last() const noexcept { return comparing_ && expected_ && !found_last_; }
  /// The time of the last line; absent: none was seen.
  std::optional<WallTime> last() const;

 private:
  static constexpr std::size_t kMarks = 512;
  struct Mark {
    WallTime time;
    std::uint64_t hash = 0;
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  bool known(const Mark& mark);
  void remember(const Mark& mark);

  const std::uint64_t seed_;
  const std::size_t most_;
  std::deque<Mark> marks_;              // the last lines
  std::uint64_t same_time_before_ = 0;  // lines right before those, with the time of the first of them
  bool forgot_ = false;                 // there were lines before those
  // Of the answer under way.
  bool comparing_ = false;
  bool expected_ = false;
  bool found_last_ = false;
  std::size_t at_ = 0;  // marks before it came again, or will not
  std::uint64_t before_left_ = 0;
};

}  // namespace kubexx::logs
