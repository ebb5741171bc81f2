#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/detail/adaptive_mutex.hpp"
#include "kubexx/base/detail/prefetch.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/workqueue/detail/entry_list.hpp"
#include "kubexx/workqueue/detail/indexed_heap.hpp"
#include "kubexx/workqueue/detail/item_table.hpp"
#include "kubexx/workqueue/detail/monitor.hpp"
#include "kubexx/workqueue/options.hpp"
#include "kubexx/workqueue/rate_limiter.hpp"

namespace kubexx::workqueue::detail {

/// The state machine behind all queues. An item has at most one entry, whose flags say where it stands:
///
///     dirty  processing
///       0        0       idle: kept only while it is delayed or its requeues are remembered
///       1        0       waiting in the storage
///       0        1       handed out
///       1        1       handed out and added again: waits once more after done
template <class T>
class QueueImpl final : public Inspectable, public std::enable_shared_from_this<QueueImpl<T>> {
 public:
  QueueImpl(QueueOptions<T> options, const Clock& clock, Executor* executor)
      : options_(std::move(options)), clock_(&clock), executor_(executor), table_(Random::process().next()) {}

  static std::shared_ptr<QueueImpl> make(QueueOptions<T> options, const Clock& clock, Executor* executor) {
    auto impl = std::make_shared<QueueImpl>(std::move(options), clock, executor);
    if (!impl->options_.name.empty()) {
      const auto& registry = impl->options_.metrics ? impl->options_.metrics : MetricsRegistry::process();
      impl->monitor_ = std::make_unique<Monitor>(*registry, impl->options_.name, impl);
    }
    return impl;
  }

  template <class U>
  void add(U&& item, int priority) {
    const std::uint32_t hash = hash_ahead(item);
    const TimePoint now = stamp();
    auto lock = acquire();
    if (shutting_down_) return;
    announce(lock, mark_dirty(obtain(hash, std::forward<U>(item)), priority, now) ? 1 : 0);
  }

  void add_after(const T& item, Duration delay, int priority) {
    const std::uint32_t hash = hash_ahead(item);
    const TimePoint now = clock_->now();
    auto lock = acquire();
    if (shutting_down_) return;
    schedule(lock, obtain(hash, item), delay, now, priority);
  }

  void add_rate_limited(const T& item, const RateLimiter& limiter, Duration at_least, int priority) {
    const std::uint32_t hash = hash_ahead(item);
    const TimePoint now = clock_->now();
    auto lock = acquire();
    if (shutting_down_) return;
    std::uint32_t id = obtain(hash, item);
    const std::uint32_t requeues = count_requeue(table_[id]);
    Duration delay{};
    if (limiter.calls_user_code()) {
      lock.unlock();
      delay = limiter.when(requeues, now);
      lock.lock();
      if (shutting_down_) return;
      id = obtain(hash, item);
    } else {
      delay = limiter.when(requeues, now);
    }
    schedule(lock, id, std::max(delay, at_least), now, priority);
  }

  void forget(const T& item) {
    if (remembered_.load(std::memory_order_relaxed) == 0) return;
    const auto lock = acquire();
    const std::uint32_t id = lookup(item);
    if (id == kNoTicket || std::exchange(table_[id].requeues, 0) == 0) return;
    remembered_.fetch_sub(1, std::memory_order_relaxed);
    release_if_idle(id);
  }

  std::uint32_t num_requeues(const T& item) const {
    const auto lock = acquire();
    const std::uint32_t id = lookup(item);
    return id == kNoTicket ? 0 : table_[id].requeues;
  }

  std::optional<T> try_get() {
    const auto lock = acquire();
    return take();
  }

