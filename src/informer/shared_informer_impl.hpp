#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/internal/condition_waits.hpp"
#include "informer/cache_keeper.hpp"
#include "informer/progress.hpp"
#include "kubexx/informer/cache_mutation_detector.hpp"
#include "kubexx/informer/controller.hpp"
#include "kubexx/informer/process_deltas.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/informer/shared_processor.hpp"

namespace kubexx::informer {

/// What a SharedIndexInformer is. The strand orders everything that changes the store or the set of joined listeners.
struct KUBEXX_HIDDEN SharedIndexInformer::Impl : Announcer, std::enable_shared_from_this<Impl> {
  Impl(SourceFunc make, InformerOptions options);
  struct Owner;
  /// What a factory says of the scopes of its informers.
  struct Kept {
    Scope defaults = {};
    std::function<Result<void>(const Scope& next)> claim = {};  // an Error: another informer has it
  };
  /// What it keeps, and where that comes from.
  struct Scoped {
    Scope scope;
    Sources sources;
    std::uint64_t changes = 0;
  };

  void begin_insistently(const std::stop_token& stop);
  void begin(std::stop_token stop);
  void begin_restored(std::optional<RestoredCache> from);
  void begin_controller();
  void end(bool drop_waiting);
  void finish();
  void processed(const QueueProgress& queue);
  void reached(std::string store_version);
  void call_if_ended();
  Config config();
  void make_detector();
  void make_gauges();
  // cache_keeping.cpp; on the strand
  void make_keeper();
  void take_restored(std::optional<RestoredCache> from);
  std::optional<CacheCapture> capture();
  void begin_keeping();

  Result<Scoped> next_scope(const Scope& wanted, const Scoped& now) const;
  Result<void> set_scope(const Scope& wanted);
  void announce(Notification notification) override;                       // strand
  void join_listener(const std::shared_ptr<ProcessorListener>& listener);  // strand
  Result<void> wait(const std::function<std::optional<Result<void>>(const Progress::Facts&)>& check,
                    const WaitOptions& options) const;
  // Whether the cache has a write; in reached.cpp.
  enum class Reach : std::uint8_t { NotYet, Reached, Unclear };
  Reach reach(const Written& written) const;
  bool reach_of_part(const Written& written) const;  // strand; where reach() is unclear
  Async<Result<void>> until_reached(std::vector<Written> writes, WaitOptions how) const;
  kubexx::detail::Awaited awaited() const { return {options.executor.get(), options.handlers.get()}; }

  const SourceFunc make_source;  // null: of a source that was given
  InformerOptions options;
  const Duration stale_after;
  const QueueKind queue;
  const reflector::ReflectorOptions reflector;  // but for what may change before the start
  const Strand strand;
  const std::shared_ptr<Progress> progress = std::make_shared<Progress>();
  const std::shared_ptr<ConditionWaits<void>> waits;
  store::Indexer store;
  std::shared_ptr<CacheMutationDetector> detector;
  std::shared_ptr<SharedProcessor> processor;
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
  bool told_synced = false;             // strand
  std::uint64_t scope_changes_met = 0;  // strand
  Timer first_request;                  // strand; when it is put off
  const std::shared_ptr<Controller> controller;
  std::shared_ptr<CacheKeeper> keeper;         // strand; null: no file
  std::optional<RestoredCache> restored;       // strand; until the start
  bool resumes = false;                        // strand; it has begun with what a file had
  std::string cluster_before;                  // strand; what the file's cluster called itself
  std::unique_ptr<meta::Call> asking_cluster;  // strand

  mutable std::mutex mutex;
  std::vector<std::function<void()>> on_end;  // guarded by mutex
  Scoped scoped;                              // guarded by mutex
  std::optional<Kept> kept;                   // guarded by mutex; of a factory

  std::vector<Gauge> gauges;
  Counter events[3][4];  // kind, cause
  static constexpr std::size_t kResyncs = 3;
  Counter repairs_counter;
  std::atomic<std::uint64_t> repairs{0};
  std::array<std::atomic<std::uint64_t>, 4> totals{};  // by kind, and resyncs apart
};

}  // namespace kubexx::informer
