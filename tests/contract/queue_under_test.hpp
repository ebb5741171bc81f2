#pragma once

#include <cstdlib>
#include <string_view>

#include "kubexx/informer/shared_informer.hpp"

namespace kubexx::contract {

/// The kind of queue that informers of the contract tests have: per key if $KUBEXX_TEST_QUEUE says so. ctest runs them
/// with both.
inline informer::QueueKind queue_under_test() {
  const char* wanted = std::getenv("KUBEXX_TEST_QUEUE");  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return wanted != nullptr && std::string_view(wanted) == "per-key" ? informer::QueueKind::PerKey
                                                                    : informer::QueueKind::Ordered;
}

}  // namespace kubexx::contract
