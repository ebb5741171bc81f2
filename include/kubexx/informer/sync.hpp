#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kubexx/base/error.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/informer/informer.hpp"
#include "kubexx/informer/shared_informer.hpp"

namespace kubexx::informer {

/// How far one of the things waited for has come.
struct SyncState {
  std::string name = {};
  bool synced = false;
  std::string state = {};  ///< "listing", "backing off", ...; "not started"; of others "synced", "not synced"
  std::optional<Error> last_error = {};  ///< why not yet; of informers
  std::uint64_t attempts = 0;            ///< of informers
};

/// What wait_for_cache_sync found; true when everything is synced.
struct [[nodiscard]] KUBEXX_EXPORT SyncResult {
  std::vector<SyncState> informers = {};  ///< in the order given
  std::optional<Error> stopped_by = {};   ///< Canceled, Timeout, or the error that ended a fail-fast wait

  /// Whether everything is synced.
  bool synced() const noexcept;
  explicit operator bool() const noexcept { return synced(); }
  /// "failed to sync all caches: pods: forbidden ..."; absent when everything is synced.
  std::optional<Error> as_error() const;
};

/// How long to wait, and which failures end the wait.
struct SyncOptions {
  /// An informer that is answered 400, 401, 403 or 404 before its first sync ends the wait: it will hardly get better
  /// alone.
  bool fail_fast = false;
  std::optional<Duration> timeout = {};
  /// Functions may look at what this library cannot see, so they are asked again after so long too; 0: they are not.
  Duration ask_functions_every = std::chrono::seconds(1);
};

/// Something that becomes synced: an informer (the first whole list is in its store), a handler's registration (its
/// initial adds have returned as well), or a function that says so. Null ones are std::logic_error.
class KUBEXX_EXPORT Syncable {
 public:
  Syncable(std::shared_ptr<SharedIndexInformer> informer);  // NOLINT(google-explicit-constructor)
  template <class T>
  Syncable(const Informer<T>& informer) : Syncable(informer.shared()) {}  // NOLINT(google-explicit-constructor)
  Syncable(const Registration& registration);                             // NOLINT(google-explicit-constructor)
  Syncable(std::string name, std::function<bool()> has_synced);
  template <class F>
    requires std::is_invocable_r_v<bool, F&>
  Syncable(F has_synced)  // NOLINT(google-explicit-constructor)
      : Syncable("a function", std::function<bool()>(std::move(has_synced))) {}

 private:
  friend class SyncWait;
  std::shared_ptr<SharedIndexInformer> informer_;
  std::shared_ptr<const ProcessorListener> listener_;
  std::string name_;
  std::function<bool()> function_;
};

/// Any number of them: written out in braces, or a vector of things that are Syncable.
class Syncables {
 public:
  Syncables(std::initializer_list<Syncable> each) : all_(each) {}
  template <class T>
  Syncables(const std::vector<T>& each) : all_(each.begin(), each.end()) {}  // NOLINT(google-explicit-constructor)
  /// All that is waited for.
  const std::vector<Syncable>& all() const noexcept { return all_; }

 private:
  std::vector<Syncable> all_;
};

/// Waits until everything is synced. Works before informers are started, does not poll them, and says why not when it
/// ends without: stopped, timed out, failed fast, or an informer or handler ended. Nothing to wait for: synced.
///
/// Threads: blocks the calling thread, or drives the loop whose thread it is. Functions are called on it, again as soon
/// as one of the informers and handlers waited for changes, and every `ask_functions_every`.
/// Stop: the token and the timeout end the wait and nothing else; `stopped_by` says which of them it was.
/// Errors: all in the result, and together in as_error(). What functions throw is thrown.
/// Example:
///
///     auto pods = factory.core().v1().pods();
///     auto nodes = factory.core().v1().nodes();
///     factory.start(stop);
///     auto synced = informer::wait_for_cache_sync(stop, {pods, nodes}, {.fail_fast = true, .timeout = 30s});
///     if (!synced) complain(*synced.as_error());
KUBEXX_EXPORT SyncResult wait_for_cache_sync(std::stop_token stop, const Syncables& what,
                                             const SyncOptions& options = {});

}  // namespace kubexx::informer
