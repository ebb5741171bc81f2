#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

#include "election/leader_guard_impl.hpp"
#include "kubexx/election/shard_membership.hpp"

namespace kubexx::election {

/// What a replica owns at the moment and what it works on. Thread-safe.
struct ShardLedger : std::enable_shared_from_this<ShardLedger> {
  ShardWork begin(std::string_view key);
  void finish(std::size_t slot) noexcept;
  bool owns(std::string_view key) const;
  ShardSet owned() const;

  void set_guard(std::shared_ptr<LeaderGuard::Impl> guard);
  void set_owned(const ShardSet& slots);
  /// Whether no work runs in these slots; if some does, `idle` is called when the last one is finished.
  bool idle(const ShardSet& slots);
  /// Called from any thread that finishes work; must not block. Null: nobody waits any more.
  void on_idle(std::function<void()> tell);

 private:
  bool has(std::size_t slot) const;  // with mutex_ held

  mutable std::mutex mutex_;
  ShardSet owned_;                                   // guarded by mutex_
  ShardSet awaited_;                                 // guarded by mutex_
  std::array<std::uint32_t, kShardSlots> active_{};  // guarded by mutex_
  std::shared_ptr<LeaderGuard::Impl> guard_;         // guarded by mutex_
  std::function<void()> tell_;                       // guarded by mutex_
};

}  // namespace kubexx::election
