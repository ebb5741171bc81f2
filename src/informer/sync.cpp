#include "kubexx/informer/sync.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "base/internal/deadline.hpp"
#include "informer/shared_informer_impl.hpp"
#include "kubexx/informer/shared_processor.hpp"

namespace kubexx::informer {
namespace {

bool hopeless(const Error& error) {
  return error.is_bad_request() || error.is_unauthorized() || error.is_forbidden() || error.is_not_found();
}

SyncState state_of(const SharedIndexInformer& informer) {
  const auto status = informer.status();
  SyncState state;
  state.name = status.name;
  state.synced = status.synced;
  state.state = status.started ? std::string(reflector::to_string(status.reflector.state)) : "not started";
  state.last_error = status.reflector.last_error;
  state.attempts = status.reflector.attempts;
  return state;
}

}  // namespace

bool SyncResult::synced() const noexcept {
  return std::all_of(informers.begin(), informers.end(), [](const SyncState& s) { return s.synced; });
}

std::optional<Error> SyncResult::as_error() const {
  std::vector<std::string> missing;
  for (const auto& informer : informers) {
    if (informer.synced) continue;
    missing.push_back(informer.name + (informer.last_error ? " (" + informer.last_error->message() + ")" : ""));
  }
  if (missing.empty()) return std::nullopt;
  std::sort(missing.begin(), missing.end());
  std::string text = "failed to sync all caches: ";
  for (std::size_t i = 0; i < missing.size(); ++i) text += (i ? ", " : "") + missing[i];
  const auto kind = stopped_by ? stopped_by->kind() : ErrorKind::Canceled;
  return Error(kind, text + (stopped_by ? ": " + stopped_by->message() : ""));
}

Syncable::Syncable(std::shared_ptr<SharedIndexInformer> informer) : informer_(std::move(informer)) {
  if (!informer_) throw std::logic_error("there is no informer to wait for");
}

Syncable::Syncable(const Registration& registration) : listener_(registration.listener_) {
  if (!listener_) throw std::logic_error("there is no handler to wait for");
}

Syncable::Syncable(std::string name, std::function<bool()> has_synced)
    : name_(std::move(name)), function_(std::move(has_synced)) {
  if (!function_) throw std::logic_error("there is no function to wait for");
}

/// One wait_for_cache_sync: looks at everything once, and then again at what says that it changed.
class SyncWait {
 public:
  SyncWait(const std::vector<Syncable>& what, const SyncOptions& options) : what_(what), options_(options) {
    wake_->dirty.assign(what.size(), true);
    result_.informers.resize(what.size());
    for (std::size_t i = 0; i < what.size(); ++i) {
      if (what[i].function_) functions_.push_back(i);
    }
    for (const Syncable& each : what) {
      if (each.informer_) await(each.informer_->impl_->options.executor, each.informer_->impl_->options.handlers);
      if (each.listener_) await(each.listener_->setting().upstream, each.listener_->setting().executor);
    }
    for (std::size_t i = 0; i < what.size(); ++i) {
      auto which = functions_;  // they may look at the same
      which.push_back(i);
      auto changed = [wake = wake_, which = std::move(which)] { wake->changed(which); };
      if (what[i].informer_) {
        observers_.push_back(what[i].informer_->observe(std::move(changed)));
      } else if (what[i].listener_ && what[i].listener_->setting().progress) {
        observers_.push_back(what[i].listener_->setting().progress->observe(std::move(changed)));
      }
    }
  }

  SyncResult wait(const std::stop_token& stop) {
    const auto deadline = kubexx::detail::after(Clock::system().now(), options_.timeout.value_or(Duration::max()));
    while (true) {
      look(wake_->take());
      if (result_.stopped_by || result_.synced()) break;
      const auto until = std::min(deadline, next_question());
      std::unique_lock lock(wake_->mutex);
      const auto changed = [&] { return wake_->any; };
      const auto met = wake_->arrived.wait(awaited_, lock, changed, stop, until);
      if (met && *met) continue;
      lock.unlock();
      if (!met) {
        result_.stopped_by = met.error();
        break;
      }
      if (until < deadline && !stop.stop_requested()) {
        wake_->changed(functions_);
        continue;
      }
      look(std::vector<bool>(what_.size(), true));  // what has synced by now counts
      if (result_.synced()) {
        result_.stopped_by.reset();
      } else if (!result_.stopped_by) {
        result_.stopped_by = stop.stop_requested() ? Error::canceled() : Error::timeout("no sync in time");
      }
      break;
    }
    return std::move(result_);
  }

 private:
  struct Wake {
    void changed(const std::vector<std::size_t>& which) {
      const std::lock_guard lock(mutex);
      for (const auto each : which) dirty[each] = true;
      any = true;
      arrived.notify_all();
    }
    std::vector<bool> take() {
      const std::lock_guard lock(mutex);
      any = false;
      return std::exchange(dirty, std::vector<bool>(dirty.size(), false));
    }

    std::mutex mutex;
    kubexx::detail::DrivingCondition arrived;
    std::vector<bool> dirty;  // guarded by mutex; to be looked at
    bool any = false;         // guarded by mutex
  };

  void await(const std::shared_ptr<Executor>& upstream, const std::shared_ptr<Executor>& handlers) {
    awaited_.add(upstream.get());
    awaited_.add(handlers.get());
  }

  TimePoint next_question() const {
    const auto every = options_.ask_functions_every;
    if (every <= Duration::zero()) return TimePoint::max();
    for (std::size_t i = 0; i < what_.size(); ++i) {
      if (what_[i].function_ && !result_.informers[i].synced)
        return kubexx::detail::after(Clock::system().now(), every);
    }
    return TimePoint::max();
  }

  void look(const std::vector<bool>& which) {
    for (std::size_t i = 0; i < what_.size(); ++i) {
      auto& state = result_.informers[i];
      if (!which[i] || state.synced) continue;
      const Syncable& each = what_[i];
      if (each.informer_) {
        state = state_of(*each.informer_);
        if (state.synced) continue;
        if (each.informer_->is_stopped()) result_.stopped_by = Error::canceled("an informer was stopped");
        if (options_.fail_fast && state.last_error && hopeless(*state.last_error))
          result_.stopped_by = state.last_error;
        continue;
      }
      const bool ended = each.listener_ && each.listener_->closed();
      state.name = each.listener_ ? each.listener_->where() : each.name_;
      state.synced = each.listener_ ? each.listener_->has_synced() : each.function_();
      state.state = state.synced ? "synced" : "not synced";
      if (ended && !state.synced) result_.stopped_by = Error::canceled("a handler was removed");
    }
  }

  const std::vector<Syncable>& what_;
  const SyncOptions& options_;
  kubexx::detail::Awaited awaited_;
  const std::shared_ptr<Wake> wake_ = std::make_shared<Wake>();
  std::vector<std::size_t> functions_;  // where they stand in what_
  std::vector<std::shared_ptr<void>> observers_;
  SyncResult result_;
};

SyncResult wait_for_cache_sync(std::stop_token stop, const Syncables& what, const SyncOptions& options) {
  return SyncWait(what.all(), options).wait(stop);
}

}  // namespace kubexx::informer
