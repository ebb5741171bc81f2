#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/manager/status.hpp"

namespace kubexx::manager {

/// What a manager and its components are at the moment, for whoever asks.
///
/// Threads: safe from any thread. `changed` is called without the lock.
class StatusBoard {
 public:
  explicit StatusBoard(std::shared_ptr<Executor> executor) : executor_(std::move(executor)) {}
  void on_change(std::function<void()> changed) { changed_ = std::move(changed); }  ///< before anything changes

  std::size_t add(std::string name, bool needs_leader, ComponentState state);
  void set(std::size_t component, ComponentState state, std::optional<Error> error = {});
  void set(ManagerState state);
  void set_reason(const Error& reason);
  ManagerStatus status() const;

 private:
  TimePoint now() const { return executor_->clock().now(); }

  const std::shared_ptr<Executor> executor_;
  std::function<void()> changed_;
  mutable std::mutex mutex_;
  ManagerStatus status_;  // guarded by mutex_
};

}  // namespace kubexx::manager
