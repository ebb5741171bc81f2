#include <algorithm>

#include "controller/controller_impl.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/stop.hpp"

namespace kubexx::controller {
namespace {

// So many keys a worker takes before it lets other tasks of the executor run.
constexpr int kTurn = 64;

constexpr std::array<const char*, kOutcomes> kOutcomeNames{"success", "requeue",   "requeue_after", "error",
                                                           "gave_up", "exception", "canceled"};

bool failed(Outcome outcome) {
  return outcome == Outcome::Error || outcome == Outcome::GaveUp || outcome == Outcome::Exception;
}

TraceAttributes end_attributes(const char* result, const Result<Action>& answer) {
  TraceAttributes all{{"kubexx.result", std::string(result)}};
  if (!answer) append_error(all, answer.error());
  return all;
}

}  // namespace

void ControllerCore::Impl::make_metrics() {
  const MetricLabels labels{{"controller", options_.name}};
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    outcomes_[i] = options_.metrics->counter("kubexx_controller_reconciles_total", "Reconciles by result",
                                             {{"controller", options_.name}, {"result", kOutcomeNames[i]}});
  }
  duration_ = options_.metrics->histogram("kubexx_controller_reconcile_seconds", "How long reconciles take", labels);
  timeouts_metric_ = options_.metrics->counter("kubexx_controller_reconcile_timeouts_total",
                                               "Reconciles that took longer than they may", labels);
  active_metric_ = options_.metrics->gauge("kubexx_controller_active_workers", "Reconciles running", labels);
  workers_metric_ = options_.metrics->gauge("kubexx_controller_workers", "Reconciles that may run at once", labels);
  workers_metric_.set(static_cast<double>(options_.workers));
}

/// Called by the queue after it let go of its lock. A read-modify-write, never a load: whoever finds all workers busy
/// stands before the decrement of the worker that goes idle next, so that one sees the new key.
void ControllerCore::Impl::on_ready(std::size_t ready) {
  if (ready == 0) return post_control([](Impl& self) { self.evaluate(); });
  std::size_t running = posted_.fetch_add(0);
  for (std::size_t started = 0; started < ready && running < options_.workers;) {
    if (!posted_.compare_exchange_weak(running, running + 1)) continue;
    post_worker();
    ++started;
    ++running;
  }
}

void ControllerCore::Impl::post_worker() {
  options_.handlers->post([gate = gate_] { gate->enter([](Impl& self) { self.work(); }); });
}

void ControllerCore::Impl::work() {
  for (int taken = 0; taken < kTurn; ++taken) {
    std::optional<Key> key;
    if (!abandoned_) key = queue_.try_get();
    if (key) {
      reconcile(*key);
      continue;
    }
    posted_.fetch_sub(1);
    if (!abandoned_ && queue_.len() > 0) on_ready(1);
    if (draining_) post_control([](Impl& self) { self.evaluate(); });
    return;
  }
  post_worker();
}

void ControllerCore::Impl::reconcile(const Key& key) {
  const Clock& clock = options_.executor->clock();
  const TimePoint begin = clock.now();
  active_metric_.set(static_cast<double>(++active_));
  TraceSpan span = begin_span(key);
  bool threw = false;
  bool late = false;
  Result<Action> result = Action::done();
  const TraceScope scope(span);
  if (options_.reconcile_timeout <= Duration::zero()) {
    result = call(key, abort_.get_token(), threw);
  } else {
    struct Limit {
      explicit Limit(const std::stop_token& abort) : stop{abort} {}
      LinkedStop stop;
      std::atomic<bool> late{false};
    };
    const auto limit = std::make_shared<Limit>(abort_.get_token());
    Timer timer = options_.executor->post_after(options_.reconcile_timeout, [limit] {
      limit->late = true;
      limit->stop.request_stop();
    });
    result = call(key, limit->stop.token(), threw);
    timer.cancel();
    late = limit->late;
  }
  if (late) {
    ++timeouts_;
    timeouts_metric_.add();
    log(LogLevel::Warning, "a reconcile took longer than it may",
        {{"controller", options_.name}, {"key", key.to_string()}});
  }
  const Outcome outcome = settle(key, result, threw);
  ++reconciles_;
  if (failed(outcome)) ++errors_;
  if (outcome == Outcome::Requeue || outcome == Outcome::RequeueAfter) ++requeues_;
  outcomes_[static_cast<std::size_t>(outcome)].add();
  span.end([&] { return end_attributes(kOutcomeNames[static_cast<std::size_t>(outcome)], result); });
  duration_.observe(std::chrono::duration<double>(clock.now() - begin).count());
  active_metric_.set(static_cast<double>(--active_));
  queue_.done(key);
}

TraceSpan ControllerCore::Impl::begin_span(const Key& key) const {
  return TraceSpan::begin(
      options_.tracer, SpanKind::Reconcile, [this] { return "reconcile " + options_.name; },
      [&] {
        return TraceAttributes{{"kubexx.controller", options_.name},
                               {"k8s.namespace.name", std::string(key.namespace_)},
                               {"k8s.object.name", std::string(key.name)}};
      });
}

Result<Action> ControllerCore::Impl::call(const Key& key, const std::stop_token& stop, bool& threw) {
  Result<Action> result = Action::done();
  const bool returned = call_isolated("reconcile", [&] {
    try {
      result = reconcile_(key, stop);
    } catch (...) {
      result = current_exception_as_error();
      throw;
    }
  });
  threw = !returned;
  return result;
}

Outcome ControllerCore::Impl::settle(const Key& key, const Result<Action>& result, bool threw) {
  if (!result) {
    const Error& error = result.error();
    if (error.is_canceled() && abort_.stop_requested()) return Outcome::Canceled;
    remember_error(key, error);
    if (!threw && log_enabled(LogLevel::Warning)) {
      log(LogLevel::Warning, "reconcile failed",
          {{"controller", options_.name},
           {"key", key.to_string()},
           {"failures", queue_.num_requeues(key) + 1},
           {"error", error}});
    }
    queue_.add(key, {.after = error.retry_after().value_or(std::chrono::milliseconds(0)), .rate_limited = true});
    return threw ? Outcome::Exception : Outcome::Error;
  }
  switch (result->kind()) {
    case Action::Kind::Requeue:
      queue_.add_rate_limited(key);
      return Outcome::Requeue;
    case Action::Kind::RequeueAfter:
      queue_.forget(key);
      queue_.add_after(key, result->delay());
      return Outcome::RequeueAfter;
    case Action::Kind::GiveUp: {
      queue_.forget(key);
      const Error& why = *result->why();  // NOLINT(bugprone-unchecked-optional-access): whoever gives up says why
      remember_error(key, why);
      report_error(why, "controller " + options_.name + ", " + key.to_string());
      return Outcome::GaveUp;
    }
    case Action::Kind::Done:
      break;
  }
  queue_.forget(key);
  return Outcome::Success;
}

void ControllerCore::Impl::remember_error(const Key& key, const Error& error) {
  const std::lock_guard lock(mutex_);
  last_error_ = error;
  last_error_key_ = key.to_string();
}

}  // namespace kubexx::controller
