#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/internal/gate.hpp"
#include "base/internal/trace_span.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/controller/controller_core.hpp"
#include "kubexx/informer/registration.hpp"
#include "kubexx/workqueue/rate_limiting_queue.hpp"

namespace kubexx::controller {

/// How a reconcile ended, for the metrics.
enum class Outcome : std::uint8_t { Success, Requeue, RequeueAfter, Error, GaveUp, Exception, Canceled };
inline constexpr std::size_t kOutcomes = 7;

/// The states:
///
///     Syncing   --all sources synced-->         Working
///     Working   --stop-->                       Draining: the queue takes nothing more, the deadline runs
///     Draining  --queue empty, workers idle-->  Ended; after the deadline the workers take no further key
///     Syncing   --stop, source ended, late-->   Ended with an Error
///
/// evaluate() looks which of these steps is due; it runs on the strand, after everything that may make one due.
class KUBEXX_HIDDEN ControllerCore::Impl {
 public:
  Impl(Subject subject, std::shared_ptr<informer::SharedIndexInformer> informer, Predicate predicate,
       ControllerOptions options);
  ~Impl();

  void watches(std::shared_ptr<informer::SharedIndexInformer> informer, Mapper mapper, Predicate predicate);
  void start(std::stop_token stop, Reconcile reconcile);
  Result<void> join();
  Async<Result<void>> ended() const;
  void enqueue(const meta::ObjectKey& key, int priority);
  const std::shared_ptr<informer::SharedIndexInformer>* find(const meta::GroupVersionResource& resource) const;
  ControllerStatus status() const;
  const Subject& subject() const noexcept { return subject_; }
  const std::string& name() const noexcept { return options_.name; }

 private:
  struct Source {
    std::shared_ptr<informer::SharedIndexInformer> informer;
    Mapper mapper;  // absent: the object itself
    Predicate predicate;
    std::shared_ptr<void> observer;
    informer::Registration registration;
  };
  using Key = meta::ObjectKey;
  class Handler;

  kubexx::detail::Awaited awaited() const { return {options_.executor.get(), options_.handlers.get()}; }

  // Control, on the strand.
  template <class F>
  void post_control(F what);
  void limit_sync(Duration limit);
  void evaluate();
  void begin_work();
  void begin_drain();
  void abandon();
  void end(Result<void> result);
  void set_state(ControllerState state);
  bool all_idle() const { return posted_.load() == 0; }

  // Workers, in controller_worker.cpp.
  void on_ready(std::size_t ready);
  void post_worker();
  void work();
  void reconcile(const Key& key);
  Result<Action> call(const Key& key, const std::stop_token& stop, bool& threw);
  Outcome settle(const Key& key, const Result<Action>& result, bool threw);
  void remember_error(const Key& key, const Error& error);
  void make_metrics();
  TraceSpan begin_span(const Key& key) const;

  const Subject subject_;
  ControllerOptions options_;
  const std::shared_ptr<Gate<Impl>> gate_;
  const Strand strand_;
  workqueue::RateLimitingQueue<Key> queue_;
  std::vector<Source> sources_;  // fixed from start() on, but for the registrations
  Reconcile reconcile_;          // fixed from start() on
  std::stop_token stop_;         // fixed from start() on

  std::array<Counter, kOutcomes> outcomes_;
  Histogram duration_;
  Counter timeouts_metric_;
  Gauge active_metric_;
  Gauge workers_metric_;

  /// Worker tasks that are posted or running. All of them count as running until the work begins.
  std::atomic<std::size_t> posted_;
  std::atomic<bool> draining_{false};
  std::atomic<bool> abandoned_{false};
  std::stop_source abort_;
  std::atomic<std::size_t> active_{0};
  std::atomic<std::uint64_t> reconciles_{0};
  std::atomic<std::uint64_t> requeues_{0};
  std::atomic<std::uint64_t> errors_{0};
  std::atomic<std::uint64_t> timeouts_{0};

  bool sync_late_ = false;  // the strand's
  Timer sync_timer_;        // the strand's
  Timer drain_timer_;       // the strand's

  mutable std::mutex mutex_;
  kubexx::detail::DrivingCondition ended_;
  ControllerState state_ = ControllerState::NotStarted;     // guarded by mutex_
  Result<void> result_;                                     // guarded by mutex_
  mutable std::vector<Async<Result<void>>::Done> waiting_;  // guarded by mutex_; for the end
  std::optional<Error> last_error_;                         // guarded by mutex_
  std::string last_error_key_;                              // guarded by mutex_

  struct OnStop {
    Impl* self;
    void operator()() noexcept;
  };
  std::optional<std::stop_callback<OnStop>> on_stop_;
};

template <class F>
void ControllerCore::Impl::post_control(F what) {
  strand_.post([gate = gate_, what] { gate->enter(what); });
}

/// The places in live_controllers(); in live_controllers.cpp.
struct LiveControllers {
  using Ask = std::function<void(std::vector<ControllerStatus>&)>;
  static void add(const void* controller, Ask ask);
  static void remove(const void* controller);
};

}  // namespace kubexx::controller
