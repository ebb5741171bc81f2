#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "base/internal/enum_name.hpp"
#include "base/internal/insist.hpp"
#include "informer/notification.hpp"
#include "informer/progress.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/informer/shared_processor.hpp"

namespace kubexx::informer {
namespace {

constexpr std::size_t kCallsPerTurn = 64;
constexpr std::size_t kKeptBuckets = 1024;  // of the keys that wait; more are given back when none does

/// Who waits for whom, so that handlers that remove each other do not wait forever.
class Waits {
 public:
  /// False: `target`'s call waits for `waiter`'s, directly or over others.
  bool begin(const ProcessorListener* waiter, const ProcessorListener* target) {
    const std::lock_guard lock(mutex_);
    for (auto at = waits_.find(target); at != waits_.end(); at = waits_.find(at->second)) {
      if (at->second == waiter) return false;
    }
    insist([&] { waits_[waiter] = target; });
    return true;
  }
  void end(const ProcessorListener* waiter) {
    const std::lock_guard lock(mutex_);
    waits_.erase(waiter);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const ProcessorListener*, const ProcessorListener*> waits_;  // guarded by mutex_
};

Waits& waits() {
  static Waits all;
  return all;
}

/// What the key function says, and "namespace/name" where there is none or it fails.
std::string key_or_name(const meta::Object& object, const meta::KeyFunc& key_func) {
  if (key_func) {
    try {
      if (auto key = key_func(object)) return std::move(*key);
    } catch (...) {  // it has named this object before; if it fails now, the name must do
    }
  }
  return meta::ObjectKey::of(object).to_string();
}

thread_local const ProcessorListener* calling = nullptr;  // whose handler this thread is in

}  // namespace

ProcessorListener::ProcessorListener(std::shared_ptr<ResourceEventHandler> handler, HandlerOptions options,
                                     Setting setting)
    : handler_(std::move(handler)),
      options_(std::move(options)),
      setting_(std::move(setting)),
      where_("handler " + options_.name + " of " + setting_.informer) {
  if (setting_.metrics) {
    const MetricLabels labels{{"informer", setting_.informer}, {"handler", options_.name}};
    latency_ = setting_.metrics->histogram("kubexx_handler_seconds", "How long calls of a handler take", labels);
    errors_ = setting_.metrics->counter("kubexx_handler_errors_total", "Calls of a handler that threw", labels);
  }
}

std::shared_ptr<ProcessorListener> ProcessorListener::create(std::shared_ptr<ResourceEventHandler> handler,
                                                             HandlerOptions options, Setting setting) {
  auto made = std::make_shared<ProcessorListener>(std::move(handler), std::move(options), std::move(setting));
  const auto& metrics = made->setting_.metrics;
  if (!metrics) return made;
  const MetricLabels labels{{"informer", made->setting_.informer}, {"handler", made->options_.name}};
  const auto gauge = [&](const char* name, const char* help, double (*value)(const HandlerStatus&)) {
    return metrics->gauge_function(name, help, labels, [weak = std::weak_ptr(made), value] {
      const auto self = weak.lock();
      return self ? value(self->status()) : 0.0;
    });
  };
  made->depth_gauge_ = gauge("kubexx_handler_depth", "Notifications waiting for a handler",
                             [](const HandlerStatus& s) { return static_cast<double>(s.depth); });
  made->age_gauge_ = gauge("kubexx_handler_age_seconds", "How long the first of them has waited",
                           [](const HandlerStatus& s) { return std::chrono::duration<double>(s.oldest).count(); });
  return made;
}

void ProcessorListener::add(const std::shared_ptr<NotificationBlock>& block) {
  if (options_.coalesce || options_.split_replaced) {
    for (const Notification& each : block->all) {
      if (!each.sync || syncing) add_own(each);
    }
    return;
  }
  const std::size_t count = block->all.size() - (syncing ? 0 : block->syncs);
  if (count == 0) return;
  Pending one = waiting({block, setting_.executor->clock().now(), syncing});
  std::unique_lock lock(mutex_);
  if (closed_ || finishing_) return;
  pending_initial_ += block->initial;
  push(one, count);
  start_if_needed(std::move(lock));
}

/// In the form in which it joins the others without a further allocation: nothing that was announced gets lost.
ProcessorListener::Pending ProcessorListener::waiting(Waiting what) {
  Pending one;
  insist([&] { one.push_back(what); });
  return one;
}

void ProcessorListener::add_own(Notification notification) {
  if (options_.split_replaced && notification.kind == Notification::Kind::Update &&
      notification.before.uid() != notification.after.uid()) {
    Notification gone;
    gone.kind = Notification::Kind::Delete;
    gone.cause = notification.cause;
    gone.final_state_known = false;
    gone.before = notification.before;
    gone.key = notification.key;
    push_own(std::move(gone));
    notification.kind = Notification::Kind::Add;
    notification.before = {};
  }
  push_own(std::move(notification));
}

void ProcessorListener::push_own(Notification notification) {
  std::shared_ptr<NotificationBlock> own;
  insist([&] {
    own = std::make_shared<NotificationBlock>();
    own->all.reserve(1);
  });
  Pending one = waiting({own, setting_.executor->clock().now()});
  std::unique_lock lock(mutex_);
  if (closed_ || finishing_) return;
  if (notification.initial) ++pending_initial_;
  const std::size_t initial = pending_initial_;
  if (!options_.coalesce || !merge(notification)) {
    own->push(std::move(notification));
    push(one, 1);
    if (options_.coalesce) remember_newest();
  }
  if (pending_initial_ < initial) {
    sync_changed(std::move(lock));
    lock = std::unique_lock(mutex_);
  }
  start_if_needed(std::move(lock));
}

void ProcessorListener::push(Pending& one, std::size_t count) {
  pending_.splice(pending_.end(), one);
  depth_ += count;
}

/// So that the next one of its key can be folded into it. Without memory for that, it stands on its own.
void ProcessorListener::remember_newest() {
  const auto& key = pending_.back().block->all.front().key;
  newest_.erase(key);  // what is older must not be folded into any more
  try {
    newest_.emplace(key, std::prev(pending_.end()));
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): one call more is made
  }
}

void ProcessorListener::start_if_needed(std::unique_lock<std::mutex> lock) {
  const bool start = !std::exchange(scheduled_, true);
  lock.unlock();
  if (start) schedule();
}

/// Folds a notification into the one that waits for its key. False: it must stand on its own.
bool ProcessorListener::merge(Notification& next) {
  const auto found = newest_.find(next.key);
  if (found == newest_.end()) return false;
  auto& last = found->second->block->all.front();
  using Kind = Notification::Kind;
  if (last.kind == Kind::Delete) return false;  // something new under an old name: told apart
  if (next.kind == Kind::Update) {
    last.after = std::move(next.after);
    // A reminder does not turn the change it finds waiting into one.
    if (last.kind == Kind::Update && next.cause != EventCause::Resync) last.cause = next.cause;
    return true;
  }
  if (next.kind == Kind::Delete && last.kind == Kind::Update) {
    next.cause = next.cause == EventCause::Watch ? EventCause::Watch : EventCause::Relist;
    last = std::move(next);
    return true;
  }
  if (next.kind == Kind::Delete && last.kind == Kind::Add) {
    // The handler never heard of it.
    if (last.initial) --pending_initial_;
    --depth_;
    pending_.erase(found->second);
    newest_.erase(found);
    return true;
  }
  return false;
}

void ProcessorListener::upstream_synced() {
  std::unique_lock lock(mutex_);
  upstream_synced_ = true;
  sync_changed(std::move(lock));
}

void ProcessorListener::sync_changed(std::unique_lock<std::mutex> lock) {
  changed_.notify_all();
  lock.unlock();
  if (setting_.progress) setting_.progress->tell();
}

/// An executor that cannot take the turn (no memory) gets the next chance with the next notification. Who waits for the
/// last of them to be delivered would wait for ever: then they are dropped.
void ProcessorListener::schedule() {
  try {
    setting_.executor->post_soon([self = shared_from_this()] { self->run(); });
    return;
  } catch (...) {
    report_error(current_exception_as_error(), where_);
  }
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    scheduled_ = false;
    last = finishing_;
  }
  if (last) close();
}

