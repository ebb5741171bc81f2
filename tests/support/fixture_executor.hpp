#pragma once

#include <cstdint>
#include <memory>

#include "kubexx/base/executor.hpp"

namespace kubexx {

/// The ManualExecutor of a fixture, whose tasks that never ran go with it: they may hold the executor, which then would
/// never go. Declare it before what uses it. Copies of the pointer may outlive it.
class FixtureExecutor : public std::shared_ptr<ManualExecutor> {
 public:
  explicit FixtureExecutor(std::uint64_t seed = 0) : shared_ptr(std::make_shared<ManualExecutor>(seed)) {}
  FixtureExecutor(const FixtureExecutor&) = delete;
  FixtureExecutor& operator=(const FixtureExecutor&) = delete;
  ~FixtureExecutor() { get()->shut_down(); }

  /// Another one from here on.
  void renew(std::uint64_t seed = 0) {
    get()->shut_down();
    shared_ptr::operator=(std::make_shared<ManualExecutor>(seed));
  }
};

}  // namespace kubexx
