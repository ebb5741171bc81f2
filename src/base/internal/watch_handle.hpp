#pragma once

#include <cstdint>
#include <memory>

namespace kubexx::detail {

/// What Executor::watch() returns: the executor forgets the descriptor when it goes.
template <class Impl>
struct WatchHandle {
  std::weak_ptr<Impl> impl;
  std::uint64_t id = 0;

  WatchHandle() = default;
  WatchHandle(const WatchHandle&) = delete;
  WatchHandle& operator=(const WatchHandle&) = delete;
  ~WatchHandle() {
    if (const auto alive = impl.lock()) alive->forget(id);
  }
};

}  // namespace kubexx::detail
