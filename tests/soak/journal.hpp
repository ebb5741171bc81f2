#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexx/base/clock.hpp"

namespace kubexx::soak {

/// What must not happen, and when it did.
struct Violation {
  Duration at = {};  ///< since the start
  std::string key = {};
  std::string what = {};
  std::vector<std::string> events = {};  ///< the last ones of the key
  std::vector<std::string> faults = {};  ///< the last ones of all
};

/// What happened lately to every key, what was broken, and the first violation. Of each the last few lines: a run of
/// hours takes no more memory than one of minutes.
///
/// Threads: safe from any thread.
class Journal {
 public:
  Journal() : began_(Clock::system().now()) {}

  /// Since the start.
  Duration elapsed() const { return Clock::system().now() - began_; }
  /// `key`: "configmaps default/c-1".
  void event(const std::string& key, const std::string& line);
  void fault(const std::string& line);
  /// The first one counts; `key` may be empty.
  void violation(const std::string& key, const std::string& what);

  std::optional<Violation> violated() const;
  /// Fires with the first violation.
  std::stop_token over() const { return over_.get_token(); }
  std::uint64_t events() const;

 private:
  using Lines = std::deque<std::string>;
  std::string stamped(const std::string& line) const;
  static void append(Lines& lines, std::string line);

  const TimePoint began_;
  mutable std::mutex mutex_;
  std::map<std::string, Lines> by_key_;  // guarded by mutex_
  Lines faults_;                         // guarded by mutex_
  std::optional<Violation> first_;       // guarded by mutex_
  std::uint64_t events_ = 0;             // guarded by mutex_
  std::stop_source over_;
};

/// "12.345 s"
std::string seconds_text(Duration duration);

}  // namespace kubexx::soak