void ProcessorListener::run() {
  std::size_t room = kCallsPerTurn;
  Waiting now;
  while (take(now, room)) {
    if (room == 0) return schedule();
    room -= std::min(room, call_all(now));
    now.block.reset();
  }
  close_if_finished();
  if (closed_ && on_idle) on_idle();
}

/// Ends what was taken before and takes up to `limit` further ones, of one block. False: there are none, and no turn
/// is scheduled any more.
bool ProcessorListener::take(Waiting& into, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(running_, false)) {
    runner_ = {};
    changed_.notify_all();
  }
  if (closed_ || pending_.empty()) {
    if (newest_.bucket_count() > kKeptBuckets) decltype(newest_)().swap(newest_);
    scheduled_ = false;
    return false;
  }
  if (limit == 0) return true;
  Waiting& front = pending_.front();
  into = front;
  into.end = std::min(into.next + limit, into.block->all.size());
  front.next = into.end;
  if (into.end == into.block->all.size()) {
    if (options_.coalesce) {
      const auto found = newest_.find(front.block->all.front().key);
      if (found != newest_.end() && found->second == pending_.begin()) newest_.erase(found);
    }
    pending_.pop_front();
  }
  running_ = true;
  runner_ = std::this_thread::get_id();
  running_since_ = into.since;
  left_.store(into.end - into.next, std::memory_order_relaxed);
  return true;
}

