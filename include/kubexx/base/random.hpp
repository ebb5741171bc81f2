#pragma once

#include <atomic>
#include <cstdint>

#include "kubexx/base/export.hpp"

namespace kubexx {

/// A seeded generator, injected wherever jitter is needed so that a seed replays a run.
///
/// Threads: safe from any thread, without a lock; several that share one share its numbers.
/// Errors: none.
/// Example:
///
///     Random random(42);
///     const auto delay = 100ms + std::chrono::milliseconds(random.below(50));
class KUBEXX_EXPORT Random {
 public:
  explicit Random(std::uint64_t seed);
  static Random& process() noexcept;  ///< seeded from the system once
  /// The next 64 bits.
  std::uint64_t next() noexcept;
  double uniform() noexcept;                          ///< [0, 1)
  std::uint64_t below(std::uint64_t bound) noexcept;  ///< [0, bound); 0 for bound 0

 private:
  std::atomic<std::uint64_t> state_;
};

}  // namespace kubexx
