#include "kubexx/informer/shared_informer.hpp"

#include <stdexcept>

#include "base/internal/insist.hpp"
#include "informer/scope.hpp"
#include "informer/shared_informer_impl.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/meta/resource_version.hpp"

namespace kubexx::informer {

using Facts = Progress::Facts;

SharedIndexInformer::SharedIndexInformer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {
  impl_->processor->on_idle([weak = std::weak_ptr<Impl>(impl_)] {
    if (const auto self = weak.lock()) self->call_if_ended();
  });
}

SharedIndexInformer::~SharedIndexInformer() {
  impl_->end(true);
}

std::shared_ptr<SharedIndexInformer> SharedIndexInformer::create(std::shared_ptr<reflector::ListerWatcher> source,
                                                                 InformerOptions options) {
  if (!options.executor || !options.handlers) throw std::logic_error("an informer needs its executors");
  auto impl = std::make_shared<Impl>(SourceFunc(), std::move(options));
  impl->scoped.sources.emplace("", std::move(source));
  return std::shared_ptr<SharedIndexInformer>(new SharedIndexInformer(std::move(impl)));
}

std::shared_ptr<SharedIndexInformer> SharedIndexInformer::create(SourceFunc make, InformerOptions options) {
  if (!options.executor || !options.handlers) throw std::logic_error("an informer needs its executors");
  if (!make) throw std::logic_error("the function that makes sources is null");
  return std::shared_ptr<SharedIndexInformer>(
      new SharedIndexInformer(std::make_shared<Impl>(std::move(make), std::move(options))));
}

Registration SharedIndexInformer::add_event_handler(std::shared_ptr<ResourceEventHandler> handler,
                                                    HandlerOptions options) {
  if (!handler) throw std::logic_error("a handler is null");
  if (is_stopped()) return Registration(Error::canceled("a handler was added to a stopped informer"));
  auto listener = impl_->processor->register_handler(std::move(handler), std::move(options));
  impl_->strand.post([state = impl_, listener] { state->join_listener(listener); });
  return Registration(std::move(listener));
}

std::shared_ptr<const store::Indexer> SharedIndexInformer::indexer() const noexcept {
  return {impl_, &impl_->store};
}
Result<void> SharedIndexInformer::add_indexers(const store::Indexers& indexers) {
  if (is_stopped()) return Error::config("an index was added to a stopped informer");
  return impl_->store.add_indexers(indexers);
}
Result<void> SharedIndexInformer::remove_indexer(std::string_view name) {
  return impl_->store.remove_indexer(name);
}

void SharedIndexInformer::set_transform(delta::TransformFunc transform) {
  impl_->progress->change([&](Facts& facts) {
    if (facts.started)
      throw std::logic_error(
          "the transform of a started informer cannot be changed; a factory takes it from FactoryOptions::by_kind");
    std::swap(impl_->options.transform, transform);  // what was there ends without the lock
  });
}

bool SharedIndexInformer::has_transform() const {
  return impl_->progress->read([&](const Facts&) { return static_cast<bool>(impl_->options.transform); });
}

void SharedIndexInformer::set_watch_error_handler(reflector::WatchErrorHandler handler) {
  impl_->progress->change([&](Facts& facts) {
    if (facts.started)
      throw std::logic_error(
          "the watch error handler of a started informer cannot be changed; a factory takes it from "
          "FactoryOptions::by_kind");
    std::swap(impl_->options.watch_error_handler, handler);
  });
}

void SharedIndexInformer::start(std::stop_token stop) {
  const bool refused = impl_->progress->change([](Facts& facts) {
    if (facts.started || facts.stopping) return true;
    facts.started = true;
    return false;
  });
  if (refused) {
    log(LogLevel::Warning, "an informer was started twice or after its end", {{"informer", impl_->options.name}});
    return;
  }
  // Behind the handlers that were added before.
  impl_->strand.post([impl = impl_, stop = std::move(stop)]() mutable {
    if (stop.stop_requested()) impl->end(true);
    const bool too_late = impl->progress->read([](const Facts& facts) { return facts.stopping; });
    if (!too_late) impl->begin_insistently(stop);
  });
}

void SharedIndexInformer::run(std::stop_token stop) {
  if (has_started()) return start();  // logs
  start(std::move(stop));
  static_cast<void>(impl_->progress->wait(impl_->awaited(), [](const Facts& facts) { return facts.stopped; }).value());
  join();
}

void SharedIndexInformer::stop() {
  impl_->end(true);
}
void SharedIndexInformer::stop_with_drain() {
  impl_->end(false);
}

void SharedIndexInformer::join() {
  if (!has_started()) return;
  bool drop = true;
  const auto stopped = [&](const Facts& facts) {
    drop = facts.dropping;
    return facts.stopped;
  };
  static_cast<void>(impl_->progress->wait(impl_->awaited(), stopped).value());
  std::vector<std::shared_ptr<ProcessorListener>> listeners;
  insist([&] { listeners = impl_->processor->listeners(); });
  for (const auto& listener : listeners) {
    if (drop) listener->close();
    listener->wait_until_ended();
  }
  listeners.clear();
  // Behind every task of ours: when this one runs, none of them holds the informer, or the client's threads, any more.
  std::shared_ptr<kubexx::detail::Ended> ended;
  insist([&] { ended = std::make_shared<kubexx::detail::Ended>(); });
  impl_->strand.post([ended] { ended->tell(); });
  ended->wait(impl_->awaited()).value();
}

void SharedIndexInformer::on_end(std::function<void()> callback) {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->on_end.push_back(std::move(callback));
  }
  impl_->call_if_ended();
}

