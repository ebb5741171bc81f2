#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <utility>

#include "delta/brief_lock.hpp"

namespace kubexx::delta {

/// What both queues tell their neighbours: there is something to take, the first content was processed, it is
/// over. None of its functions may be called with a lock of the queue held.
class Gate {
 public:
  void on_ready(std::function<void()> hook) { ready_hook_ = std::move(hook); }
  void on_synced(std::function<void()> hook) {
    synced_hook_ = std::move(hook);
    if (synced()) run(synced_hook_);
  }

  /// The queue was empty and is not any more.
  void became_ready() {
    wake();
    run(ready_hook_);
  }

  bool closed() const noexcept { return closed_.load(); }
  void close() {
    closed_.store(true);
    wake();
    run(ready_hook_);
  }

  bool synced() const noexcept { return synced_.load(std::memory_order_acquire); }
  void latch_synced() {
    if (!synced_.exchange(true)) run(synced_hook_);
  }

  /// Blocks until has_items(), the end, or stop. `has_items` must be safe to call at any time.
  template <class HasItems>
  bool wait(const std::stop_token& stop, HasItems has_items) {
    for (int i = 0; i < kSpins; ++i) {
      if (has_items()) return true;
      if (closed() || stop.stop_requested()) return has_items();
      relax();
    }
    std::unique_lock lock(mutex_);
    waiters_.fetch_add(1);
    condition_.wait(lock, stop, [&] { return has_items() || closed(); });
    waiters_.fetch_sub(1);
    return has_items();
  }

 private:
  static constexpr int kSpins = 200;  // a few microseconds: a busy producer is back before a sleep would begin

  static void run(const std::function<void()>& hook) {
    if (hook) hook();
  }
  void wake() {
    if (waiters_.load() == 0) return;
    {
      const std::lock_guard lock(mutex_);
    }
    condition_.notify_all();
  }

  std::function<void()> ready_hook_;
  std::function<void()> synced_hook_;
  std::atomic<bool> closed_{false};
  std::atomic<bool> synced_{false};
  std::atomic<int> waiters_{0};
  std::mutex mutex_;
  std::condition_variable_any condition_;
};

}  // namespace kubexx::delta
