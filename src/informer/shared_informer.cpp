#include "kubexx/informer/shared_informer.hpp"

#include <latch>
#include <stdexcept>

#include "informer/shared_informer_state.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/meta/resource_version.hpp"

namespace kubexx::informer {

SharedIndexInformer::SharedIndexInformer(std::shared_ptr<State> state) : state_(std::move(state)) {}

SharedIndexInformer::~SharedIndexInformer() {
  state_->end(true);
}

std::shared_ptr<SharedIndexInformer> SharedIndexInformer::create(std::shared_ptr<reflector::ListerWatcher> source,
                                                                 InformerOptions options) {
  if (!options.executor || !options.handlers) throw std::logic_error("an informer needs its executors");
  auto state = std::make_shared<State>(std::move(source), std::move(options));
  state->processor->on_idle([weak = std::weak_ptr<State>(state)] {
    if (const auto self = weak.lock()) self->tell_ended();
  });
  return std::shared_ptr<SharedIndexInformer>(new SharedIndexInformer(std::move(state)));
}

Registration SharedIndexInformer::add_event_handler(std::shared_ptr<ResourceEventHandler> handler,
                                                    HandlerOptions options) {
  if (!handler) throw std::logic_error("a handler is null");
  if (is_stopped()) return Registration(Error::canceled("a handler was added to a stopped informer"));
  auto listener = state_->processor->register_handler(std::move(handler), std::move(options));
  state_->strand.post([state = state_, listener] { state->join_listener(listener); });
  return Registration(std::move(listener));
}

std::shared_ptr<const store::Indexer> SharedIndexInformer::indexer() const noexcept {
  return {state_, &state_->store};
}
Result<void> SharedIndexInformer::add_indexers(const store::Indexers& indexers) {
  if (is_stopped()) return Error::config("an index was added to a stopped informer");
  return state_->store.add_indexers(indexers);
}
Result<void> SharedIndexInformer::remove_indexer(std::string_view name) {
  return state_->store.remove_indexer(name);
}

void SharedIndexInformer::set_transform(delta::TransformFunc transform) {
  const std::lock_guard lock(state_->mutex);
  if (state_->started) throw std::logic_error("the transform of a started informer cannot be changed");
  std::swap(state_->options.transform, transform);  // what was there ends without the lock
}

bool SharedIndexInformer::has_transform() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<bool>(state_->options.transform);
}

void SharedIndexInformer::set_watch_error_handler(reflector::WatchErrorHandler handler) {
  const std::lock_guard lock(state_->mutex);
  if (state_->started) throw std::logic_error("the watch error handler of a started informer cannot be changed");
  std::swap(state_->options.reflector.watch_error_handler, handler);
}

void SharedIndexInformer::start(std::stop_token stop) {
  bool refused = false;
  {
    const std::lock_guard lock(state_->mutex);
    refused = state_->started || state_->stopping;
    if (!refused) state_->started = true;
  }
  if (refused) {
    log(LogLevel::Warning, "an informer was started twice or after its end", {{"informer", state_->options.name}});
    return;
  }
  // Behind the handlers that were added before.
  state_->strand.post([state = state_, stop = std::move(stop)]() mutable {
    if (stop.stop_requested()) state->end(true);
    bool too_late = false;
    {
      const std::lock_guard lock(state->mutex);
      too_late = state->stopping;
    }
    if (!too_late) state->begin(std::move(stop));
  });
}

void SharedIndexInformer::run(std::stop_token stop) {
  state_->throw_if_mutated();
  if (has_started()) return start();  // logs
  start(std::move(stop));
  {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->stopped; });
  }
  join();
  state_->throw_if_mutated();
}

void SharedIndexInformer::stop() {
  state_->end(true);
}
void SharedIndexInformer::stop_with_drain() {
  state_->end(false);
}

void SharedIndexInformer::join() {
  bool drop = true;
  {
    std::unique_lock lock(state_->mutex);
    if (!state_->started) return;
    state_->changed.wait(lock, [&] { return state_->stopped; });
    drop = state_->dropping;
  }
  for (const auto& listener : state_->processor->listeners()) {
    if (drop) listener->close();
    listener->wait_until_ended();
  }
  // Behind every task of ours: when this one runs, none of them holds the informer, or the client's threads, any more.
  const auto ended = std::make_shared<std::latch>(1);
  state_->strand.post([ended] { ended->count_down(); });
  ended->wait();
}

void SharedIndexInformer::on_end(std::function<void()> callback) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->on_end.push_back(std::move(callback));
  }
  state_->tell_ended();
}

