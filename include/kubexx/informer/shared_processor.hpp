#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/informer/event_handler.hpp"
#include "kubexx/informer/registration.hpp"
#include "kubexx/meta/key.hpp"
#include "kubexx/store/snapshot.hpp"

namespace kubexx::informer {

class Progress;  // src/informer/progress.hpp

/// One call of a handler, waiting for its turn. Adds have `after`, deletes `before`, updates both.
struct Notification {
  /// What happened to the object.
  enum class Kind : std::uint8_t { Add, Update, Delete };
  Kind kind = Kind::Add;
  EventCause cause = EventCause::Watch;
  bool initial = false;           ///< counts for the handler's has_synced
  bool final_state_known = true;  ///< of a delete
  bool repair = false;            ///< the cache was wrong until now
  bool sync = false;              ///< an update of nothing: only for handlers that are syncing
  meta::Object before = {};
  meta::Object after = {};
  meta::Key key = {};
};

/// Notifications that follow each other. Listeners share them; nobody changes a block that is shared.
struct NotificationBlock {
  static constexpr std::size_t kFull = 64;

  /// Takes one more; and whether that was the last that fits.
  void push(Notification notification) {
    if (notification.initial) ++initial;
    if (notification.sync) ++syncs;
    all.push_back(std::move(notification));
  }
  bool full() const noexcept { return all.size() >= kFull; }

  std::vector<Notification> all = {};
  std::size_t initial = 0;  // of all
  std::size_t syncs = 0;    // of all
};

/// One handler and what waits for it. The buffer grows with the backlog and shrinks with it.
///
/// Threads: safe from any thread, but for what is marked as the strand's. Calls run one at a time on the handlers'
/// executor; no thread is kept while nothing waits.
/// Stop: close() drops what waits, finish() lets it be told first.
/// Errors: what a call throws is reported to the error sink and counted. An executor that cannot take a turn is
/// reported too, and gets its next chance with the next notification.
class KUBEXX_EXPORT ProcessorListener : public std::enable_shared_from_this<ProcessorListener> {
 public:
  /// What a listener needs of its informer.
  struct Setting {
    std::string informer = {};                      ///< its name
    std::shared_ptr<Executor> executor = {};        ///< runs the calls
    std::shared_ptr<MetricsRegistry> metrics = {};  ///< null: no metrics
    meta::KeyFunc key_func = {};                    ///< absent: "namespace/name"
    std::shared_ptr<Progress> progress = {};        ///< told when a listener syncs or ends; null: nobody is
    std::shared_ptr<Executor> upstream = {};        ///< runs the informer
  };
  /// Made by SharedProcessor.
  static std::shared_ptr<ProcessorListener> create(std::shared_ptr<ResourceEventHandler> handler,
                                                   HandlerOptions options, Setting setting);
  /// For create.
  ProcessorListener(std::shared_ptr<ResourceEventHandler> handler, HandlerOptions options, Setting setting);

  /// From the informer's strand. Those of them that are syncs count only while this listener is syncing.
  void add(const std::shared_ptr<NotificationBlock>& block);
  /// The informer has synced and every initial add of this listener was queued.
  void upstream_synced();
  /// No further calls; what waits is dropped.
  void close();
  /// Closes once what waits was told.
  void finish();
  /// Until it is closed and no call runs; at once inside that very call, and where a handler's call waits for ours.
  void wait_until_ended();

  /// Whether the handler has heard of everything of the first list, waiting for that, and whether its end has come.
  bool has_synced() const;
  bool wait_until_synced(std::stop_token stop) const;
  bool closed() const;
  bool busy() const;  ///< a call runs, or will although the end has come
  /// How the handler keeps up, and what it was added with.
  HandlerStatus status() const;
  const Setting& setting() const noexcept { return setting_; }
  const std::string& where() const noexcept { return where_; }  ///< "handler NAME of INFORMER"

  /// Resync bookkeeping, on the informer's strand.
  Duration requested_period{};
  Duration period{};
  TimePoint next_resync{};
  bool syncing = false;  // at this tick
  /// Both are set before there is a registration.
  std::function<void()> on_leave;  // called when the registration was removed
  std::function<void()> on_idle;   // called when no call runs any more after the end

 private:
  /// What waits: the notifications of a block from `next` on. When coalescing, one that is ours alone.
  struct Waiting {
    std::shared_ptr<NotificationBlock> block = {};
    TimePoint since = {};
    bool with_syncs = true;
    std::size_t next = 0;
    std::size_t end = 0;  // of what is taken
  };
  using Pending = std::list<Waiting>;