std::size_t ProcessorListener::call_all(const Waiting& taken) {
  std::size_t made = 0;
  const auto* const outer = std::exchange(calling, this);
  TimePoint now = setting_.executor->clock().now();
  for (std::size_t i = taken.next; i < taken.end; ++i) {
    left_.store(taken.end - i - 1, std::memory_order_relaxed);
    const Notification& each = taken.block->all[i];
    if (each.sync && !taken.with_syncs) continue;
    if (closed_) break;
    --depth_;
    call(each, now);
    ++made;
  }
  left_.store(0, std::memory_order_relaxed);
  calling = outer;
  return made;
}

/// `now` is when the call before ended, and then when this one did.
void ProcessorListener::call(const Notification& n, TimePoint& now) {
  const EventContext context(n.cause, token_, n.before ? &n.before : nullptr, n.after ? &n.after : nullptr,
                             &setting_.key_func);
  std::optional<Deleted<meta::Object>> gone;  // made first: a handler may lack memory, but is called
  if (n.kind == Notification::Kind::Delete) insist([&] { gone.emplace(n.key.text(), n.before, n.final_state_known); });
  const bool good = call_isolated(where_, [&] {
    if (gone) return handler_->on_delete(*gone, context);
    call_handler(*handler_, n, context);
  });
  const TimePoint begin = std::exchange(now, setting_.executor->clock().now());
  const Duration took = now - begin;
  latency_.observe(std::chrono::duration<double>(took).count());
  constexpr auto kRelaxed = std::memory_order_relaxed;
  if (!good) {
    errors_.add();
    failed_.store(failed_.load(kRelaxed) + 1, kRelaxed);
  }
  calls_.store(calls_.load(kRelaxed) + 1, kRelaxed);
  last_.store(took, kRelaxed);
  busy_.store(busy_.load(kRelaxed) + took, kRelaxed);
  slowest_.store(std::max(slowest_.load(kRelaxed), took), kRelaxed);
  // Also after a call that threw: it is over, and has_synced must not wait for it.
  if (!n.initial || --pending_initial_ > 0) return;
  sync_changed(std::unique_lock(mutex_));
}

void ProcessorListener::close() {
  stop_.request_stop();
  Pending dropped;
  decltype(newest_) forgotten;
  Gauge depth;  // these two go without the lock: whoever reads them takes it
  Gauge age;
  std::unique_lock lock(mutex_);
  closed_ = true;
  dropped.swap(pending_);
  std::swap(depth, depth_gauge_);
  std::swap(age, age_gauge_);
  depth_ = 0;
  forgotten.swap(newest_);
  sync_changed(std::move(lock));
}

