#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/internal/deadline.hpp"
#include "base/internal/insist.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::informer {

/// How far an informer and its handlers are, for whoever waits for it or wants to be called: the one place that says
/// so.
///
/// Threads: safe from any thread. Observers are called without a lock, by whoever made the change.
class Progress {
 public:
  struct Facts {
    bool started = false;
    bool stopping = false;
    bool dropping = true;  ///< what waits for handlers, at the end
    bool stopped = false;
    bool restored = false;  ///< it has what a file had
    bool synced = false;
    bool whole = false;                     ///< everything of the scope is there
    std::uint64_t scope_changes = 0;        ///< that were asked for
    bool has_one_version = true;            ///< it does not come from several watches
    std::string version = {};               ///< of the store
    std::uint64_t rollbacks = 0;            ///< how often it fell
    std::vector<std::string> mutated = {};  ///< keys
  };

  template <class Read>
  auto read(Read look) const {
    const std::lock_guard lock(mutex_);
    return look(facts_);
  }
  template <class Change>
  auto change(Change make) {
    const std::lock_guard lock(mutex_);
    struct Wake {
      Progress& all;
      ~Wake() {
        if (all.waiting_ > 0) all.changed_.notify_all();
      }
    } wake{*this};
    return make(facts_);
  }
  /// Until ready(facts), asked under the lock; false when the token or the time ended it.
  template <class Ready>
  Result<bool> wait(const kubexx::detail::Awaited& awaited, Ready ready, const std::stop_token& stop = {},
                    std::optional<Duration> timeout = {}) const {
    std::unique_lock lock(mutex_);
    ++waiting_;
    const auto until = kubexx::detail::after(Clock::system().now(), timeout.value_or(Duration::max()));
    const auto met = changed_.wait(awaited, lock, [&] { return ready(facts_); }, stop, until);
    --waiting_;
    return met;
  }

  /// The callback ends with the returned handle.
  [[nodiscard]] std::shared_ptr<void> observe(std::function<void()> callback) const {
    auto observer = std::make_shared<std::function<void()>>(std::move(callback));
    const std::lock_guard lock(mutex_);
    observers_.push_back(observer);
    return observer;
  }
  /// Something about sync changed: of the informer, or of one of its handlers.
  void tell() const {
    std::vector<std::shared_ptr<std::function<void()>>> alive;
    insist([&] {
      alive.clear();
      const std::lock_guard lock(mutex_);
      std::erase_if(observers_, [](const auto& weak) { return weak.expired(); });
      for (const auto& weak : observers_) {
        if (auto observer = weak.lock()) alive.push_back(std::move(observer));
      }
    });
    for (const auto& observer : alive) call_isolated("observer of an informer", *observer);
  }

 private:
  mutable std::mutex mutex_;
  mutable kubexx::detail::DrivingCondition changed_;
  mutable int waiting_ = 0;                                              // guarded by mutex_
  Facts facts_;                                                          // guarded by mutex_
  mutable std::vector<std::weak_ptr<std::function<void()>>> observers_;  // guarded by mutex_
};

}  // namespace kubexx::informer
