#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/async.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/informer/controller.hpp"
#include "kubexx/informer/event_handler.hpp"
#include "kubexx/informer/options.hpp"
#include "kubexx/informer/registration.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/object_key.hpp"
#include "kubexx/reflector/reflector.hpp"
#include "kubexx/store/store.hpp"

namespace kubexx::informer {

/// How long a caller waits, and for what.
struct WaitOptions {
  std::stop_token stop = {};
  std::optional<Duration> timeout = {};
};

/// A write as the server answered it, for who waits until the cache has it.
struct Written {
  meta::ObjectKey key = {};
  std::string resource_version = {};  ///< that it made; empty: none, or none that is known
  std::string removed_uid = {};       ///< of the object that it removed; empty: none
};

/// What an informer told its handlers so far, whether it has any or not.
struct EventTotals {
  std::uint64_t adds = 0;
  std::uint64_t updates = 0;
  std::uint64_t deletes = 0;
  std::uint64_t resyncs = 0;  ///< updates that only remind
};

/// A picture of an informer for people and probes.
struct InformerStatus {
  std::string name = {};
  std::string description = {};
  std::string scope = {};
  std::vector<std::string> namespaces = {};  ///< that it lists; empty: all of them, or the resource has none
  bool started = false;
  bool synced = false;
  bool whole = false;  ///< synced, and everything of a scope that was changed since is there too
  bool stopped = false;
  bool restored = false;  ///< it has what a file had, and the server has not confirmed it: not synced
  bool stale = false;
  Duration lag = Duration::zero();  ///< since the last event, bookmark or list
  std::size_t objects = 0;
  std::size_t bytes = 0;
  std::size_t queue_depth = 0;
  std::string resource_version = {};
  EventTotals events = {};
  /// Differences put right by a list of the version the cache had; of a newer one they may be news (verify_every).
  std::uint64_t repairs = 0;
  /// The keys of cached objects that somebody changed, the first few of them: a mistake in the program, whose cache
  /// says from then on what the server never said (mutation_detector).
  std::vector<std::string> mutated = {};
  reflector::ReflectorStatus reflector = {};
  std::vector<HandlerStatus> handlers = {};
};

/// Makes what lists and watches one namespace ("": all of them) by the selectors of a scope. It may be called from any
/// thread, and must not ask the informer.
using SourceFunc =
    std::function<std::shared_ptr<reflector::ListerWatcher>(const Scope& scope, const std::string& namespace_)>;

/// A cache of one resource that many share: one list and watch (one for each namespace, where the scope names several),
/// one indexed store, any number of handlers.
///
/// Guarantees: the store follows the server, eventually; per object the states seen are a subsequence of the real ones,
/// in order. The store has a change before any handler hears of it. A handler's calls come one at a time and in order;
/// different handlers are independent, and a slow or blocked one delays nobody else. Updates without a change reach
/// only handlers whose resync is due. A delete and a new object of the same name may arrive as one update with another
/// uid.
///
/// Threads: everything is safe from any thread. The work runs on `executor`, handlers on `handlers`.
/// Stop: final. The watch ends first, then handlers: what waits for them is dropped, what runs finishes.
/// Errors: those of list and watch go to the watch error handler and are in status(); create() without executors and a
/// setter after the start throw std::logic_error, waits on a loop's thread that cannot be driven kubexx::Exception.
/// Example:
///
///     auto pods = factory.core().v1().pods().shared();
///     if (auto there = pods->wait_until_whole({.stop = stop}); !there) complain(there.error());
///     if (auto done = pods->set_scope({.namespaces = {"shop", "billing"}}); !done) complain(done.error());
class KUBEXX_EXPORT SharedIndexInformer : public std::enable_shared_from_this<SharedIndexInformer> {
 public:
  static std::shared_ptr<SharedIndexInformer> create(std::shared_ptr<reflector::ListerWatcher> source,
                                                     InformerOptions options);
  /// One whose scope can be changed: what is in `options.scope` is kept by the sources that `make` makes.
  static std::shared_ptr<SharedIndexInformer> create(SourceFunc make, InformerOptions options);
  ~SharedIndexInformer();

