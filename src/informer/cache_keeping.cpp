#include <algorithm>

#include "informer/cache_keeper.hpp"
#include "informer/shared_informer_impl.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/meta/resource_version.hpp"

/// What an informer has to do with the file of its cache.
namespace kubexx::informer {
namespace {

constexpr Duration kInterval = std::chrono::minutes(5);
constexpr Duration kLeastInterval = std::chrono::milliseconds(1);

}  // namespace

void SharedIndexInformer::Impl::make_keeper() {
  if (options.cache_directory.empty()) return;
  Scope scope;
  {
    const std::lock_guard lock(mutex);
    scope = scoped.scope;
  }
  auto identity = cache_identity(options, scope);
  if (!identity) {
    log(LogLevel::Info, "the cache is not kept in a file", {{"informer", options.name}, {"reason", identity.error()}});
    return;
  }
  CacheKeeper::Setting setting;
  setting.informer = options.name;
  setting.directory = options.cache_directory;
  setting.identity = std::move(*identity);
  setting.interval = std::max(options.cache_interval.value_or(kInterval), kLeastInterval);
  setting.key_func = options.key_func;
  setting.expected_kind = options.expected_kind;
  setting.blocking = options.handlers;
  setting.capture = [weak = weak_from_this()] {
    const auto self = weak.lock();
    return self ? self->capture() : std::nullopt;
  };
  keeper = std::make_shared<CacheKeeper>(std::move(setting), strand);
}

void SharedIndexInformer::Impl::take_restored(std::optional<RestoredCache> from) {
  if (!from) return;
  const bool fits = [&] {
    const std::lock_guard lock(mutex);
    if (from->parts.size() != scoped.sources.size()) return false;
    return std::all_of(from->parts.begin(), from->parts.end(),
                       [&](const auto& part) { return scoped.sources.contains(part.first); });
  }();
  if (!fits) {
    log(LogLevel::Warning, "the cache file is not used: it has other namespaces", {{"informer", options.name}});
    return;
  }
  log(LogLevel::Info, "restored the cache from its file", {{"informer", options.name}, {"objects", from->objects}});
  restored = std::move(from);
}

/// The cache and its versions belong together when nothing waits to be processed. While a list is under way they may be
/// of a server that is no more.
std::optional<CacheCapture> SharedIndexInformer::Impl::capture() {
  Scope scope;
  {
    const std::lock_guard lock(mutex);  // a change of the scope is seen whole or not at all
    const bool whole =
        progress->read([](const Progress::Facts& facts) { return facts.whole && facts.mutated.empty(); });
    if (!whole || controller->queue_depth() > 0) return std::nullopt;
    scope = scoped.scope;
  }
  auto identity = cache_identity(options, scope);
  if (!identity || controller->status().attempts > 0) return std::nullopt;
  auto versions = controller->last_sync_resource_versions();
  for (const auto& [namespace_, version] : versions) {
    if (!meta::is_comparable_resource_version(version)) return std::nullopt;
  }
  std::uint64_t changes = 0;
  for (std::size_t kind = 0; kind < kResyncs; ++kind) changes += totals[kind].load(std::memory_order_relaxed);
  return CacheCapture{store.snapshot(), changes, std::move(versions), std::move(*identity)};
}

/// The cache is what the server has. Is it the server that the file was of? Then the file is written from now on.
void SharedIndexInformer::Impl::begin_keeping() {
  if (!options.cluster.ask) return keeper->begin();
  asking_cluster = options.cluster.ask(strand, [weak = weak_from_this()](const Result<std::string>& answer) {
    const auto self = weak.lock();
    if (!self || !self->keeper) return;
    if (answer && !self->cluster_before.empty() && *answer != self->cluster_before) {
      log(LogLevel::Warning, "the cache file was of another cluster, listing anew",
          {{"informer", self->options.name}, {"then", self->cluster_before}, {"now", *answer}});
      self->keeper->discard();
      self->controller->relist();
    }
    // Behind the beginning of that list.
    self->strand.post([self, answer] {
      if (answer) self->keeper->set_cluster(*answer);
      self->keeper->begin();
    });
  });
}

}  // namespace kubexx::informer