  std::optional<T> get(const std::stop_token& stop) {
    if (stop.stop_requested()) return std::nullopt;
    {
      const auto lock = acquire();
      if (depth() > 0 || shutting_down_) return take();
    }
    watch_briefly();
    const std::stop_callback on_stop(stop, [this]() noexcept { ring_all(ready_); });
    auto lock = acquire();
    while (depth() == 0 && !shutting_down_ && !stop.stop_requested()) {
      ++waiters_;
      ready_.wait(lock);
      --waiters_;
      wake_in_flight_ = false;
    }
    std::optional<T> item;
    if (!stop.stop_requested()) item = take();
    announce(lock, depth(), Hook::Silent);
    return item;
  }

  void done(const T& item) {
    const TimePoint now = stamp();
    auto lock = acquire();
    const std::uint32_t id = lookup(item);
    if (id == kNoTicket || !table_[id].processing) return;
    Entry<T>& entry = table_[id];
    entry.processing = false;
    processing_.unlink(table_, id);
    if (monitor_) {
      started_sum_ -= entry.started.time_since_epoch();
      monitor_->finished(now - entry.started);
    }
    if (entry.dirty) {
      push(id, now);
      return announce(lock, 1);
    }
    release_if_idle(id);
    if (!drained()) return;
    drained_.ring();
    lock.unlock();
    drained_.wake_all();
    call_hook(0);
  }

  void shut_down(bool silent = false) {
    if (begin_shut_down(false) && !silent) call_hook(0);
  }

  bool shut_down_with_drain(const std::stop_token& stop) {
    if (begin_shut_down(true)) call_hook(0);
    const std::stop_callback on_stop(stop, [this]() noexcept { ring_all(drained_); });
    auto lock = acquire();
    while (!drained() && draining_ && !stop.stop_requested()) drained_.wait(lock);
    return drained();
  }

  bool shutting_down() const {
    const auto lock = acquire();
    return shutting_down_;
  }

  std::size_t len() const {
    const auto lock = acquire();
    return depth();
  }

  QueueStatus status() const override {
    const Duration now = clock_->now().time_since_epoch();
    const auto lock = acquire();
    QueueStatus result;
    result.name = options_.name;
    result.depth = depth();
    result.processing = processing_.count;
    result.delayed = delays_.size();
    result.remembered = remembered_.load(std::memory_order_relaxed);
    result.adds = adds_;
    result.retries = retries_;
    result.shutting_down = shutting_down_;
    if (monitor_ && processing_.count > 0) {
      result.unfinished = now * static_cast<std::int64_t>(processing_.count) - started_sum_;
      result.longest_running = now - table_[processing_.head].started.time_since_epoch();
    }
    return result;
  }

 private:
  enum class Hook { Call, Silent };

  using Lock = std::unique_lock<AdaptiveMutex>;
  Lock acquire() const { return Lock(mutex_); }

  void ring_all(Bell& bell) noexcept {
    {
      const auto lock = acquire();
      bell.ring();
    }
    bell.wake_all();
  }

  /// To sleep and be woken costs both sides more than an item. So one worker at a time looks out for the next item for
  /// some microseconds; as long as it does, nobody else is woken. The caller must look once more with the lock.
  void watch_briefly() const noexcept {
    constexpr int kLooks = 20;
    constexpr int kPausesBetween = 50;  // about a microsecond, in which several items may come
    if (!spinning_helps() || watched_.exchange(true, std::memory_order_relaxed)) return;
    for (int i = 0; i < kLooks && available_.load(std::memory_order_relaxed) == 0; ++i) {
      for (int pauses = 0; pauses < kPausesBetween; ++pauses) relax();
    }
    watched_.store(false, std::memory_order_relaxed);
  }

  /// The hash of an item that is about to be looked up: its place is on its way while the lock is awaited.
  std::uint32_t hash_ahead(const T& item) const {
    const std::uint32_t hash = table_.hash(item);
    table_.prefetch_slot(hash);
    return hash;
  }

  // The clock is read only where someone looks at the time.
  TimePoint stamp() const { return monitor_ || options_.storage ? clock_->now() : TimePoint(); }

  template <class U>
  std::uint32_t obtain(std::uint32_t hash, U&& item) {
    const std::uint32_t id = table_.find(hash, item);
    return id != kNoTicket ? id : table_.insert(hash, std::forward<U>(item));
  }

