#include "kubexx/informer/shared_processor.hpp"

#include <algorithm>

#include "base/internal/deadline.hpp"
#include "base/internal/insist.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::informer {
namespace {

constexpr Duration kMinimumResync = std::chrono::seconds(1);

std::vector<std::shared_ptr<NotificationBlock>> initial_adds(const store::Snapshot& cache) {
  std::vector<std::shared_ptr<NotificationBlock>> blocks;
  cache.for_each_with_key([&](std::string_view key, const meta::Object& object) {
    if (blocks.empty() || blocks.back()->full()) blocks.push_back(std::make_shared<NotificationBlock>());
    Notification n;
    n.key = meta::Key::of(object, key);
    n.kind = Notification::Kind::Add;
    n.cause = EventCause::Initial;
    n.initial = true;
    n.after = object;
    blocks.back()->push(std::move(n));
  });
  return blocks;
}

}  // namespace

SharedProcessor::SharedProcessor(Strand strand, ProcessorListener::Setting setting, Duration resync_period)
    : strand_(std::move(strand)),
      setting_(std::move(setting)),
      resync_period_(std::max(resync_period, Duration::zero())),
      check_period_(resync_period_) {}

std::shared_ptr<ProcessorListener> SharedProcessor::register_handler(std::shared_ptr<ResourceEventHandler> handler,
                                                                     HandlerOptions options) {
  auto period = std::max(options.resync_period.value_or(resync_period_), Duration::zero());
  if (period > Duration::zero() && period < kMinimumResync) {
    log(LogLevel::Warning, "a resync period below a second was raised to one", {{"informer", setting_.informer}});
    period = kMinimumResync;
  }
  if (options.name.empty()) {
    const std::lock_guard lock(mutex_);
    options.name = "handler-" + std::to_string(++handler_count_);
  }
  auto listener = ProcessorListener::create(std::move(handler), std::move(options), setting_);
  listener->requested_period = period;
  listener->on_leave = [weak = weak_from_this(), leaving = std::weak_ptr(listener)] {
    const auto self = weak.lock();
    if (!self) return;
    self->strand_.post([self, leaving] {
      if (const auto gone = leaving.lock()) self->leave(*gone);
    });
  };
  listener->on_idle = on_idle_;
  const std::lock_guard lock(mutex_);
  std::erase_if(registered_, [](const auto& weak) { return weak.expired(); });
  registered_.push_back(listener);
  return listener;
}

void SharedProcessor::join(const std::shared_ptr<ProcessorListener>& listener, const store::Snapshot& cache) {
  if (listener->closed()) return;
  std::vector<std::shared_ptr<NotificationBlock>> replay;
  insist([&] {
    replay = started_ ? initial_adds(cache) : decltype(replay)();
    joined_.push_back(listener);
  });
  if (!started_) return;
  const auto asked = listener->requested_period;
  set_period(*listener);
  if (asked > Duration::zero() && check_period_ == Duration::zero()) {
    log(LogLevel::Warning, "a handler asks for resyncs, but the informer makes none",
        {{"informer", setting_.informer}});
  } else if (listener->period > asked && asked > Duration::zero()) {
    log(LogLevel::Warning, "a handler asks for resyncs more often than the running informer makes them",
        {{"informer", setting_.informer}});
  }
  for (const auto& block : replay) listener->add(block);
  if (upstream_synced_) listener->upstream_synced();
}

void SharedProcessor::leave(const ProcessorListener& listener) {
  std::erase_if(joined_, [&](const auto& each) { return each.get() == &listener; });
}

void SharedProcessor::set_period(ProcessorListener& listener) const {
  const auto asked = listener.requested_period;
  const bool none = asked == Duration::zero() || check_period_ == Duration::zero();
  listener.period = none ? Duration::zero() : std::max(asked, check_period_);
  listener.next_resync = kubexx::detail::after(strand_.clock().now(), listener.period);
}

Duration SharedProcessor::start() {
  started_ = true;
  for (const auto& listener : joined_) {
    const auto asked = listener->requested_period;
    if (asked > Duration::zero() && (check_period_ == Duration::zero() || asked < check_period_)) check_period_ = asked;
  }
  for (const auto& listener : joined_) set_period(*listener);
  return check_period_;
}

bool SharedProcessor::should_resync() {
  const auto now = strand_.clock().now();
  bool any = false;
  for (const auto& listener : joined_) {
    listener->syncing = listener->period > Duration::zero() && now >= listener->next_resync;
    if (!listener->syncing) continue;
    listener->next_resync = kubexx::detail::after(now, listener->period);
    any = true;
  }
  return any;
}

void SharedProcessor::announce(Notification notification) {
  if (joined_.empty()) return;
  insist([this] {  // the store has the change: it must not be lost for the handlers
    if (!announced_) announced_ = std::make_shared<NotificationBlock>();
    auto& all = announced_->all;
    if (all.size() == all.capacity()) all.reserve(std::max<std::size_t>(1, 2 * all.size()));
  });
  announced_->push(std::move(notification));
  if (!announced_->full()) return;
  distribute();
  strand_.executor()->goes_on();  // with the rest of a list: handlers need not wait for its end
}

void SharedProcessor::distribute() {
  if (!announced_) return;
  const auto block = std::exchange(announced_, nullptr);
  for (const auto& listener : joined_) listener->add(block);
}

void SharedProcessor::upstream_synced() {
  upstream_synced_ = true;
  for (const auto& listener : joined_) listener->upstream_synced();
}

void SharedProcessor::stop(bool drop_waiting) {
  distribute();
  for (const auto& listener : joined_) {
    if (drop_waiting) {
      listener->close();
    } else {
      listener->finish();
    }
  }
  joined_.clear();
}

std::vector<std::shared_ptr<ProcessorListener>> SharedProcessor::listeners() const {
  std::vector<std::shared_ptr<ProcessorListener>> alive;
  const std::lock_guard lock(mutex_);
  for (const auto& weak : registered_) {
    if (auto listener = weak.lock()) alive.push_back(std::move(listener));
  }
  return alive;
}

bool SharedProcessor::busy() const {
  const auto all = listeners();
  return std::any_of(all.begin(), all.end(), [](const auto& listener) { return listener->busy(); });
}

}  // namespace kubexx::informer