bool SharedIndexInformer::has_started() const {
  const std::lock_guard lock(state_->mutex);
  return state_->started;
}
bool SharedIndexInformer::is_stopped() const {
  const std::lock_guard lock(state_->mutex);
  return state_->stopping;
}

std::shared_ptr<const Controller> SharedIndexInformer::controller() const {
  const std::lock_guard lock(state_->mutex);
  return state_->published_controller;
}

bool SharedIndexInformer::has_synced() const {
  state_->throw_if_mutated();
  const std::lock_guard lock(state_->mutex);
  return state_->is_synced;
}

std::string SharedIndexInformer::last_sync_resource_version() const {
  return status().reflector.last_sync_resource_version;
}

std::shared_ptr<void> SharedIndexInformer::observe(std::function<void()> callback) const {
  auto observer = std::make_shared<std::function<void()>>(std::move(callback));
  const std::lock_guard lock(state_->mutex);
  state_->observers.push_back(observer);
  return observer;
}

InformerStatus SharedIndexInformer::status() const {
  InformerStatus status;
  std::shared_ptr<Controller> controller;
  {
    const std::lock_guard lock(state_->mutex);
    status.started = state_->started;
    status.synced = state_->is_synced;
    status.stopped = state_->stopped;
    status.resource_version = state_->version;
    controller = state_->published_controller;
  }
  status.name = state_->options.name;
  status.description = state_->options.description;
  status.scope = state_->options.scope;
  const auto total = [this](std::size_t which) { return state_->totals[which].load(std::memory_order_relaxed); };
  status.events = {total(0), total(1), total(2), total(State::kResyncs)};
  status.repairs = state_->repairs.load(std::memory_order_relaxed);
  status.objects = state_->store.size();
  status.bytes = state_->store.bytes();
  for (const auto& listener : state_->processor->listeners()) {
    if (!listener->closed()) status.handlers.push_back(listener->status());
  }
  if (!controller) return status;
  status.queue_depth = state_->queue->size();
  status.reflector = controller->status();
  if (status.reflector.last_activity) {
    status.lag = state_->strand.clock().now() - *status.reflector.last_activity;
    const bool polled = status.reflector.state == reflector::ReflectorState::Polling;
    const auto late = polled ? status.lag - state_->options.reflector.poll_interval : status.lag;
    status.stale = state_->options.stale_after > Duration::zero() && late > state_->options.stale_after;
  } else {
    status.stale = true;
  }
  return status;
}

const std::string& SharedIndexInformer::name() const noexcept {
  return state_->options.name;
}
const meta::GroupVersionResource& SharedIndexInformer::resource() const noexcept {
  return state_->options.resource;
}

Result<void> SharedIndexInformer::wait_until(std::string_view resource_version, const WaitOptions& options) const {
  if (!state_->source->has_one_version()) {
    return Error::config("an informer of several namespaces has no single version to wait for");
  }
  if (!meta::is_comparable_resource_version(resource_version)) {
    return Error::config("not a resourceVersion that can be compared: " + std::string(resource_version));
  }
  return state_->wait(
      [&]() -> std::optional<Result<void>> {
        if (state_->version.empty()) return std::nullopt;
        const auto order = meta::compare_resource_versions(state_->version, resource_version);
        if (!order) return order.error();
        if (*order == std::strong_ordering::less) return std::nullopt;
        return Result<void>();
      },
      options);
}

Result<meta::Object> SharedIndexInformer::get(std::string_view key, std::string_view at_least,
                                              const WaitOptions& options) const {
  if (auto there = wait_until(at_least, options); !there) return there.error();
  auto object = state_->store.get_by_key(key);
  if (object) return object;
  return Error::api(404, "NotFound", state_->options.description + " \"" + std::string(key) + "\" not found");
}

Result<void> SharedIndexInformer::wait_until_gone(std::string_view key, std::string_view uid,
                                                  const WaitOptions& options) const {
  return state_->wait(
      [&]() -> std::optional<Result<void>> {
        if (!state_->is_synced) return std::nullopt;
        const auto object = state_->store.get_by_key(key);
        if (object && object.uid() == uid) return std::nullopt;
        return Result<void>();
      },
      options);
}

void SharedIndexInformer::relist() {
  std::shared_ptr<Controller> controller;
  {
    const std::lock_guard lock(state_->mutex);
    controller = state_->published_controller;
  }
  if (controller) controller->relist();
}

}  // namespace kubexx::informer
