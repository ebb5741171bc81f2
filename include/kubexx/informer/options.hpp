#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexx/base/backoff.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/delta/transform.hpp"
#include "kubexx/meta/field_selector.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/label_selector.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/object_key.hpp"
#include "kubexx/meta/stream.hpp"
#include "kubexx/meta/typed.hpp"
#include "kubexx/reflector/reflector.hpp"
#include "kubexx/store/index.hpp"

namespace kubexx::informer {

using meta::resource_of;
using meta::typed;

/// Which queue is between reflector and store.
enum class QueueKind : std::uint8_t {
  Ordered,  ///< arrival order across keys, whole lists as one change; the default
  PerKey,   ///< client-go's older DeltaFIFO: changes of a key are delivered together
};

/// Which objects of a resource, and what of them: what informers are shared by, beside the resource itself. Scopes that
/// mean the same share one. What is absent the factory's options say, and then it is everything.
struct Scope {
  /// Several are one informer with one list and watch for each: a namespace that fails delays no other, and versions
  /// cannot be waited for; a scope of one namespace has an informer whose versions can. An empty name among them means
  /// all.
  std::vector<std::string> namespaces = {};
  std::optional<meta::LabelSelector> label_selector = {};
  std::optional<meta::FieldSelector> field_selector = {};
  std::optional<meta::Projection> projection = {};  ///< applied while decoding; by default without managedFields
  /// The server is asked for no more than kind and metadata; a client refuses to send such objects as a whole.
  std::optional<bool> metadata_only = {};
  bool cluster_wide = false;  ///< the resource has no namespaces: those named here and by the factory do not apply
};

/// Which cluster objects are of, for cache files.
struct ClusterIdentity {
  std::string configured = {};  ///< what the configuration says: address and CA; empty: not known
  /// Asks for what the cluster calls itself (the uid of kube-system); the answer comes on the strand, unless the call
  /// ends before. Absent: nobody can be asked.
  std::function<std::unique_ptr<meta::Call>(const Strand& strand, std::function<void(Result<std::string>)> answer)>
      ask = {};
};

/// What a program may say of an informer: of one that it makes itself, of all that a factory makes (its defaults), and
/// of those of one kind (by_kind). What is absent the factory's defaults say, and then what stands here as default.
struct InformerOptions {
  Scope scope = {};  ///< for sources that are made of a client
  /// Instead of the namespace index alone: that, and these.
  store::Indexers indexers = {};
  /// Whether an object is wanted at all; asked when it was decoded, before the transform. What is refused costs no
  /// memory; an update that starts or stops to pass is an add or a delete. Must not block. One that throws is reported,
  /// and the object wanted.
  std::function<bool(const meta::Object&)> admit = {};
  delta::TransformFunc transform = {};
  meta::KeyFunc key_func = {};  ///< default: "namespace/name"

  std::optional<Duration> resync_period = {};  ///< of handlers that do not say; default 0: never
  std::optional<QueueKind> queue = {};         ///< default: Ordered
  std::optional<std::int64_t> page_size = {};  ///< of lists; default 0: by the rules of list versions
  std::optional<bool> watch_list = {};         ///< default: true
  std::optional<Backoff> backoff = {};
  std::optional<Duration> verify_every = {};  ///< default 0: never
  /// Without event or bookmark for so long the cache is stale; default 3 minutes, 0: never.
  std::optional<Duration> stale_after = {};
  /// The first request goes out at a random time within this, so that a fleet that starts at once is no storm; default
  /// 0. One that has its cache from a file does not list, and does not wait.
  std::optional<Duration> start_jitter = {};
  reflector::WatchErrorHandler watch_error_handler = {};  ///< default: failures are logged
  /// Looks every second whether somebody changed a cached object's bytes; default: $KUBE_CACHE_MUTATION_DETECTOR.
  std::optional<bool> mutation_detector = {};
  /// Called beside the log line, the error sink and `InformerStatus::mutated`; on the informer's executor.
  std::function<void(const std::string& key)> on_mutation = {};
  /// A directory in which it keeps its cache, one file a resource and scope, so that the next run begins with it
  /// instead of a list (docs/cache-file.md). Empty: no file.
  std::string cache_directory = {};
  /// What the program calls its transform, admit, key function and tweak_list_options: a file of another tag is not
  /// read. With one of these and without a tag there is no file.
  std::string cache_tag = {};
  std::optional<Duration> cache_interval =
      {};                                  ///< a file is written at most so often, and at the end; default 5 minutes
  std::optional<bool> cache_secrets = {};  ///< Secrets may lie in a file; default: false
  /// Changes the query of lists and watches, for what has no field in Scope.
  std::function<void(meta::ListOptions&)> tweak_list_options = {};
  /// Everything else a reflector can be told. What is set above wins.
  std::optional<reflector::ReflectorOptions> reflector = {};

  // Whose it is and what it runs on: an informer made by hand needs the executors, one of a factory has all of it.
  std::string name = {};                     ///< for metrics and the inspector; default: the description
  std::string description = {};              ///< "pods"
  meta::GroupVersionResource resource = {};  ///< for not-found errors of listers; may be empty
  std::optional<meta::GroupVersionKind> expected_kind = {};  ///< other kinds are dropped and counted; absent: any
  std::shared_ptr<Executor> executor = {};                   ///< the library's work
  std::shared_ptr<Executor> handlers = {};                   ///< user code
  std::shared_ptr<MetricsRegistry> metrics = {};             ///< null: no metrics
  ClusterIdentity cluster = {};                              ///< of the client, where it has one; else no cache file
};

/// What is absent in `options` taken from `defaults`.
KUBEXX_EXPORT InformerOptions with_defaults(InformerOptions options, const InformerOptions& defaults);
KUBEXX_EXPORT Scope with_defaults(Scope scope, const Scope& defaults);

/// What a factory says to all informers that it makes, and to those of one kind.
struct FactoryOptions {
  std::string name = {};             ///< prefix of the informers' names in metrics
  InformerOptions defaults = {};     ///< of every informer
  std::string cache_directory = {};  ///< of every informer that does not name another; docs/cache-file.md
  /// Of those of one resource, for instance `{{resource_of<Pod>(), {.resync_period = 10min}}}`; the defaults say the
  /// rest.
  std::map<meta::GroupVersionResource, InformerOptions> by_kind = {};
};

}  // namespace kubexx::informer
