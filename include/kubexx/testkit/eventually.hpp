#pragma once

#include <functional>

#include "kubexx/base/clock.hpp"

namespace kubexx::testkit {

/// Until the condition holds; false when it did not within the ceiling. For what has no event to wait for: it is asked
/// again every few milliseconds, on this thread.
///
/// Example: `EXPECT_TRUE(eventually([&] { return informer.status().objects == 3; }));`
[[nodiscard]] bool eventually(const std::function<bool()>& condition, Duration ceiling = std::chrono::seconds(30));

}  // namespace kubexx::testkit
