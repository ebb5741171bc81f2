#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <stop_token>

#include "kubexx/base/loop_executor.hpp"
#include "kubexx/c.h"

namespace kubexx::c {

/// What the handles of one loop share. With the last of them goes what the loop still has: calls under way are stopped
/// and complete, and the tasks that hold the loop themselves are dropped.
class LoopUse {
 public:
  LoopUse() = default;
  ~LoopUse();
  LoopUse(const LoopUse&) = delete;
  LoopUse& operator=(const LoopUse&) = delete;

  const std::shared_ptr<LoopExecutor>& executor() const noexcept { return ending_->executor; }

  /// What is left to do: outlives the handles.
  struct Ending {
    std::shared_ptr<LoopExecutor> executor = std::make_shared<LoopExecutor>();
    std::stop_source stop{};                ///< of calls under way
    std::atomic<std::size_t> calls_left{};  ///< that have not called back yet
  };
  /// For calls, which must not keep the handles' share.
  const std::shared_ptr<Ending>& ending() const noexcept { return ending_; }

 private:
  std::shared_ptr<Ending> ending_ = std::make_shared<Ending>();
};

}  // namespace kubexx::c

struct kubexx_loop {
  std::shared_ptr<kubexx::c::LoopUse> use;
};