  /// A handler that comes after the start first gets everything the cache holds, as initial adds. After the stop the
  /// registration is empty and has the Error.
  Registration add_event_handler(std::shared_ptr<ResourceEventHandler> handler, HandlerOptions options = {});
  template <class T = meta::Object>
  Registration add_event_handler(ResourceEventHandlerFuncs<T> functions, HandlerOptions options = {}) {
    return add_event_handler(make_handler<T>(std::move(functions)), std::move(options));
  }
  template <class T = meta::Object>
  Registration add_event_handler(FilteringResourceEventHandler<T> filtering, HandlerOptions options = {}) {
    return add_event_handler(make_handler<T>(std::move(filtering)), std::move(options));
  }

  /// The cache; the handle keeps it alive.
  std::shared_ptr<const store::Indexer> indexer() const noexcept;
  std::shared_ptr<const store::Indexer> store() const noexcept { return indexer(); }
  Result<void> add_indexers(const store::Indexers& indexers);
  Result<void> remove_indexer(std::string_view name);
  /// Both throw std::logic_error after the start; for informers of a factory FactoryOptions::by_kind says it before.
  void set_transform(delta::TransformFunc transform);
  void set_watch_error_handler(reflector::WatchErrorHandler handler);
  bool has_transform() const;

  void start(std::stop_token stop = {});  ///< once; returns at once
  void run(std::stop_token stop);         ///< start and wait until everything has ended
  void stop();                            ///< asks; join() waits
  /// The same, but handlers hear first of everything the cache has seen: join() waits for that.
  void stop_with_drain();
  /// Until nothing of it runs; at once when it was never started. As run() it throws kubexx::Exception on a loop's
  /// thread that cannot be driven.
  void join();
  /// Calls back once, from the executor, when it was stopped and nothing of it runs any more, handlers included; soon
  /// when that is so already.
  void on_end(std::function<void()> callback);
  bool has_started() const;
  bool is_stopped() const;
  /// What keeps the cache: a list, a watch and a queue.
  std::shared_ptr<const Controller> controller() const noexcept;

  bool has_synced() const noexcept;  ///< the first whole list is in the store
  /// The version that the cache is of; empty before the first list.
  std::string last_sync_resource_version() const;
  /// Calls back, from any thread, whenever something about sync changed: synced, an error, stopped. It must not block.
  /// The observer ends with the returned handle.
  [[nodiscard]] std::shared_ptr<void> observe(std::function<void()> callback) const;
  InformerStatus status() const;
  const std::string& name() const noexcept;
  const meta::GroupVersionResource& resource() const noexcept;

  /// Until the cache is at least as new as a version of this resource. Timeout or Canceled otherwise; an Error when the
  /// server's versions went back below what the cache had.
  Result<void> wait_until(std::string_view resource_version, const WaitOptions& options = {}) const;
  /// The object once the cache is at least that new.
  Result<meta::Object> get(std::string_view key, std::string_view at_least, const WaitOptions& options = {}) const;
  /// Until the key is gone, or belongs to an object with another uid. What is not in the scope any more is gone.
  Result<void> wait_until_gone(std::string_view key, std::string_view uid, const WaitOptions& options = {}) const;

  /// Until everything of the scope is in the cache, and every write: the version that it made, or a newer one of its
  /// key, and no more the object that it removed. In a scope of several namespaces versions of different ones cannot be
  /// compared: the key's own counts, or that of the watch of its namespace. What is written in a namespace outside of
  /// the scope is not waited for. The timeout is of the executor's clock. Errors as those of wait_until().
  Async<Result<void>> wait_until_reached_async(std::vector<Written> writes, WaitOptions options = {}) const;
  /// The same question, answered at once. False: not yet, or only the informer's own strand can tell.
  bool has_reached(const Written& written) const;

  /// Lists anew, as after an expired watch.
  void relist();

  /// Other namespaces or selectors from now on, also while it runs. An added namespace lists only itself, and the
  /// others go on; what is in a removed one is deleted; with other selectors everything is listed anew, and unchanged
  /// objects stay. What is absent in `scope` is what the factory's options say, as where an informer is asked for. Its
  /// name stays.
  ///
  /// Returns at once. An Error, and nothing is changed: projection or metadata_only are others; another informer of the
  /// factory has that scope; the informer was made of a source that is given as it is, or was stopped.
  Result<void> set_scope(const Scope& scope);
  /// Until everything of the scope is in the cache: after the start, and after set_scope().
  Result<void> wait_until_whole(const WaitOptions& options = {}) const;

 private:
  friend class SyncWait;
  friend class SharedInformerFactory;
  struct Impl;
  explicit SharedIndexInformer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::informer
