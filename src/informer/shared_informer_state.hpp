#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "informer/apply_deltas.hpp"
#include "kubexx/delta/delta_fifo.hpp"
#include "kubexx/delta/ordered_queue.hpp"
#include "kubexx/informer/cache_mutation_detector.hpp"
#include "kubexx/informer/controller.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/informer/shared_processor.hpp"

namespace kubexx::informer {

/// What a SharedIndexInformer is. The strand orders everything that changes the store or the set of joined listeners.
struct SharedIndexInformer::State : Announcer, std::enable_shared_from_this<State> {
  State(std::shared_ptr<reflector::ListerWatcher> source, InformerOptions options);

  void begin(std::stop_token stop);
  void end(bool drop_waiting);
  void finish();
  void synced();
  void processed();
  void caught_up();
  void reached(std::string store_version);
  void tell_observers();
  void throw_if_mutated() const;
  void tell_ended();
  void make_queue();
  void make_controller();
  void make_detector();
  void make_gauges();
  void announce(Notification notification) override;                       // strand
  void join_listener(const std::shared_ptr<ProcessorListener>& listener);  // strand
  Result<void> wait(const std::function<std::optional<Result<void>>()>& check, const WaitOptions& options) const;

  const std::shared_ptr<reflector::ListerWatcher> source;
  InformerOptions options;
  const Strand strand;
  store::Indexer store;
  std::shared_ptr<delta::Queue> queue;
  std::shared_ptr<Controller> controller;
  std::shared_ptr<CacheMutationDetector> detector;
  std::shared_ptr<SharedProcessor> processor;

  mutable std::mutex mutex;
  mutable std::condition_variable_any changed;
  bool started = false;                                                 // guarded by mutex
  bool stopping = false;                                                // guarded by mutex
  bool dropping = true;                                                 // guarded by mutex; what waits for handlers
  bool stopped = false;                                                 // guarded by mutex
  bool is_synced = false;                                               // guarded by mutex
  std::string version;                                                  // guarded by mutex; of the store
  std::uint64_t rollbacks = 0;                                          // guarded by mutex; the version fell
  mutable std::vector<std::weak_ptr<std::function<void()>>> observers;  // guarded by mutex
  std::vector<std::function<void()>> on_end;                            // guarded by mutex
  std::optional<std::string> mutated_key;                               // guarded by mutex
  std::shared_ptr<Controller> published_controller;                     // guarded by mutex; for readers off the strand
  std::optional<std::stop_callback<std::function<void()>>> on_stop;

  std::vector<Gauge> gauges;
  Counter events[3][4];  // kind, cause
  static constexpr std::size_t kResyncs = 3;
  Counter repairs_counter;
  std::atomic<std::uint64_t> repairs{0};
  std::array<std::atomic<std::uint64_t>, 4> totals{};  // by kind, and resyncs apart
};

}  // namespace kubexx::informer
