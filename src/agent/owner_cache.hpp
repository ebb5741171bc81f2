#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/owner_question.hpp"
#include "kubexx/base/backoff.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::agent::detail {

/// What ReplicaSets and Jobs said of their own controllers, and what is still to be asked. It sends nothing itself.
///
/// Threads: one at a time.
class OwnerCache {
 public:
  struct Options {
    std::size_t most_requests = 4;
    Duration refresh = std::chrono::hours(1);  // zero: never
    Backoff backoff = {};
  };
  OwnerCache(Options options, const Clock& clock)
      : options_(options), clock_(&clock), backoff_(options.backoff, clock) {}

  struct Answer {
    std::shared_ptr<const OwnerReference> above;  // null: nobody
  };
  /// What is known; absent: it will be asked.
  std::optional<Answer> find_or_ask(OwnerQuestion question);
  /// The next request to send; absent: none is due, or enough are under way.
  std::optional<OwnerQuestion> next();
  /// The metadata of the owner, or why there is none. Returned is an answer that differs from what was known.
  std::optional<Answer> answered(const OwnerQuestion& question, const Result<meta::Object>& metadata);
  /// Asks again about what is due.
  void refresh();
  /// When next() or refresh() has something to do though nothing happened.
  TimePoint due() const noexcept;
  /// Forgets all others.
  void keep_only(const std::set<std::string, std::less<>>& keys);

  std::size_t known() const noexcept { return known_; }
  std::size_t pending() const noexcept { return owners_.size() - known_; }
  const std::optional<Error>& last_error() const noexcept { return last_error_; }

 private:
  struct Known {
    OwnerQuestion question;
    std::optional<Answer> answer = {};
    bool asking = true;  // it waits, or is under way
    TimePoint due = {};  // when it is asked again
  };
  /// All wait then, unless it is forbidden: what is wrong with one request is mostly wrong with the next.
  void failed(const OwnerQuestion& question, const Error& error);

  const Options options_;
  const Clock* clock_;
  BackoffTimer backoff_;
  std::map<std::string, Known, std::less<>> owners_;  // by the question's key
  std::deque<std::string> waiting_;                   // keys
  std::size_t under_way_ = 0;
  std::size_t known_ = 0;
  TimePoint paused_until_ = TimePoint::min();
  std::optional<Error> last_error_;
};

}  // namespace kubexx::agent::detail