bool SharedIndexInformer::has_started() const {
  return impl_->progress->read([](const Facts& facts) { return facts.started; });
}
bool SharedIndexInformer::is_stopped() const {
  return impl_->progress->read([](const Facts& facts) { return facts.stopping; });
}

std::shared_ptr<const Controller> SharedIndexInformer::controller() const noexcept {
  return impl_->controller;
}

bool SharedIndexInformer::has_synced() const noexcept {
  return impl_->progress->read([](const Facts& facts) { return facts.synced; });
}

std::string SharedIndexInformer::last_sync_resource_version() const {
  return status().reflector.last_sync_resource_version;
}

std::shared_ptr<void> SharedIndexInformer::observe(std::function<void()> callback) const {
  return impl_->progress->observe(std::move(callback));
}

InformerStatus SharedIndexInformer::status() const {
  InformerStatus status;
  impl_->progress->read([&](const Facts& facts) {
    status.started = facts.started;
    status.restored = facts.restored;
    status.synced = facts.synced;
    status.whole = facts.whole;
    status.stopped = facts.stopped;
    status.resource_version = facts.version;
    status.mutated = facts.mutated;
  });
  status.name = impl_->options.name;
  status.description = impl_->options.description;
  {
    const std::lock_guard lock(impl_->mutex);
    WholeScope whole(impl_->scoped.scope);
    status.scope = whole.text();
    if (!whole.namespaces.front().empty()) status.namespaces = std::move(whole.namespaces);
  }
  const auto total = [this](std::size_t which) { return impl_->totals[which].load(std::memory_order_relaxed); };
  status.events = {total(0), total(1), total(2), total(Impl::kResyncs)};
  status.repairs = impl_->repairs.load(std::memory_order_relaxed);
  status.objects = impl_->store.size();
  status.bytes = impl_->store.bytes();
  for (const auto& listener : impl_->processor->listeners()) {
    if (!listener->closed()) status.handlers.push_back(listener->status());
  }
  if (!status.started) return status;
  status.queue_depth = impl_->controller->queue_depth();
  status.reflector = impl_->controller->status();
  if (status.reflector.last_activity) {
    status.lag = impl_->strand.clock().now() - *status.reflector.last_activity;
    const bool polled = status.reflector.state == reflector::ReflectorState::Polling;
    const auto late = polled ? status.lag - impl_->reflector.poll_interval : status.lag;
    status.stale = impl_->stale_after > Duration::zero() && late > impl_->stale_after;
  } else {
    status.stale = true;
  }
  return status;
}

const std::string& SharedIndexInformer::name() const noexcept {
  return impl_->options.name;
}
const meta::GroupVersionResource& SharedIndexInformer::resource() const noexcept {
  return impl_->options.resource;
}

Result<void> SharedIndexInformer::wait_until(std::string_view resource_version, const WaitOptions& options) const {
  if (!meta::is_comparable_resource_version(resource_version)) {
    return Error::config("not a resourceVersion that can be compared: " + std::string(resource_version));
  }
  return impl_->wait(
      [&](const Facts& facts) -> std::optional<Result<void>> {
        if (!facts.has_one_version) {
          return Error::config("an informer of several namespaces has no single version to wait for");
        }
        if (facts.version.empty()) return std::nullopt;
        const auto order = meta::compare_resource_versions(facts.version, resource_version);
        if (!order) return order.error();
        if (*order == std::strong_ordering::less) return std::nullopt;
        return Result<void>();
      },
      options);
}

Result<meta::Object> SharedIndexInformer::get(std::string_view key, std::string_view at_least,
                                              const WaitOptions& options) const {
  if (auto there = wait_until(at_least, options); !there) return there.error();
  auto object = impl_->store.find(key);
  if (object) return object;
  return Error::api(404, "NotFound", impl_->options.description + " \"" + std::string(key) + "\" not found");
}

Result<void> SharedIndexInformer::wait_until_gone(std::string_view key, std::string_view uid,
                                                  const WaitOptions& options) const {
  return impl_->wait(
      [&](const Facts& facts) -> std::optional<Result<void>> {
        if (!facts.synced || !facts.whole) return std::nullopt;
        const auto object = impl_->store.find(key);
        if (object && object.uid() == uid) return std::nullopt;
        return Result<void>();
      },
      options);
}

void SharedIndexInformer::relist() {
  impl_->controller->relist();
}

Result<void> SharedIndexInformer::set_scope(const Scope& scope) {
  return impl_->set_scope(scope);
}

Result<void> SharedIndexInformer::wait_until_whole(const WaitOptions& options) const {
  return impl_->wait(
      [](const Facts& facts) -> std::optional<Result<void>> {
        if (!facts.whole) return std::nullopt;
        return Result<void>();
      },
      options);
}

}  // namespace kubexx::informer
