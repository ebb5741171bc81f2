#include "kubexx/workqueue/rate_limiter.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace kubexx::workqueue {

namespace {
void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}
}  // namespace

struct KUBEXX_HIDDEN RateLimiter::Exponential final : Rule {
  Exponential(Duration b, Duration c) : base(b), cap(c) {}
  Duration when(std::uint32_t requeues, TimePoint) override {
    // base << requeues would exceed the cap, or the type.
    if (requeues >= 63 || base.count() > (cap.count() >> requeues)) return base.count() == 0 ? base : cap;
    return Duration(base.count() << requeues);
  }
  const Duration base;
  const Duration cap;
};

struct KUBEXX_HIDDEN RateLimiter::FastSlow final : Rule {
  FastSlow(Duration f, Duration s, std::uint32_t n) : fast(f), slow(s), fast_tries(n) {}
  Duration when(std::uint32_t requeues, TimePoint) override { return requeues < fast_tries ? fast : slow; }
  const Duration fast;
  const Duration slow;
  const std::uint32_t fast_tries;
};

struct KUBEXX_HIDDEN RateLimiter::TokenBucket final : Rule {
  TokenBucket(double rate, std::uint32_t size) : per_second(rate), burst(size), tokens(size) {}
  Duration when(std::uint32_t, TimePoint now) override {
    constexpr double kLongest = 1e9;  // seconds; keeps the conversion inside the range
    const std::lock_guard lock(mutex);
    if (now > refilled) {
      if (refilled != TimePoint()) {
        tokens = std::min(burst, tokens + std::chrono::duration<double>(now - refilled).count() * per_second);
      }
      refilled = now;
    }
    tokens -= 1;  // below zero: promised tokens that are still to come
    if (tokens >= 0) return Duration::zero();
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(std::min(-tokens / per_second, kLongest)));
  }
  const double per_second;
  const double burst;
  std::mutex mutex;
  double tokens;       // guarded by mutex
  TimePoint refilled;  // guarded by mutex
};

struct KUBEXX_HIDDEN RateLimiter::MaxOf final : Rule {
  explicit MaxOf(std::vector<RateLimiter> l) : limiters(std::move(l)) {
    for (const RateLimiter& limiter : limiters) user_code = user_code || limiter.calls_user_code();
  }
  Duration when(std::uint32_t requeues, TimePoint now) override {
    Duration longest{};
    for (const RateLimiter& limiter : limiters) longest = std::max(longest, limiter.when(requeues, now));
    return longest;
  }
  const std::vector<RateLimiter> limiters;
};

struct KUBEXX_HIDDEN RateLimiter::WithMaxWait final : Rule {
  WithMaxWait(RateLimiter l, Duration d) : limiter(std::move(l)), longest(d) { user_code = limiter.calls_user_code(); }
  Duration when(std::uint32_t requeues, TimePoint now) override {
    return std::min(limiter.when(requeues, now), longest);
  }
  const RateLimiter limiter;
  const Duration longest;
};

struct KUBEXX_HIDDEN RateLimiter::Custom final : Rule {
  explicit Custom(std::function<Duration(std::uint32_t, TimePoint)> r) : rule(std::move(r)) { user_code = true; }
  Duration when(std::uint32_t requeues, TimePoint now) override { return rule(requeues, now); }
  const std::function<Duration(std::uint32_t, TimePoint)> rule;
};

RateLimiter RateLimiter::exponential(Duration base, Duration cap) {
  require(base >= Duration::zero() && cap >= Duration::zero(), "exponential limiter: negative delay");
  return RateLimiter(std::make_shared<Exponential>(base, cap));
}

RateLimiter RateLimiter::fast_slow(Duration fast, Duration slow, std::uint32_t fast_tries) {
  return RateLimiter(std::make_shared<FastSlow>(fast, slow, fast_tries));
}

RateLimiter RateLimiter::token_bucket(double per_second, std::uint32_t burst) {
  require(std::isfinite(per_second) && per_second > 0 && burst > 0, "token bucket: rate and burst must be positive");
  return RateLimiter(std::make_shared<TokenBucket>(per_second, burst));
}

RateLimiter RateLimiter::max_of(std::vector<RateLimiter> limiters) {
  return RateLimiter(std::make_shared<MaxOf>(std::move(limiters)));
}

RateLimiter RateLimiter::with_max_wait(RateLimiter limiter, Duration longest) {
  return RateLimiter(std::make_shared<WithMaxWait>(std::move(limiter), longest));
}

RateLimiter RateLimiter::custom(std::function<Duration(std::uint32_t, TimePoint)> rule) {
  require(static_cast<bool>(rule), "custom limiter: no rule");
  return RateLimiter(std::make_shared<Custom>(std::move(rule)));
}

RateLimiter RateLimiter::default_controller() {
  return max_of({exponential(std::chrono::milliseconds(5), std::chrono::seconds(1000)), token_bucket(10, 100)});
}

}  // namespace kubexx::workqueue