void ProcessorListener::finish() {
  {
    std::unique_lock lock(mutex_);
    finishing_ = true;
    if (!pending_.empty()) start_if_needed(std::move(lock));
  }
  close_if_finished();
}

void ProcessorListener::close_if_finished() {
  {
    const std::lock_guard lock(mutex_);
    if (!finishing_ || closed_ || running_ || !pending_.empty()) return;
  }
  close();  // nothing can come in between: additions are refused
}

void ProcessorListener::wait_until_ended() {
  const auto* const waiter = calling;
  if (waiter && waiter != this && !waits().begin(waiter, this)) return;
  {
    std::unique_lock lock(mutex_);
    const auto ended = [&] { return runner_ == std::this_thread::get_id() || (closed_ && !running_); };
    const auto met = changed_.wait(awaited(), lock, ended);
    if (!met) {
      // A call that runs, runs elsewhere, and its end has to be awaited; one that does not run is not for ever.
      const bool elsewhere = !setting_.executor->runs_only_here();
      if (elsewhere) static_cast<void>(changed_.wait({}, lock, ended));
      lock.unlock();
      if (!elsewhere) report_error(met.error(), where_);
    }
  }
  if (waiter && waiter != this) waits().end(waiter);
}

bool ProcessorListener::has_synced() const {
  const std::lock_guard lock(mutex_);
  return synced_locked();
}

bool ProcessorListener::wait_until_synced(std::stop_token stop) const {
  std::unique_lock lock(mutex_);
  static_cast<void>(changed_.wait(awaited(), lock, [&] { return synced_locked() || closed_; }, stop).value());
  return synced_locked();
}

bool ProcessorListener::closed() const {
  return closed_;
}

bool ProcessorListener::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || (finishing_ && !closed_);
}

HandlerStatus ProcessorListener::status() const {
  const std::lock_guard lock(mutex_);
  HandlerStatus status;
  status.name = options_.name;
  status.calls = calls_.load(std::memory_order_relaxed);
  status.errors = failed_.load(std::memory_order_relaxed);
  status.last_call = last_.load(std::memory_order_relaxed);
  status.busy = busy_.load(std::memory_order_relaxed);
  status.slowest_call = slowest_.load(std::memory_order_relaxed);
  status.depth = closed_ ? 0 : depth_.load();
  status.running = running_;
  status.synced = synced_locked();
  if (status.depth == 0) return status;
  std::optional<TimePoint> since;
  if (running_ && left_.load(std::memory_order_relaxed) > 0) {
    since = running_since_;
  } else if (!pending_.empty()) {
    since = pending_.front().since;
  }
  if (since) status.oldest = setting_.executor->clock().now() - *since;
  return status;
}

void Registration::remove() {
  const auto listener = std::exchange(listener_, nullptr);
  if (!listener) return;
  listener->close();
  listener->wait_until_ended();
  if (listener->on_leave) listener->on_leave();
}
void Registration::release() {
  listener_.reset();
}
bool Registration::has_synced() const {
  return listener_ && listener_->has_synced();
}
bool Registration::wait_until_synced(std::stop_token stop) const {
  return listener_ && listener_->wait_until_synced(std::move(stop));
}
HandlerStatus Registration::status() const {
  return listener_ ? listener_->status() : HandlerStatus{};
}

std::string_view to_string(EventCause cause) noexcept {
  static constexpr std::string_view kNames[] = {"initial", "watch", "relist", "resync"};
  return enum_name<EventCause::Resync>(cause, kNames);
}

std::string EventContext::key_of(const meta::Object& object) const {
  return key_or_name(object, key_func_ ? *key_func_ : meta::KeyFunc());
}

std::vector<std::string> EventContext::changed_paths(std::size_t limit) const {
  if (!before_ || !after_) return {};
  return meta::diff_paths(before_->root(), after_->root(), limit);
}

}  // namespace kubexx::informer
