#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"

namespace kubexx::workqueue {

/// How long an item has to wait before it is tried again, given how often it was put back already.
///
/// The counting is the queue's: it keeps the number of requeues with the item, so a limiter is only a rule. Copies are
/// the same limiter; queues that share a token bucket share its tokens.
///
/// Threads: safe from any thread.
/// Errors: nonsensical arguments throw std::invalid_argument. What a custom rule throws comes out where the item is
/// added.
/// Example:
///
///     auto limiter = workqueue::RateLimiter::max_of({workqueue::RateLimiter::exponential(5ms, 60s),
///                                                    workqueue::RateLimiter::token_bucket(10, 100)});
///     workqueue::RateLimitingQueue<std::string> queue(executor, limiter);
class KUBEXX_EXPORT RateLimiter {
 public:
  /// base, 2 base, 4 base, ... up to cap.
  static RateLimiter exponential(Duration base = std::chrono::milliseconds(1),
                                 Duration cap = std::chrono::seconds(1000));
  /// `fast` for the first `fast_tries` requeues of an item, `slow` from then on.
  static RateLimiter fast_slow(Duration fast, Duration slow, std::uint32_t fast_tries);
  /// All items together: `burst` at once, then `per_second`.
  static RateLimiter token_bucket(double per_second, std::uint32_t burst);
  /// The longest of what several say; each of them is asked every time.
  static RateLimiter max_of(std::vector<RateLimiter> limiters);
  static RateLimiter with_max_wait(RateLimiter limiter, Duration longest);
  /// Runs on the thread that adds, without a lock held.
  static RateLimiter custom(std::function<Duration(std::uint32_t requeues, TimePoint now)> rule);

  /// What controllers use: per item 5 ms doubling up to 1000 s, and 10 a second with bursts of 100 for all of them.
  static RateLimiter default_controller();

  /// How long an item waits that was added again so often.
  Duration when(std::uint32_t requeues, TimePoint now) const { return rule_->when(requeues, now); }
  bool calls_user_code() const noexcept { return rule_->user_code; }  ///< a custom rule takes part

 private:
  struct Rule {
    virtual ~Rule() = default;
    virtual Duration when(std::uint32_t requeues, TimePoint now) = 0;
    bool user_code = false;
  };
  struct Exponential;
  struct FastSlow;
  struct TokenBucket;
  struct MaxOf;
  struct WithMaxWait;
  struct Custom;
  explicit RateLimiter(std::shared_ptr<Rule> rule) : rule_(std::move(rule)) {}

  std::shared_ptr<Rule> rule_;
};

}  // namespace kubexx::workqueue
