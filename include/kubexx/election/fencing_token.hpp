#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::election {

/// Names one term of a leader to systems outside Kubernetes, which no guard can stand before: the leader gives it with
/// every write, and the system keeps the newest it saw and refuses what is older. Then nothing of a leader that was
/// stopped in the middle of a call comes after the first write of the next one.
struct KUBEXX_EXPORT FencingToken {
  std::int64_t transitions = 0;       ///< the Lease's leaseTransitions; every term has its own
  std::string resource_version = {};  ///< of the write that began the term; renewals do not change the token

  /// By version, which also grows when the Lease was deleted and made anew; by transitions where versions are no
  /// numbers. Of tokens of one Lease.
  bool newer_than(const FencingToken& other) const noexcept;
  std::string to_string() const;  ///< "7/123456": transitions and version
  static Result<FencingToken> parse(std::string_view text);

  friend bool operator==(const FencingToken&, const FencingToken&) = default;
};

}  // namespace kubexx::election
