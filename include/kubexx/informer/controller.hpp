#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/delta/synchronized_queue.hpp"
#include "kubexx/informer/event_handler.hpp"
#include "kubexx/informer/options.hpp"
#include "kubexx/meta/key.hpp"
#include "kubexx/reflector/reflector.hpp"
#include "kubexx/store/store.hpp"

namespace kubexx::informer {

/// Where a Controller gets its objects, by namespace; "" alone: all of them from one.
using Sources = std::map<std::string, std::shared_ptr<reflector::ListerWatcher>>;

/// How far a Controller's queue is.
struct QueueProgress {
  bool synced = false;  ///< everything of the first lists was processed
  bool whole = false;   ///< the same for the sources it has now
  bool empty = false;   ///< everything that the reflector brought so far was processed
};

/// What a source had in an earlier run: its objects, and the version that they were of.
struct RestoredPart {
  std::vector<meta::KeyedObject> objects = {};  ///< as they were in the cache: the transform does not see them
  std::string resource_version = {};
};

/// What a Controller is made of.
struct Config {
  delta::PlainQueue queue = {};  ///< the controller's from now on
  meta::KeyFunc key_func = {};   ///< absent: meta_namespace_key
  delta::TransformFunc transform = {};
  std::shared_ptr<reflector::ListerWatcher> lister_watcher = {};
  Sources sources = {};  ///< instead of one lister_watcher: several that share no object, each with its own reflector
  /// By namespace, as the sources: processed as the first thing, and watched from its version instead of listed. It is
  /// synced when the server has confirmed that version, or a list has taken the place of these.
  std::map<std::string, RestoredPart> restored = {};
  delta::Process process = {};  ///< what the queue hands over: process_deltas(), or a function of one's own
  bool retry_on_error = false;  ///< what `process` failed on, or threw at, goes back into the queue
  /// Called on the strand whenever something was processed, and when nothing was left to process.
  std::function<void(const QueueProgress&)> processed = {};

  std::optional<meta::GroupVersionKind> object_type = {};  ///< other kinds are dropped and counted; absent: any
  std::string object_description = {};                     ///< "pods", for people
  Duration full_resync_period = Duration::zero();          ///< 0: never
  std::function<bool()> should_resync = {};                ///< asked at each period; absent: always
  reflector::WatchErrorHandler watch_error_handler = {};   ///< absent: failures are logged
  std::optional<std::int64_t> page_size = {};              ///< of lists; absent: the reflector's default
  /// Everything else a reflector can be told. What is set above wins.
  reflector::ReflectorOptions reflector = {};
};

/// The engine of an informer (not a Kubernetes controller): a reflector fills the queue, the queue is processed. What
/// one piece of bytes brings is queued and processed in the same task of the strand, in portions.
///
/// With several sources each has a reflector of its own: it lists, fails and backs off for itself, and what it lists
/// replaces the objects of its namespace.
///
/// Threads: both run on the given strand; process runs there too, so it must not block. Members are safe from any
/// thread.
/// Stop: the reflector is stopped first; what is processed at that moment is finished, and what is queued is dropped.
/// A stopped one does not start again.
/// Errors: those of list and watch go to the watch error handler and status(). What process returns or throws is
/// logged, and the change is gone unless retry_on_error. start() without a Config throws std::logic_error, run() on a
/// loop's thread that cannot be driven kubexx::Exception.
/// Example:
///
///     auto store = std::make_shared<store::Indexer>();
///     informer::Config config;
///     config.lister_watcher = source;
///     config.process = [store](delta::Deltas& deltas, bool initial) {
///       return informer::process_deltas(deltas, initial, *store, *handler);
///     };
///     auto controller = informer::Controller::create(std::move(config), strand);
///     controller->run(stop);
class KUBEXX_EXPORT Controller : public std::enable_shared_from_this<Controller> {
 public:
  static std::shared_ptr<Controller> create(Config config, Strand strand);
  /// For who knows the Config when it starts.
  static std::shared_ptr<Controller> create(Strand strand);
  ~Controller();

  /// Once; a second call is logged and does nothing, and so is one after the stop.
  void start();
  void start(Config config);
  void stop(Task stopped = {});
  /// start, wait for the token, stop. A second run is logged and returns.
  void run(std::stop_token stop);

  /// Others from now on. Those that it has already go on; a new one lists, not below what was there of its objects; the
  /// objects of namespaces that are gone are deleted. `changed` is called on the strand when that has begun; it is not
  /// called before the start, which then takes these sources, and after the stop, when nothing happens.
  void set_sources(Sources sources, Task changed = {});

  /// Whether the first list was processed.
  bool has_synced() const;
  std::string last_sync_resource_version() const;  ///< "" before the first whole state; of several the highest
  /// Of the source that has this namespace; absent: none has.
  std::optional<std::string> last_sync_resource_version(std::string_view namespace_) const;
  /// Of each source, by namespace; none before the start.
  std::map<std::string, std::string> last_sync_resource_versions() const;
  reflector::ReflectorStatus status() const;  ///< of several as if they were one
  std::size_t queue_depth() const;            ///< changes that wait to be processed
  void relist();

 private:
  struct Impl;
  explicit Controller(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

/// client-go's NewInformer and NewIndexerInformer: a store kept equal to the source, and a handler called on the
/// controller's strand, in order, without a buffer: a slow handler stalls it. Changing the returned store by hand
/// breaks the notifications. Of the options count what is wanted of the objects and of list and watch: executors,
/// metrics, jitter, freshness and the mutation detector are a SharedIndexInformer's.
KUBEXX_EXPORT std::pair<std::shared_ptr<store::Indexer>, std::shared_ptr<Controller>> new_informer(
    std::shared_ptr<reflector::ListerWatcher> source, std::shared_ptr<ResourceEventHandler> handler, Strand strand,
    InformerOptions options = {});

/// A sink that writes into a store at once: a Reflector with it keeps a store equal to the source, without queue or
/// handlers.
KUBEXX_EXPORT std::shared_ptr<reflector::DeltaSink> make_store_sink(std::shared_ptr<store::Store> store);
/// The owner of such a Reflector: lists keep the objects that the store has already.
KUBEXX_EXPORT std::shared_ptr<reflector::Owner> make_store_owner(std::shared_ptr<store::Store> store);

}  // namespace kubexx::informer
