#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <unordered_map>

#include "informer/notification.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/informer/registration.hpp"

namespace kubexx::informer {

/// One handler and what waits for it. Calls run one at a time on the handlers' executor; no thread is kept while
/// nothing waits. The buffer grows with the backlog and shrinks with it.
class ProcessorListener : public std::enable_shared_from_this<ProcessorListener> {
 public:
  static std::shared_ptr<ProcessorListener> create(std::shared_ptr<ResourceEventHandler> handler,
                                                   HandlerOptions options, std::shared_ptr<Executor> executor,
                                                   const std::string& informer,
                                                   const std::shared_ptr<MetricsRegistry>& metrics);
  /// For create.
  ProcessorListener(std::shared_ptr<ResourceEventHandler> handler, HandlerOptions options,
                    std::shared_ptr<Executor> executor, const std::string& informer,
                    const std::shared_ptr<MetricsRegistry>& metrics);

  /// From the informer's strand. Those of them that are syncs count only while this listener is syncing.
  void add(const std::shared_ptr<NotificationBlock>& block);
  /// The informer has synced and every initial add of this listener was queued.
  void upstream_synced();
  /// No further calls; what waits is dropped. Waits for a running call unless that is where we are.
  void close_and_wait();
  void close();

  bool has_synced() const;
  bool wait_until_synced(std::stop_token stop) const;
  bool closed() const;
  bool running() const;
  const std::string& where() const noexcept { return where_; }
  HandlerStatus status() const;

  std::function<void()> on_idle;  // called when no call runs any more after close(); set before the first add()

  // Resync bookkeeping, on the informer's strand.
  Duration requested_period{};
  Duration period{};
  TimePoint next_resync{};
  bool syncing = false;  // at this tick

 private:
  /// What waits: the notifications of a block from `next` on. When coalescing, one that is ours alone.
  struct Waiting {
    std::shared_ptr<NotificationBlock> block;
    TimePoint since;
    bool with_syncs = true;
    bool live = true;  // merged away otherwise
    std::size_t next = 0;
    std::size_t end = 0;  // of what is taken
  };

  void schedule();
  void run();
  bool take(Waiting& into, std::size_t limit);
  std::size_t call_all(const Waiting& taken);
  void call(const Notification& notification, TimePoint& now);
  void add_own(Notification notification);
  void push_own(Notification notification);
  void push(Waiting waiting, std::size_t count);  // with mutex_ held
  void start_if_needed(std::unique_lock<std::mutex> lock);
  bool merge(Notification& notification);
  bool synced_locked() const { return upstream_synced_ && pending_initial_.load() == 0; }

  const std::shared_ptr<ResourceEventHandler> handler_;
  const HandlerOptions options_;
  const std::shared_ptr<Executor> executor_;
  const std::string where_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::deque<Waiting> pending_;                          // guarded by mutex_
  std::unordered_map<std::string, std::size_t> newest_;  // guarded by mutex_; key to absolute position, when coalescing
  std::size_t taken_ = 0;                                // guarded by mutex_; absolute position of pending_.front()
  bool upstream_synced_ = false;                         // guarded by mutex_
  bool scheduled_ = false;                               // guarded by mutex_
  bool running_ = false;                                 // guarded by mutex_; calls are being made
  std::thread::id runner_;                               // guarded by mutex_
  TimePoint running_since_{};                            // guarded by mutex_; when the calls being made were queued
  std::stop_source stop_;
  const std::stop_token token_ = stop_.get_token();

  std::atomic<bool> closed_{false};  // set under mutex_
  std::atomic<std::size_t> depth_{0};
  std::atomic<std::size_t> pending_initial_{0};
  // Written by whoever makes the calls.
  std::atomic<std::size_t> left_{0};  // of the calls being made, not begun
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<Duration> last_{};
  std::atomic<Duration> busy_{};
  std::atomic<Duration> slowest_{};

  Gauge depth_gauge_;
  Gauge age_gauge_;
  Histogram latency_;
  Counter errors_;
};

}  // namespace kubexx::informer