  void schedule();
  void run();
  bool take(Waiting& into, std::size_t limit);
  std::size_t call_all(const Waiting& taken);
  void call(const Notification& notification, TimePoint& now);
  void close_if_finished();
  void add_own(Notification notification);
  void push_own(Notification notification);
  static Pending waiting(Waiting what);
  void push(Pending& one, std::size_t count);  // with mutex_ held
  void remember_newest();                      // with mutex_ held
  void start_if_needed(std::unique_lock<std::mutex> lock);
  bool merge(Notification& notification);  // with mutex_ held
  void sync_changed(std::unique_lock<std::mutex> lock);
  kubexx::detail::Awaited awaited() const { return {setting_.executor.get(), setting_.upstream.get()}; }
  bool synced_locked() const { return upstream_synced_ && pending_initial_.load() == 0; }

  const std::shared_ptr<ResourceEventHandler> handler_;
  const HandlerOptions options_;
  const Setting setting_;
  const std::string where_;

  mutable std::mutex mutex_;
  mutable kubexx::detail::DrivingCondition changed_;
  Pending pending_;                                          // guarded by mutex_
  std::unordered_map<meta::Key, Pending::iterator> newest_;  // guarded by mutex_; by key, when coalescing
  bool upstream_synced_ = false;                             // guarded by mutex_
  bool scheduled_ = false;                                   // guarded by mutex_
  bool running_ = false;                                     // guarded by mutex_; calls are being made
  bool finishing_ = false;                                   // guarded by mutex_
  std::thread::id runner_;                                   // guarded by mutex_
  TimePoint running_since_{};                                // guarded by mutex_; when the calls being made were queued
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

/// The handlers of an informer: what is announced reaches each of them, in order, and resyncs those that asked.
///
/// Threads: register_handler(), listeners() and busy() from any thread; everything else on the strand, which orders it
/// with the changes of the cache.
/// Stop: stop() is final; the owner calls it when nothing is announced any more.
/// Errors: none of its own; those of handlers stay with their listeners.
/// Example:
///
///     auto processor = std::make_shared<informer::SharedProcessor>(
///         strand, informer::ProcessorListener::Setting{.informer = "pods", .executor = executor}, 10min);
///     auto listener = processor->register_handler(handler, {});
///     strand.post([=] {
///       processor->join(listener, {});
///       processor->start();
///       processor->announce({.after = pod, .key = meta::Key::of(pod)});
///       processor->distribute();
///     });
class KUBEXX_EXPORT SharedProcessor : public std::enable_shared_from_this<SharedProcessor> {
 public:
  SharedProcessor(Strand strand, ProcessorListener::Setting setting, Duration resync_period);
  /// Called, from any thread, when a handler's last call has returned. Set it before there is a handler.
  void on_idle(std::function<void()> hook) { on_idle_ = std::move(hook); }

  /// A listener that is not joined yet: it hears nothing.
  std::shared_ptr<ProcessorListener> register_handler(std::shared_ptr<ResourceEventHandler> handler,
                                                      HandlerOptions options);
  /// From now on it hears what is announced, and first, as initial adds, what the cache holds.
  void join(const std::shared_ptr<ProcessorListener>& listener, const store::Snapshot& cache);
  void leave(const ProcessorListener& listener);

  /// Fixes how often resyncs are looked at: the shortest period that the informer or a handler wants; 0: never.
  Duration start();
  void announce(Notification notification);  ///< distributed when a block is full, or by distribute()
  void distribute();
  void upstream_synced();
  /// Notes which listeners' resync is due at this tick; true: some.
  bool should_resync();
  /// Nothing more is announced. What waits is dropped, or told first.
  void stop(bool drop_waiting);

  std::vector<std::shared_ptr<ProcessorListener>> listeners() const;  ///< that were registered and live
  bool busy() const;                                                  ///< some listener is

 private:
  void set_period(ProcessorListener& listener) const;

  const Strand strand_;
  const ProcessorListener::Setting setting_;
  const Duration resync_period_;
  std::function<void()> on_idle_;

  // strand
  std::list<std::shared_ptr<ProcessorListener>> joined_;
  std::shared_ptr<NotificationBlock> announced_;  // not distributed yet
  Duration check_period_;
  bool started_ = false;
  bool upstream_synced_ = false;

  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<ProcessorListener>> registered_;  // guarded by mutex_
  std::size_t handler_count_ = 0;                             // guarded by mutex_
};

}  // namespace kubexx::informer
