#include "informer/shared_informer_state.hpp"

#include <cstdlib>
#include <stdexcept>

#include "base/internal/deadline.hpp"
#include "informer/sync_signal.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/meta/resource_version.hpp"

namespace kubexx::informer {
namespace {

/// What the store holds, for the queues that must know.
class Known final : public delta::KnownObjects {
 public:
  explicit Known(const store::Indexer& store) : store_(store) {}
  std::vector<std::string> list_keys() const override { return store_.list_keys(); }
  meta::Object get(std::string_view key) const override { return store_.get_by_key(key); }

 private:
  const store::Indexer& store_;
};

bool detector_wanted(const InformerOptions& options) {
  if (options.mutation_detector) return *options.mutation_detector;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
  const char* variable = std::getenv("KUBE_CACHE_MUTATION_DETECTOR");
  return variable && (std::string_view(variable) == "true" || std::string_view(variable) == "1");
}

bool version_fell(std::string_view before, std::string_view after) {
  if (before.empty() || after.empty()) return false;
  const auto order = meta::compare_resource_versions(after, before);
  return order && *order == std::strong_ordering::less;
}

}  // namespace

SharedIndexInformer::State::State(std::shared_ptr<reflector::ListerWatcher> source_in, InformerOptions options_in)
    : source(std::move(source_in)),
      options(std::move(options_in)),
      strand(options.executor),
      store(options.indexers, options.key_func) {
  if (options.description.empty()) options.description = options.resource.resource;
  if (options.name.empty()) options.name = options.description;
  ProcessorListener::Place place{options.name, options.handlers, options.metrics, options.key_func};
  processor = std::make_shared<SharedProcessor>(strand, std::move(place), options.resync_period);
  if (!options.metrics) return;
  repairs_counter =
      options.metrics->counter("kubexx_informer_repairs_total", "Differences to a list of the version the cache had",
                               {{"informer", options.name}});
  static constexpr const char* kKinds[] = {"add", "update", "delete"};
  for (int kind = 0; kind < 3; ++kind) {
    for (int cause = 0; cause < 4; ++cause) {
      events[kind][cause] =
          options.metrics->counter("kubexx_informer_events_total", "Events by kind and cause",
                                   {{"informer", options.name},
                                    {"event", kKinds[kind]},
                                    {"cause", std::string(to_string(static_cast<EventCause>(cause)))}});
    }
  }
}

/// Everything is built and set going. Once.
void SharedIndexInformer::State::begin(std::stop_token stop) {
  make_queue();
  make_controller();
  make_detector();
  make_gauges();
  {
    const std::lock_guard lock(mutex);
    published_controller = controller;
  }
  controller->start();
  on_stop.emplace(std::move(stop), std::function<void()>([weak = weak_from_this()] {
                    if (const auto self = weak.lock()) self->end(true);
                  }));
}

void SharedIndexInformer::State::make_queue() {
  const auto prefer = [this](meta::Object fresh) { return store.prefer_known(std::move(fresh)); };
  if (options.queue == QueueKind::Ordered) {
    delta::OrderedQueue::Options queue_options;
    queue_options.key_func = options.key_func;
    queue_options.transform = options.transform;
    queue_options.emit_bookmarks = true;
    if (!options.transform) queue_options.prefer_known = prefer;
    queue = std::make_shared<delta::OrderedQueue>(std::move(queue_options));
  } else {
    delta::DeltaFifo::Options queue_options;
    queue_options.key_func = options.key_func;
    queue_options.transform = options.transform;
    queue_options.known_objects = std::make_shared<Known>(store);
    queue_options.emit_delta_type_replaced = true;
    if (!options.transform) queue_options.prefer_known = prefer;
    queue = std::make_shared<delta::DeltaFifo>(std::move(queue_options));
  }
  queue->on_synced([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->synced();
  });
}

void SharedIndexInformer::State::make_controller() {
  const auto weak = weak_from_this();
  Config config;
  config.queue = queue;
  config.lister_watcher = source;
  config.reflector = options.reflector;
  config.reflector.name = options.name;
  config.reflector.metrics = options.metrics;
  config.object_type = options.expected_kind;
  config.object_description = options.description;
  config.full_resync_period = processor->start();
  config.should_resync = [processor = processor] { return processor->should_resync(); };
  config.reflector.on_status = [weak, user = options.reflector.on_status](const reflector::ReflectorStatus& status) {
    if (user) call_isolated("status of an informer", [&] { user(status); });
    const auto self = weak.lock();
    if (self && status.last_error && !status.synced_once) self->tell_observers();
  };
  config.process = [this](delta::Deltas& deltas, bool initial) {
    auto done = apply_deltas(deltas, initial, store, *this);
    processed();
    return done;
  };
  config.process_batch = [this](delta::Deltas& deltas, bool initial) {
    auto done = apply_batch(deltas, initial, store, *this);
    processed();
    return done;
  };
  config.caught_up = [this] { caught_up(); };
  controller = Controller::create(std::move(config), strand);
}

void SharedIndexInformer::State::make_detector() {
  if (!detector_wanted(options)) return;
  log(LogLevel::Warning, "the mutation detector is on: it keeps a copy of every cached object",
      {{"informer", options.name}});
  detector = std::make_shared<CacheMutationDetector>(strand, [weak = weak_from_this()](const std::string& key) {
    const auto self = weak.lock();
    if (!self) return;
    log(LogLevel::Error, "a cached object was changed", {{"informer", self->options.name}, {"key", key}});
    if (self->options.on_mutation) return self->options.on_mutation(key);
    const std::lock_guard lock(self->mutex);
    self->mutated_key = key;
  });
  detector->start();
}

void SharedIndexInformer::State::make_gauges() {
  if (!options.metrics) return;
  const MetricLabels labels{{"informer", options.name}};
  const auto gauge = [&](const char* name, const char* help, std::function<double(State&)> value) {
    gauges.push_back(options.metrics->gauge_function(name, help, labels, [weak = weak_from_this(), value] {
      const auto self = weak.lock();
      return self ? value(*self) : 0.0;
    }));
  };
  gauge("kubexx_store_objects", "Objects in the cache", [](State& s) { return static_cast<double>(s.store.size()); });
  gauge("kubexx_store_bytes", "Bytes of the cache", [](State& s) { return static_cast<double>(s.store.bytes()); });
  gauge("kubexx_queue_depth", "Changes waiting for the cache",
        [](State& s) { return static_cast<double>(s.queue->size()); });
  gauge("kubexx_informer_lag_seconds", "Since the last event, bookmark or list", [](State& s) {
    const auto last = s.controller->status().last_activity;
    return last ? std::chrono::duration<double>(s.strand.clock().now() - *last).count() : 0.0;
  });
}

/// Atomic against changes: both happen on the strand.
void SharedIndexInformer::State::join_listener(const std::shared_ptr<ProcessorListener>& listener) {
  bool too_late = false;
  {
    const std::lock_guard lock(mutex);
    too_late = stopping;
  }
  if (too_late) return listener->close();
  processor->join(listener, store.snapshot());
}

void SharedIndexInformer::State::announce(Notification notification) {
  using Kind = Notification::Kind;
  events[static_cast<int>(notification.kind)][static_cast<int>(notification.cause)].add();
  const bool reminder = notification.cause == EventCause::Resync;
  totals[reminder ? kResyncs : static_cast<std::size_t>(notification.kind)].fetch_add(1, std::memory_order_relaxed);
  if (detector) {
    if (notification.kind == Kind::Delete) {
      detector->forget(notification.key);
    } else if (auto key = store.key_of(notification.after)) {
      detector->remember(*key, notification.after);
    }
  }
  notification.sync = notification.kind == Kind::Update && is_sync(notification.before, notification.after);
  if (notification.repair && !notification.sync) {
    repairs_counter.add();
    repairs.fetch_add(1, std::memory_order_relaxed);
  }
  processor->announce(std::move(notification));
}

/// The store moved, and everybody who listens is told; whoever waits for a version looks again.
void SharedIndexInformer::State::processed() {
  processor->distribute();
  // Collected per key, changes come out of their order: the versions of objects say nothing before all are through.
  if (options.queue == QueueKind::Ordered) reached(store.last_store_sync_resource_version());
}

/// Everything that the reflector brought so far is in the store.
void SharedIndexInformer::State::caught_up() {
  if (options.queue == QueueKind::Ordered) return;
  auto now = controller->last_sync_resource_version();
  if (now.empty()) return;
  store.bookmark(now);
  reached(std::move(now));
}

void SharedIndexInformer::State::reached(std::string store_version) {
  const std::lock_guard lock(mutex);
  if (source->has_one_version() && version_fell(version, store_version)) ++rollbacks;
  version = std::move(store_version);
  changed.notify_all();
}

void SharedIndexInformer::State::synced() {
  // On the strand, behind the processing of the last initial change. No handler is synced before its informer is.
  {
    const std::lock_guard lock(mutex);
    is_synced = true;
    changed.notify_all();
  }
  processor->upstream_synced();
  tell_observers();
}

void SharedIndexInformer::State::tell_observers() {
  std::vector<std::shared_ptr<std::function<void()>>> alive;
  {
    const std::lock_guard lock(mutex);
    std::erase_if(observers, [](const auto& weak) { return weak.expired(); });
    for (const auto& weak : observers) {
      if (auto observer = weak.lock()) alive.push_back(std::move(observer));
    }
  }
  for (const auto& observer : alive) call_isolated("observer of an informer", *observer);
  SyncSignal::fire();
}

void SharedIndexInformer::State::throw_if_mutated() const {
  const std::lock_guard lock(mutex);
  if (mutated_key) throw std::logic_error("the cached object " + *mutated_key + " was changed");
}

/// Tells those who wait for the end, if it has come: also called when the last call of a closed handler has returned.
void SharedIndexInformer::State::tell_ended() {
  {
    const std::lock_guard lock(mutex);
    if (!stopped) return;
  }
  if (processor->busy()) return;
  std::vector<std::function<void()>> callbacks;
  {
    const std::lock_guard lock(mutex);
    callbacks.swap(on_end);
  }
  // Behind every task of ours: when these run, none of them holds the informer any more.
  for (auto& callback : callbacks) strand.post(std::move(callback));
}

void SharedIndexInformer::State::end(bool drop_waiting) {
  {
    const std::lock_guard lock(mutex);
    if (stopping) return;
    stopping = true;
    dropping = drop_waiting;
    if (!started) stopped = true;
    changed.notify_all();
  }
  // Behind a begin() that may still be on its way.
  strand.post([self = shared_from_this()] {
    if (self->controller) return self->controller->stop([self] { self->finish(); });
    self->finish();
  });
}

/// The watch has ended; now the handlers.
void SharedIndexInformer::State::finish() {
  if (detector) detector->stop();
  gauges.clear();
  bool drop = true;
  {
    const std::lock_guard lock(mutex);
    drop = dropping;
  }
  processor->stop(drop);
  {
    const std::lock_guard lock(mutex);
    stopped = true;
    changed.notify_all();
  }
  tell_observers();
  tell_ended();
}

Result<void> SharedIndexInformer::State::wait(const std::function<std::optional<Result<void>>()>& check,
                                              const WaitOptions& how) const {
  std::unique_lock lock(mutex);
  const auto before = rollbacks;
  std::optional<Result<void>> answer;
  const auto ready = [&] {
    answer = check();
    if (!answer && rollbacks != before) answer = Error::api(410, "Expired", "the server's versions went back");
    if (!answer && stopping) answer = Error::canceled("the informer stopped");
    return answer.has_value();
  };
  if (how.timeout) {
    changed.wait_until(lock, how.stop, kubexx::detail::after(Clock::system().now(), *how.timeout), ready);
  } else {
    changed.wait(lock, how.stop, ready);
  }
  if (answer) return *answer;
  if (how.stop.stop_requested()) return Error::canceled();
  return Error::timeout("the cache of " + options.description + " did not get there in time");
}

}  // namespace kubexx::informer
