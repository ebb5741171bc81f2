#include "informer/shared_informer_impl.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "base/internal/insist.hpp"
#include "informer/make_queue.hpp"
#include "informer/notification.hpp"
#include "informer/reflector_options.hpp"
#include "informer/scope.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/meta/resource_version.hpp"

namespace kubexx::informer {
namespace {

constexpr Duration kStaleAfter = std::chrono::minutes(3);
constexpr Duration kBeginAgain = std::chrono::milliseconds(100);
constexpr std::size_t kMutatedNamed = 16;  // keys of objects that somebody changed

bool detector_wanted(const InformerOptions& options) {
  if (options.mutation_detector) return *options.mutation_detector;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
  const char* variable = std::getenv("KUBE_CACHE_MUTATION_DETECTOR");
  return variable && (std::string_view(variable) == "true" || std::string_view(variable) == "1");
}

InformerOptions named(InformerOptions options) {
  if (options.description.empty()) options.description = options.resource.resource;
  if (options.name.empty()) options.name = options.description;
  return options;
}

store::Indexers with_namespaces(store::Indexers indexers) {
  indexers.merge(store::namespace_indexers());
  return indexers;
}

bool version_fell(std::string_view before, std::string_view after) {
  if (before.empty() || after.empty()) return false;
  const auto order = meta::compare_resource_versions(after, before);
  return order && *order == std::strong_ordering::less;
}

}  // namespace

SharedIndexInformer::Impl::Impl(SourceFunc make, InformerOptions options_in)
    : make_source(std::move(make)),
      options(named(std::move(options_in))),
      stale_after(options.stale_after.value_or(kStaleAfter)),
      queue(options.queue.value_or(QueueKind::Ordered)),
      reflector(reflector_options(options)),
      strand(options.executor),
      waits(std::make_shared<ConditionWaits<void>>(strand)),
      store(with_namespaces(options.indexers), options.key_func),
      controller(Controller::create(strand)),
      scoped{options.scope, {}} {
  if (make_source) {
    for (const auto& each : WholeScope(options.scope).namespaces) {
      auto source = make_source(options.scope, each);
      if (!source) throw std::logic_error("the function that makes sources returned none");
      scoped.sources.emplace(each, std::move(source));
    }
    progress->change([&](Progress::Facts& facts) { facts.has_one_version = scoped.sources.size() == 1; });
  }
  ProcessorListener::Setting setting{options.name,     options.handlers, options.metrics,
                                     options.key_func, progress,         options.executor};
  processor =
      std::make_shared<SharedProcessor>(strand, std::move(setting), options.resync_period.value_or(Duration::zero()));
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

/// Nobody would hear of an exception: where there is no memory, it begins a little later.
void SharedIndexInformer::Impl::begin_insistently(const std::stop_token& stop) {
  try {
    begin(stop);
  } catch (const std::bad_alloc&) {
    report_error(current_exception_as_error(), "informer");
    gauges.clear();
    detector.reset();
    keeper.reset();
    resumes = false;
    strand.post_after(kBeginAgain, [self = shared_from_this(), stop] {
      if (stop.stop_requested()) self->end(true);
      const bool too_late = self->progress->read([](const Progress::Facts& facts) { return facts.stopping; });
      if (!too_late) self->begin_insistently(stop);
    });
  }
}

/// Everything is built and set going. Once.
void SharedIndexInformer::Impl::begin(std::stop_token stop) {
  std::function<void()> stopper = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->end(true);
  };
  make_detector();
  make_gauges();
  make_keeper();
  if (keeper) {
    keeper->restore(
        [self = shared_from_this()](std::optional<RestoredCache> from) { self->begin_restored(std::move(from)); });
  } else {
    begin_controller();
  }
  on_stop.emplace(std::move(stop), std::move(stopper));  // what began is not begun again: nothing throws any more
}

void SharedIndexInformer::Impl::begin_restored(std::optional<RestoredCache> from) {
  call_isolated("cache file", [&] { take_restored(std::move(from)); });
  try {
    begin_controller();
  } catch (const std::bad_alloc&) {  // what the file had is lost by now, and is listed
    report_error(current_exception_as_error(), "informer");
    resumes = false;
    first_request = strand.post_after(kBeginAgain, [self = shared_from_this()] { self->begin_restored(std::nullopt); });
  }
}

/// The first request.
void SharedIndexInformer::Impl::begin_controller() {
  const auto jitter = restored ? Duration::zero() : options.start_jitter.value_or(Duration::zero());
  if (jitter > Duration::zero()) {
    auto& random = reflector.random ? *reflector.random : Random::process();
    const auto delay = std::chrono::duration_cast<Duration>(random.uniform() * jitter);
    first_request = strand.post_after(delay, [self = shared_from_this()] {
      const bool over = self->progress->read([](const Progress::Facts& facts) { return facts.stopping; });
      if (!over) self->controller->start(self->config());
    });
  } else {
    controller->start(config());
  }
}

/// What the reflector asks and tells, beside the owner that the options name. Weak: the reflector holds it.
struct SharedIndexInformer::Impl::Owner final : reflector::Owner {
  Owner(std::weak_ptr<Impl> i, std::shared_ptr<reflector::Owner> n) : informer(std::move(i)), named(std::move(n)) {}
  meta::Object prefer_known(meta::Object fresh) override {
    const auto self = informer.lock();
    return self && !self->options.transform ? self->store.prefer_known(std::move(fresh)) : fresh;
  }
  meta::Object find_known(const meta::ItemIdentity& identity) const override {
    const auto self = informer.lock();
    return self && !self->options.transform ? self->store.find_known(identity) : meta::Object();
  }
  void on_change() override {
    if (named) call_isolated("owner of an informer's reflector", [this] { named->on_change(); });
    const auto self = informer.lock();
    if (!self) return;
    const auto status = self->controller->status();
    if (status.last_error && !status.synced_once) self->progress->tell();
  }
  void on_rollback() override {
    if (named) call_isolated("owner of an informer's reflector", [this] { named->on_rollback(); });
    if (const auto self = informer.lock(); self && self->keeper) self->keeper->discard();
  }
  const std::weak_ptr<Impl> informer;
  const std::shared_ptr<reflector::Owner> named;
};

Config SharedIndexInformer::Impl::config() {
  Config config;
  config.queue = make_queue(queue, std::shared_ptr<const store::Indexer>(std::shared_ptr<void>(), &store));
  config.key_func = options.key_func;
  config.transform = options.transform;
  {
    const std::lock_guard lock(mutex);
    config.sources = scoped.sources;
    scope_changes_met = scoped.changes;
  }
  if (restored) {
    resumes = true;
    cluster_before = std::move(restored->cluster);
    config.restored = std::move(restored->parts);
    restored.reset();
  }
  config.reflector = reflector;
  config.object_type = options.expected_kind;
  config.object_description = options.description;
  config.reflector.resync_period = processor->start();
  config.should_resync = [processor = processor] { return processor->should_resync(); };
  if (options.watch_error_handler) config.watch_error_handler = options.watch_error_handler;
  config.reflector.owner = std::make_shared<Owner>(weak_from_this(), reflector.owner);
  config.process = [this](delta::Deltas& deltas, bool initial) {
    return process_deltas(deltas, initial, store, *this);
  };
  config.processed = [this](const QueueProgress& now) { processed(now); };
  return config;
}

void SharedIndexInformer::Impl::make_detector() {
  if (!detector_wanted(options)) return;
  log(LogLevel::Warning, "the mutation detector is on: it keeps a copy of every cached object",
      {{"informer", options.name}});
  detector = std::make_shared<CacheMutationDetector>(strand, [weak = weak_from_this()](const std::string& key) {
    const auto self = weak.lock();
    if (!self) return;
    report_error(Error::config("the cached object " + key + " was changed"), "informer " + self->options.name);
    self->progress->change([&](Progress::Facts& facts) {
      const bool named = std::find(facts.mutated.begin(), facts.mutated.end(), key) != facts.mutated.end();
      if (!named && facts.mutated.size() < kMutatedNamed) facts.mutated.push_back(key);
    });
    if (self->options.on_mutation) self->options.on_mutation(key);
  });
  detector->start();
}

void SharedIndexInformer::Impl::make_gauges() {
  if (!options.metrics) return;
  const MetricLabels labels{{"informer", options.name}};
  const auto gauge = [&](const char* name, const char* help, std::function<double(Impl&)> value) {
    gauges.push_back(options.metrics->gauge_function(name, help, labels, [weak = weak_from_this(), value] {
      const auto self = weak.lock();
      return self ? value(*self) : 0.0;
    }));
  };
  gauge("kubexx_store_objects", "Objects in the cache", [](Impl& s) { return static_cast<double>(s.store.size()); });
  gauge("kubexx_store_bytes", "Bytes of the cache, without what objects share",
        [](Impl& s) { return static_cast<double>(s.store.bytes()); });
  gauge("kubexx_queue_depth", "Changes waiting for the cache",
        [](Impl& s) { return static_cast<double>(s.controller->queue_depth()); });
  gauge("kubexx_informer_lag_seconds", "Since the last event, bookmark or list", [](Impl& s) {
    const auto last = s.controller->status().last_activity;
    return last ? std::chrono::duration<double>(s.strand.clock().now() - *last).count() : 0.0;
  });
}

/// Atomic against changes: both happen on the strand.
void SharedIndexInformer::Impl::join_listener(const std::shared_ptr<ProcessorListener>& listener) {
  if (progress->read([](const Progress::Facts& facts) { return facts.stopping; })) return listener->close();
  std::optional<store::Snapshot> cache;
  insist([&] { cache = store.snapshot(); });
  processor->join(listener, *cache);
}

void SharedIndexInformer::Impl::announce(Notification notification) {
  using Kind = Notification::Kind;
  events[static_cast<int>(notification.kind)][static_cast<int>(notification.cause)].add();
  const bool reminder = notification.cause == EventCause::Resync;
  totals[reminder ? kResyncs : static_cast<std::size_t>(notification.kind)].fetch_add(1, std::memory_order_relaxed);
  if (detector) {
    if (notification.kind == Kind::Delete) {
      detector->forget(notification.key.text());
    } else {
      detector->remember(notification.key.text(), notification.after);
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
void SharedIndexInformer::Impl::processed(const QueueProgress& now) {
  processor->distribute();
  bool first_restored = false;
  const bool whole = progress->change([&](Progress::Facts& facts) {
    first_restored = !std::exchange(facts.restored, resumes && !now.synced) && facts.restored;
    return facts.whole = now.whole && facts.scope_changes == scope_changes_met;
  });
  if (first_restored) progress->tell();
  if (!whole) {
    // The version of a part, or of parts that are gone, says nothing of the whole.
  } else if (queue == QueueKind::Ordered) {
    reached(store.last_store_sync_resource_version());
  } else if (now.empty) {
    // Collected per key, changes come out of their order: the versions of objects say nothing before all are through.
    if (auto version = controller->last_sync_resource_version(); !version.empty()) {
      store.bookmark(version);
      reached(std::move(version));
    }
  }
  waits->look();
  if (keeper) keeper->moved();
  if (!now.synced || std::exchange(told_synced, true)) return;
  // Behind the processing of the last initial change. No handler is synced before its informer is.
  progress->change([](Progress::Facts& facts) { facts.synced = true; });
  processor->upstream_synced();
  waits->look();
  progress->tell();
  if (keeper) begin_keeping();
}

void SharedIndexInformer::Impl::reached(std::string store_version) {
  progress->change([&](Progress::Facts& facts) {
    if (facts.has_one_version && version_fell(facts.version, store_version)) ++facts.rollbacks;
    facts.version = std::move(store_version);
  });
}

/// Calls those who wait for the end, if it has come: also when the last call of a closed handler has returned.
void SharedIndexInformer::Impl::call_if_ended() {
  if (!progress->read([](const Progress::Facts& facts) { return facts.stopped; }) || processor->busy()) return;
  std::vector<std::function<void()>> callbacks;
  {
    const std::lock_guard lock(mutex);
    callbacks.swap(on_end);
  }
  // Behind every task of ours: when these run, none of them holds the informer any more.
  for (auto& callback : callbacks) strand.post(std::move(callback));
}

void SharedIndexInformer::Impl::end(bool drop_waiting) {
  const bool first = progress->change([&](Progress::Facts& facts) {
    if (std::exchange(facts.stopping, true)) return false;
    facts.dropping = drop_waiting;
    if (!facts.started) facts.stopped = true;
    return true;
  });
  if (!first) return;
  waits->close("the informer stopped");
  // Behind a begin() that may still be on its way.
  strand.post([self = shared_from_this()] {
    self->first_request.cancel();
    if (self->keeper) call_isolated("informer", [&] { self->keeper->take_last(); });
    self->controller->stop([self] {
      if (!self->keeper) return self->finish();
      self->keeper->end([self] { self->finish(); });
    });
  });
}

/// The watch has ended; now the handlers.
void SharedIndexInformer::Impl::finish() {
  if (detector) detector->stop();
  asking_cluster.reset();
  gauges.clear();
  processor->stop(progress->read([](const Progress::Facts& facts) { return facts.dropping; }));
  progress->change([](Progress::Facts& facts) { facts.stopped = true; });
  progress->tell();
  insist([this] { call_if_ended(); });
}

Result<void> SharedIndexInformer::Impl::wait(
    const std::function<std::optional<Result<void>>(const Progress::Facts&)>& check, const WaitOptions& how) const {
  const auto before = progress->read([](const Progress::Facts& facts) { return facts.rollbacks; });
  std::optional<Result<void>> answer;
  const auto ready = [&](const Progress::Facts& facts) {
    answer = check(facts);
    if (!answer && facts.rollbacks != before) answer = Error::api(410, "Expired", "the server's versions went back");
    if (!answer && facts.stopping) answer = Error::canceled("the informer stopped");
    return answer.has_value();
  };
  const auto met = progress->wait(awaited(), ready, how.stop, how.timeout);
  if (!met) return met.error();
  if (answer) return *answer;
  if (how.stop.stop_requested()) return Error::canceled();
  return Error::timeout("the cache of " + options.description + " did not get there in time");
}

}  // namespace kubexx::informer
