#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "kubexx/base/executor.hpp"

namespace kubexx::detail {

/// The one place where a thread waits for an operation. It knows the executor that the operation completes on.
class BlockingWait {
 public:
  explicit BlockingWait(std::shared_ptr<Executor> executor);
  ~BlockingWait();
  BlockingWait(const BlockingWait&) = delete;
  BlockingWait& operator=(const BlockingWait&) = delete;

  /// Goes with the completion, and ends the wait when it is destroyed: whatever the operation held is gone then, or
  /// going with it.
  class Release {
   public:
    explicit Release(BlockingWait& wait) noexcept : wait_(&wait) {}
    Release(Release&& other) noexcept : wait_(std::exchange(other.wait_, nullptr)) {}
    Release& operator=(Release&&) = delete;
    ~Release() {
      if (wait_) wait_->end();
    }

   private:
    BlockingWait* wait_;
  };

  /// Blocks until the Release is destroyed.
  void until_released();

 private:
  void end() noexcept;

  const std::shared_ptr<Executor> executor_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;  // guarded by mutex_
};

}  // namespace kubexx::detail
