#pragma once

#include <condition_variable>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <stop_token>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::detail {

/// Whose tasks a wait waits for, directly or over others.
class KUBEXX_EXPORT_INTERNAL Awaited {
 public:
  Awaited() = default;
  Awaited(std::initializer_list<Executor*> executors) {
    for (Executor* const each : executors) add(each);
  }
  void add(Executor* executor);  ///< null: nobody's

  /// The Error with which a wait would end at once. For calls that must not have begun then.
  Result<void> possible() const;

  Executor* own() const noexcept { return own_; }     ///< the one that runs on this thread alone; null: none does
  bool several() const noexcept { return several_; }  ///< of them, each with a loop of its own

 private:
  Executor* own_ = nullptr;
  bool several_ = false;
};

/// What every blocking call of the library waits with. Where the calling thread is the only one that runs what the wait
/// is for, it drives that executor instead of sleeping, and where it cannot, waiting is an Error at once.
///
/// Threads: every member with the mutex held that guards what is waited for.
class KUBEXX_EXPORT_INTERNAL DrivingCondition {
 public:
  /// Until ready(), asked with the lock held. False: the token, or the time of the system's clock, ended it before.
  Result<bool> wait(const Awaited& awaited, std::unique_lock<std::mutex>& lock, const std::function<bool()>& ready,
                    const std::stop_token& stop = {}, TimePoint until = TimePoint::max());
  void notify_all() noexcept;

 private:
  Result<bool> drive(Executor& executor, std::unique_lock<std::mutex>& lock, const std::function<bool()>& ready,
                     const std::stop_token& stop, TimePoint until);

  std::condition_variable_any changed_;
  std::vector<Executor*> driven_;  // by those that wait
};

/// Until a task says so, once. For calls whose end is a task at the end of a strand.
class Ended {
 public:
  void tell() {
    const std::lock_guard lock(mutex_);
    told_ = true;
    changed_.notify_all();
  }
  /// Or until the token fires. The Error: waiting would be for ever.
  Result<void> wait(const Awaited& awaited, const std::stop_token& stop = {}) {
    std::unique_lock lock(mutex_);
    const auto met = changed_.wait(awaited, lock, [this] { return told_; }, stop);
    if (!met) return met.error();
    return {};
  }

 private:
  std::mutex mutex_;
  DrivingCondition changed_;
  bool told_ = false;  // guarded by mutex_
};

}  // namespace kubexx::detail
