#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
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
  ProcessorListener(std::shared_ptr<ResourceEventHandler> handler, HandlerOptions options,
                    std::shared_ptr<Executor> executor, const std::string& informer,
                    const std::shared_ptr<MetricsRegistry>& metrics);

  void add(Notification notification);  // from the informer's strand
  /// The informer has synced and every initial add of this listener was queued.
  void upstream_synced();
  /// No further calls; what waits is dropped. Waits for a running call unless that is where we are.
  void close_and_wait();
  void close();

  bool has_synced() const;
  bool wait_until_synced(std::stop_token stop) const;
  bool closed() const;
  HandlerStatus status() const;

  // Resync bookkeeping, on the informer's strand.
  Duration requested_period{};
  Duration period{};
  TimePoint next_resync{};
  bool syncing = false;  // at this tick

 private:
  void schedule();
  void run();
  void call(const Notification& notification);
  void push(Notification notification);
  bool merge(Notification& notification);
  bool synced_locked() const { return upstream_synced_ && pending_initial_ == 0; }

  const std::shared_ptr<ResourceEventHandler> handler_;
  const HandlerOptions options_;
  const std::shared_ptr<Executor> executor_;
  const std::string where_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  struct Waiting {
    Notification notification;
    TimePoint since;
    bool live = true;  // merged away otherwise
  };
  std::deque<Waiting> pending_;                          // guarded by mutex_
  std::unordered_map<std::string, std::size_t> newest_;  // guarded by mutex_; key to absolute position, when coalescing
  std::size_t taken_ = 0;                                // guarded by mutex_; absolute position of pending_.front()
  std::size_t depth_ = 0;                                // guarded by mutex_
  std::size_t pending_initial_ = 0;                      // guarded by mutex_
  bool upstream_synced_ = false;                         // guarded by mutex_
  bool scheduled_ = false;                               // guarded by mutex_
  bool running_ = false;                                 // guarded by mutex_
  bool closed_ = false;                                  // guarded by mutex_
  std::thread::id runner_;                               // guarded by mutex_
  HandlerStatus status_;                                 // guarded by mutex_
  std::stop_source stop_;

  Gauge depth_gauge_;
  Histogram latency_;
  Counter errors_;
};

}  // namespace kubexx::informer
