#pragma once

#include <functional>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"

namespace kubexx::testkit {

/// Until the condition holds; false when it did not within the ceiling. For what has no event to wait for: it is asked
/// again every few milliseconds.
///
/// Threads: blocks; the condition is asked on this thread.
/// Errors: what the condition throws comes out.
/// Example:
///
///     auto pods = factory.core().v1().pods();
///     const bool all_there = testkit::eventually([&] { return pods.status().objects == 3; });
[[nodiscard]] KUBEXX_EXPORT bool eventually(const std::function<bool()>& condition,
                                            Duration ceiling = std::chrono::seconds(30));

}  // namespace kubexx::testkit
