#include "informer/processor_listener.hpp"

#include "kubexx/base/error_sink.hpp"

namespace kubexx::informer {
namespace {

constexpr int kCallsPerTurn = 64;

std::string key_of(const Notification& n) {
  return n.kind == Notification::Kind::Delete ? n.key : meta::ObjectKey::of(n.after).to_string();
}

}  // namespace

ProcessorListener::ProcessorListener(std::shared_ptr<ResourceEventHandler> handler, HandlerOptions options,
                                     std::shared_ptr<Executor> executor, const std::string& informer,
                                     const std::shared_ptr<MetricsRegistry>& metrics)
    : handler_(std::move(handler)),
      options_(std::move(options)),
      executor_(std::move(executor)),
      where_("handler " + options_.name + " of " + informer) {
  status_.name = options_.name;
  if (metrics) {
    const MetricLabels labels{{"informer", informer}, {"handler", options_.name}};
    depth_gauge_ = metrics->gauge("kubexx_handler_depth", "Notifications waiting for a handler", labels);
    latency_ = metrics->histogram("kubexx_handler_seconds", "How long calls of a handler take", labels);
    errors_ = metrics->counter("kubexx_handler_errors_total", "Calls of a handler that threw", labels);
  }
}

void ProcessorListener::add(Notification notification) {
  if (options_.split_replaced && notification.kind == Notification::Kind::Update &&
      notification.before.uid() != notification.after.uid()) {
    Notification gone;
    gone.kind = Notification::Kind::Delete;
    gone.cause = notification.cause;
    gone.final_state_known = false;
    gone.before = notification.before;
    gone.key = meta::ObjectKey::of(notification.before).to_string();
    push(std::move(gone));
    notification.kind = Notification::Kind::Add;
    notification.before = {};
  }
  push(std::move(notification));
}

void ProcessorListener::push(Notification notification) {
  bool start = false;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    if (notification.initial) ++pending_initial_;
    if (!options_.coalesce || !merge(notification)) {
      if (options_.coalesce) newest_[key_of(notification)] = taken_ + pending_.size();
      pending_.push_back({std::move(notification), executor_->clock().now()});
      ++depth_;
    }
    depth_gauge_.set(static_cast<double>(depth_));
    start = !scheduled_;
    scheduled_ = true;
  }
  if (start) schedule();
}

/// Folds a notification into the one that waits for its key. False: it must stand on its own.
bool ProcessorListener::merge(Notification& next) {
  const auto found = newest_.find(key_of(next));
  if (found == newest_.end() || found->second < taken_) return false;
  auto& waiting = pending_[found->second - taken_];
  auto& last = waiting.notification;
  if (!waiting.live) return false;
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
    waiting.live = false;
    waiting.notification = {};
    --depth_;
    newest_.erase(found);
    changed_.notify_all();
    return true;
  }
  return false;
}

void ProcessorListener::upstream_synced() {
  const std::lock_guard lock(mutex_);
  upstream_synced_ = true;
  changed_.notify_all();
}

void ProcessorListener::schedule() {
  executor_->post([self = shared_from_this()] { self->run(); });
}

void ProcessorListener::run() {
  for (int i = 0; i < kCallsPerTurn; ++i) {
    Notification next;
    {
      const std::lock_guard lock(mutex_);
      while (!pending_.empty() && !pending_.front().live) {
        pending_.pop_front();
        ++taken_;
      }
      if (closed_ || pending_.empty()) {
        scheduled_ = false;
        changed_.notify_all();
        return;
      }
      next = std::move(pending_.front().notification);
      pending_.pop_front();
      if (options_.coalesce) {
        const auto found = newest_.find(key_of(next));
        if (found != newest_.end() && found->second == taken_) newest_.erase(found);
      }
      ++taken_;
      --depth_;
      depth_gauge_.set(static_cast<double>(depth_));
      if (pending_.empty()) pending_.shrink_to_fit();
      running_ = true;
      runner_ = std::this_thread::get_id();
    }
    call(next);
  }
  schedule();
}

void ProcessorListener::call(const Notification& n) {
  const auto begin = executor_->clock().now();
  const bool good = call_isolated(where_, [&] {
    const EventContext context(n.cause, stop_.get_token(), n.before ? &n.before : nullptr,
                               n.after ? &n.after : nullptr);
    switch (n.kind) {
      case Notification::Kind::Add:
        handler_->on_add(n.after, n.initial, context);
        break;
      case Notification::Kind::Update:
        handler_->on_update(n.before, n.after, context);
        break;
      case Notification::Kind::Delete:
        handler_->on_delete(Deleted<meta::Object>(n.key, n.before, n.final_state_known), context);
        break;
    }
  });
  const auto took = executor_->clock().now() - begin;
  latency_.observe(std::chrono::duration<double>(took).count());
  if (!good) errors_.add();
  const std::lock_guard lock(mutex_);
  running_ = false;
  runner_ = {};
  // Also after a call that threw: it is over, and has_synced must not wait for it.
  if (n.initial && pending_initial_ > 0) --pending_initial_;
  ++status_.calls;
  if (!good) ++status_.errors;
  status_.last_call = took;
  status_.busy += took;
  status_.slowest_call = std::max(status_.slowest_call, Duration(took));
  changed_.notify_all();
}

void ProcessorListener::close() {
  stop_.request_stop();
  std::deque<Waiting> dropped;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(pending_);
  taken_ += dropped.size();
  depth_ = 0;
  newest_.clear();
  depth_gauge_.set(0);
  changed_.notify_all();
}

void ProcessorListener::close_and_wait() {
  close();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !running_ || runner_ == std::this_thread::get_id(); });
}

bool ProcessorListener::has_synced() const {
  const std::lock_guard lock(mutex_);
  return synced_locked();
}

bool ProcessorListener::wait_until_synced(std::stop_token stop) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [&] { return synced_locked() || closed_; });
  return synced_locked();
}

bool ProcessorListener::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

HandlerStatus ProcessorListener::status() const {
  const std::lock_guard lock(mutex_);
  auto status = status_;
  status.depth = depth_;
  status.running = running_;
  status.synced = synced_locked();
  for (const auto& waiting : pending_) {
    if (!waiting.live) continue;
    status.oldest = executor_->clock().now() - waiting.since;
    break;
  }
  return status;
}

void Registration::remove() {
  if (const auto listener = std::exchange(listener_, nullptr)) listener->close_and_wait();
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
  switch (cause) {
    case EventCause::Initial:
      return "initial";
    case EventCause::Watch:
      return "watch";
    case EventCause::Relist:
      return "relist";
    case EventCause::Resync:
      return "resync";
  }
  return "unknown";
}

std::vector<std::string> EventContext::changed_paths(std::size_t limit) const {
  if (!before_ || !after_) return {};
  return meta::diff_paths(before_->root(), after_->root(), limit);
}

}  // namespace kubexx::informer
