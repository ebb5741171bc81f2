#include "kubexx/informer/sync.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "kubexx/base/stop.hpp"

namespace kubexx::informer {
namespace {

bool hopeless(const Error& error) {
  return error.is_unauthorized() || error.is_forbidden() || error.is_not_found();
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

SyncResult wait_for_cache_sync(std::stop_token stop, const std::vector<std::shared_ptr<SharedIndexInformer>>& informers,
                               const SyncOptions& options) {
  struct Wake {
    std::mutex mutex;
    std::condition_variable_any arrived;
    std::uint64_t changes = 0;  // guarded by mutex
  };
  const auto wake = std::make_shared<Wake>();
  std::vector<std::shared_ptr<void>> observers;
  for (const auto& informer : informers) {
    observers.push_back(informer->observe([wake] {
      const std::lock_guard lock(wake->mutex);
      ++wake->changes;
      wake->arrived.notify_all();
    }));
  }
  const bool limited = options.timeout.has_value();
  const TimePoint deadline = Clock::system().now() + options.timeout.value_or(Duration::zero());
  SyncResult result;
  while (true) {
    std::uint64_t seen = 0;
    {
      const std::lock_guard lock(wake->mutex);
      seen = wake->changes;
    }
    result.informers.clear();
    bool over = false;
    for (const auto& informer : informers) {
      auto state = state_of(*informer);
      if (!state.synced && informer->is_stopped()) {
        over = true;
        result.stopped_by = Error::canceled("an informer was stopped");
      }
      if (!state.synced && options.fail_fast && state.last_error && hopeless(*state.last_error)) {
        over = true;
        result.stopped_by = *state.last_error;
      }
      result.informers.push_back(std::move(state));
    }
    if (over || result.synced()) return result;
    std::unique_lock lock(wake->mutex);
    const auto changed = [&] { return wake->changes != seen; };
    if (limited) {
      if (!wake->arrived.wait_until(lock, stop, deadline, changed)) {
        result.stopped_by = stop.stop_requested() ? Error::canceled() : Error::timeout("no sync in time");
        return result;
      }
    } else if (!wake->arrived.wait(lock, stop, changed)) {
      result.stopped_by = Error::canceled();
      return result;
    }
  }
}

bool wait_for_cache_sync(std::stop_token stop, const std::vector<std::function<bool()>>& has_synced) {
  while (true) {
    if (std::all_of(has_synced.begin(), has_synced.end(), [](const auto& f) { return f(); })) return true;
    if (wait_for_stop(stop, std::chrono::milliseconds(100))) return false;
  }
}

}  // namespace kubexx::informer