  static int merged_priority(const Entry<T>& entry, int priority) {
    return entry.dirty || entry.delayed ? std::max<int>(entry.priority, priority) : priority;
  }

  /// True if the item became ready to be taken.
  bool mark_dirty(std::uint32_t id, int priority, TimePoint now) {
    Entry<T>& entry = table_[id];
    entry.priority = merged_priority(entry, priority);
    if (entry.dirty) {
      if (!entry.processing && options_.storage) options_.storage->touch(id, entry.item, priority, now);
      return false;
    }
    if (!entry.processing) push(id, now);
    entry.dirty = true;
    entry.added = now;
    ++adds_;
    if (monitor_) monitor_->added();
    return !entry.processing;
  }

  std::size_t depth() const { return options_.storage ? options_.storage->len() : waiting_.count; }

  void push(std::uint32_t id, TimePoint now) {
    if (options_.storage) {
      options_.storage->push(id, table_[id].item, table_[id].priority, now);
    } else {
      waiting_.link(table_, id);
    }
    publish_depth();
  }

  void publish_depth() noexcept { available_.store(depth(), std::memory_order_relaxed); }

  std::optional<T> take() {
    if (depth() == 0) return std::nullopt;
    const TimePoint now = stamp();
    const std::uint32_t id = options_.storage ? options_.storage->pop() : waiting_.head;
    Entry<T>& entry = table_[id];
    std::optional<T> item;
    try {
      item.emplace(entry.item);
    } catch (...) {
      if (options_.storage) push(id, now);
      throw;
    }
    if (!options_.storage) {
      waiting_.unlink(table_, id);
      if (waiting_.head != kNoTicket) prefetch_to_write(table_.home(waiting_.head));
    }
    publish_depth();
    processing_.link(table_, id);
    entry.dirty = false;
    entry.processing = true;
    if (monitor_) {
      entry.started = now;
      started_sum_ += now.time_since_epoch();
      monitor_->taken(now - entry.added);
    }
    return item;
  }

  std::uint32_t lookup(const T& item) const {
    // With few workers the item is often the one taken last: then it need not be hashed.
    if (processing_.count > 0 && table_[processing_.tail].item == item) return processing_.tail;
    return table_.find(table_.hash(item), item);
  }

  std::uint32_t count_requeue(Entry<T>& entry) {
    if (entry.requeues == 0) remembered_.fetch_add(1, std::memory_order_relaxed);
    return entry.requeues < std::numeric_limits<std::uint32_t>::max() ? entry.requeues++ : entry.requeues;
  }

  void release_if_idle(std::uint32_t id) {
    const Entry<T>& entry = table_[id];
    if (!entry.dirty && !entry.processing && !entry.delayed && entry.requeues == 0) table_.erase(id);
  }

  bool drained() const { return shutting_down_ && depth() == 0 && processing_.count == 0; }

  /// Unlocks and wakes. One wake-up is under way at a time; who wakes up and leaves something wakes the next.
  void announce(Lock& lock, std::size_t ready, Hook hook = Hook::Call) {
    const bool wake = ready > 0 && waiters_ > 0 && !wake_in_flight_ && !watched_.load(std::memory_order_relaxed);
    if (wake) {
      wake_in_flight_ = true;
      ready_.ring();
    }
    lock.unlock();
    if (wake) ready_.wake_one();
    if (ready > 0 && hook == Hook::Call) call_hook(ready);
  }

  void call_hook(std::size_t ready) {
    if (options_.on_ready) call_isolated("workqueue on_ready", [&] { options_.on_ready(ready); });
  }

  /// True the first time.
  bool begin_shut_down(bool drain) {
    auto lock = acquire();
    const bool first = !std::exchange(shutting_down_, true);
    draining_ = drain;
    while (!delays_.empty()) {
      const std::uint32_t id = delays_.pop();
      table_[id].delayed = false;
      release_if_idle(id);
    }
    ++generation_;
    Timer timer = std::exchange(timer_, Timer());
    ready_.ring();
    drained_.ring();
    lock.unlock();
    timer.cancel();
    ready_.wake_all();
    drained_.wake_all();
    return first;
  }

