#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexx/base/error.hpp"
#include "kubexx/informer/shared_informer.hpp"

namespace kubexx::informer {

/// How far one informer has come.
struct SyncState {
  std::string name;
  bool synced = false;
  std::string state;                ///< "listing", "backing off", ...; "not started"
  std::optional<Error> last_error;  ///< why not yet
  std::uint64_t attempts = 0;
};

/// What wait_for_cache_sync found; true when everything is synced.
struct SyncResult {
  std::vector<SyncState> informers;
  std::optional<Error> stopped_by;  ///< Canceled, or the error that ended a fail-fast wait

  bool synced() const noexcept;
  explicit operator bool() const noexcept { return synced(); }
  /// "failed to sync all caches: pods: forbidden ..."; absent when everything is synced.
  std::optional<Error> as_error() const;
};

struct SyncOptions {
  /// An informer that is answered 401, 403 or 404 before its first sync ends the wait: it will hardly get better alone.
  bool fail_fast = false;
  std::optional<Duration> timeout = {};
};

/// Waits until every informer has its first whole list in its store. Works before they are started, does not poll, and
/// says why not when it ends without: stopped, timed out, or failed fast. No informers: synced.
SyncResult wait_for_cache_sync(std::stop_token stop, const std::vector<std::shared_ptr<SharedIndexInformer>>& informers,
                               const SyncOptions& options = {});
/// For any conditions; these are asked every 100 ms, for they cannot tell when they change.
bool wait_for_cache_sync(std::stop_token stop, const std::vector<std::function<bool()>>& has_synced);

}  // namespace kubexx::informer
