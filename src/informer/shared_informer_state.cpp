#include "informer/shared_informer_state.hpp"

#include <algorithm>
#include <cstdlib>

#include "kubexx/base/log.hpp"
#include "kubexx/meta/resource_version.hpp"

namespace kubexx::informer {
namespace {

constexpr Duration kMinimumResync = std::chrono::seconds(1);

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
      store(options.indexers, options.key_func),
      check_period(options.resync_period) {
  if (options.description.empty()) options.description = options.resource.resource;
  if (options.name.empty()) options.name = options.description;
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
  set_periods();
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
  const auto weak = weak_from_this();
  queue->on_synced([weak] {
    if (const auto self = weak.lock()) self->synced();
  });

  Config config;
  config.queue = queue;
  config.lister_watcher = source;
  config.reflector = options.reflector;
  config.reflector.name = options.name;
  config.reflector.type_description = options.description;
  config.reflector.expected_kind = options.expected_kind;
  config.reflector.resync_period = check_period;
  config.reflector.metrics = options.metrics;
  config.reflector.should_resync = [weak] {
    const auto self = weak.lock();
    return self && self->should_resync();
  };
  config.reflector.on_status = [weak, user = options.reflector.on_status](const reflector::ReflectorStatus& status) {
    if (user) user(status);
    const auto self = weak.lock();
    if (self && status.last_error && !status.synced_once) self->tell_observers();
  };
  config.process = [this](delta::Deltas& deltas, bool initial) {
    auto done = apply_deltas(deltas, initial, store, *this);
    distribute();
    processed();
    return done;
  };
  config.process_batch = [this](delta::Deltas& deltas, bool initial) {
    auto done = apply_batch(deltas, initial, store, *this);
    distribute();
    processed();
    return done;
  };
  controller = Controller::create(std::move(config), strand);

  if (detector_wanted(options)) {
    log(LogLevel::Warning, "the mutation detector is on: it keeps a copy of every cached object",
        {{"informer", options.name}});
    detector = std::make_shared<MutationDetector>(strand, [weak](const std::string& key) {
      const auto self = weak.lock();
      if (!self) return;
      log(LogLevel::Error, "a cached object was changed", {{"informer", self->options.name}, {"key", key}});
      if (self->options.on_mutation) return self->options.on_mutation(key);
      const std::lock_guard lock(self->mutex);
      self->mutated_key = key;
    });
    detector->start();
  }
  if (options.metrics) {
    const MetricLabels labels{{"informer", options.name}};
    const auto gauge = [&](const char* name, const char* help, std::function<double(State&)> value) {
      gauges.push_back(options.metrics->gauge_function(name, help, labels, [weak, value] {
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
  {
    const std::lock_guard lock(mutex);
    published_controller = controller;
  }
  controller->start();
  on_stop.emplace(std::move(stop), std::function<void()>([weak] {
                    if (const auto self = weak.lock()) self->end();
                  }));
}

/// Handlers that were there before the start shape how often resyncs are looked at.
void SharedIndexInformer::State::set_periods() {
  for (const auto& listener : listeners) {
    if (listener->requested_period > Duration::zero() &&
        (check_period == Duration::zero() || listener->requested_period < check_period)) {
      check_period = listener->requested_period;
    }
  }
  for (const auto& listener : listeners) {
    const auto asked = listener->requested_period;
    listener->period = asked == Duration::zero() || check_period == Duration::zero() ? Duration::zero()
                                                                                     : std::max(asked, check_period);
    listener->next_resync = strand.clock().now() + listener->period;
  }
}

/// Atomic against changes: both happen on the strand.
void SharedIndexInformer::State::join_listener(const std::shared_ptr<ProcessorListener>& listener) {
  if (listener->closed()) return;
  {
    const std::lock_guard lock(mutex);
    if (stopping) return listener->close();
  }
  auto& asked = listener->requested_period;
  if (asked > Duration::zero() && asked < kMinimumResync) {
    log(LogLevel::Warning, "a resync period below a second was raised to one", {{"informer", options.name}});
    asked = kMinimumResync;
  }
  listeners.push_back(listener);
  if (!controller) return;
  if (asked > Duration::zero() && check_period == Duration::zero()) {
    log(LogLevel::Warning, "a handler asks for resyncs, but the informer makes none", {{"informer", options.name}});
  }
  listener->period =
      asked == Duration::zero() || check_period == Duration::zero() ? Duration::zero() : std::max(asked, check_period);
  listener->next_resync = strand.clock().now() + listener->period;
  auto replay = std::make_shared<NotificationBlock>();
  store.snapshot().for_each([&](const meta::Object& object) {
    Notification n;
    n.kind = Notification::Kind::Add;
    n.cause = EventCause::Initial;
    n.initial = true;
    n.after = object;
    replay->push(std::move(n));
    if (replay->full()) listener->add(std::exchange(replay, std::make_shared<NotificationBlock>()));
  });
  listener->add(replay);
  if (upstream_synced) listener->upstream_synced();
}

bool SharedIndexInformer::State::should_resync() {
  const auto now = strand.clock().now();
  bool any = false;
  for (const auto& listener : listeners) {
    listener->syncing = listener->period > Duration::zero() && now >= listener->next_resync;
    if (!listener->syncing) continue;
    listener->next_resync = now + listener->period;
    any = true;
  }
  return any;
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
  if (listeners.empty()) return;
  if (!announced) announced = std::make_shared<NotificationBlock>();
  announced->push(std::move(notification));
  if (announced->full()) distribute();
}

void SharedIndexInformer::State::distribute() {
  if (!announced) return;
  const auto block = std::exchange(announced, nullptr);
  for (auto place = listeners.begin(); place != listeners.end();) {
    if ((*place)->closed()) {
      place = listeners.erase(place);
    } else {
      (*place++)->add(block);
    }
  }
}

/// The store moved: whoever waits for a version looks again.
void SharedIndexInformer::State::processed() {
  auto now = store.last_store_sync_resource_version();
  const std::lock_guard lock(mutex);
  if (source->has_one_version() && version_fell(version, now)) ++rollbacks;
  version = std::move(now);
  changed.notify_all();
}

void SharedIndexInformer::State::synced() {
  // On the strand, behind the processing of the last initial change.
  upstream_synced = true;
  for (const auto& listener : listeners) listener->upstream_synced();
  {
    const std::lock_guard lock(mutex);
    is_synced = true;
    changed.notify_all();
  }
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
  for (const auto& observer : alive) (*observer)();
}

/// Tells those who wait for the end, if it has come: also called when the last call of a closed handler has returned.
void SharedIndexInformer::State::tell_ended() {
  std::vector<std::function<void()>> callbacks;
  std::vector<std::shared_ptr<ProcessorListener>>
      alive;  // may be the last to hold a handler: released without the lock
  {
    const std::lock_guard lock(mutex);
    if (!stopped) return;
    for (const auto& weak : all_listeners) {
      if (auto listener = weak.lock()) alive.push_back(std::move(listener));
    }
    if (std::any_of(alive.begin(), alive.end(), [](const auto& listener) { return listener->running(); })) return;
    callbacks.swap(on_end);
  }
  // Behind every task of ours: when these run, none of them holds the informer any more.
  for (auto& callback : callbacks) strand.post(std::move(callback));
}

void SharedIndexInformer::State::end() {
  bool never_ran = false;
  {
    const std::lock_guard lock(mutex);
    if (stopping) return;
    stopping = true;
    never_ran = !started;
    if (never_ran) stopped = true;
    changed.notify_all();
  }
  if (never_ran) {
    tell_observers();
    tell_ended();
    return;
  }
  // Behind a begin() that may still be on its way.
  strand.post([self = shared_from_this()] {
    if (self->controller) self->controller->stop([self] { self->finish(); });
  });
}

/// The watch has ended; now the handlers.
void SharedIndexInformer::State::finish() {
  if (detector) detector->stop();
  for (const auto& listener : listeners) listener->close();
  listeners.clear();
  gauges.clear();
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
    changed.wait_for(lock, how.stop, *how.timeout, ready);
  } else {
    changed.wait(lock, how.stop, ready);
  }
  if (answer) return *answer;
  if (how.stop.stop_requested()) return Error::canceled();
  return Error::timeout("the cache of " + options.description + " did not get there in time");
}

}  // namespace kubexx::informer