  static std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
  }

  void schedule(Lock& lock, std::uint32_t id, Duration delay, TimePoint now, int priority) {
    ++retries_;
    if (monitor_) monitor_->retried();
    if (delay <= Duration::zero()) return announce(lock, mark_dirty(id, priority, now) ? 1 : 0);
    Entry<T>& entry = table_[id];
    entry.priority = merged_priority(entry, priority);
    const std::int64_t deadline = saturating_add(now.time_since_epoch().count(), delay.count());
    if (entry.delayed) {
      delays_.move_forward(id, deadline);
    } else {
      delays_.push(id, deadline);
      entry.delayed = true;
    }
    arm(lock, now);
  }

  /// Unlocks and sees to it that a timer runs for the earliest deadline, which may be that much too late.
  void arm(Lock& lock, TimePoint now, Duration slack = Duration::zero()) {
    if (delays_.empty() || delays_.top_rank() >= armed_) return lock.unlock();
    armed_ = delays_.top_rank();
    const Duration delay = std::max(Duration(armed_ - now.time_since_epoch().count()), slack);
    const std::uint64_t generation = ++generation_;
    lock.unlock();
    Timer timer = executor_->post_after(delay, [weak = this->weak_from_this(), generation] {
      if (const auto self = weak.lock()) self->fire(generation);
    });
    lock.lock();
    if (generation == generation_) std::swap(timer, timer_);  // else another one is armed, or none is wanted
    lock.unlock();
    timer.cancel();
  }

  void fire(std::uint64_t generation) {
    const TimePoint now = clock_->now();
    for (bool more = true; more;) {
      auto lock = acquire();
      if (generation != generation_) return;
      std::size_t ready = 0;
      for (int moved = 0; (more = due(now)) && moved < kMovedAtOnce; ++moved) {
        const std::uint32_t id = delays_.pop();
        table_[id].delayed = false;
        if (mark_dirty(id, table_[id].priority, now)) ++ready;
      }
      if (!more) armed_ = kNotArmed;
      announce(lock, ready);
    }
    auto lock = acquire();
    arm(lock, now, kBetweenTimers);
  }

  bool due(TimePoint now) const { return !delays_.empty() && delays_.top_rank() <= now.time_since_epoch().count(); }

  static constexpr int kMovedAtOnce = 256;  // delayed items, under one hold of the lock
  static constexpr Duration kBetweenTimers = std::chrono::microseconds(100);
  static constexpr std::int64_t kNotArmed = std::numeric_limits<std::int64_t>::max();

  const QueueOptions<T> options_;
  const Clock* const clock_;
  Executor* const executor_;  // kept alive by the queue; null if it has no delays
  std::unique_ptr<Monitor> monitor_;
  std::atomic<std::size_t> remembered_{0};

  std::atomic<std::size_t> available_{0};  // depth(), for those without the lock
  mutable std::atomic<bool> watched_{false};

  mutable AdaptiveMutex mutex_;
  Bell ready_;
  Bell drained_;
  // Everything below is guarded by mutex_.
  ItemTable<T> table_;
  EntryList<T> waiting_;     // in the order of adding; unused with a storage
  EntryList<T> processing_;  // in the order of taking
  std::size_t waiters_ = 0;
  bool wake_in_flight_ = false;
  bool shutting_down_ = false;
  bool draining_ = false;
  std::uint64_t adds_ = 0;
  std::uint64_t retries_ = 0;
  Duration started_sum_{};
  IndexedHeap delays_;
  std::int64_t armed_ = kNotArmed;  // the deadline the timer runs for
  std::uint64_t generation_ = 0;    // of the timer
  Timer timer_;
};

}  // namespace kubexx::workqueue::detail
