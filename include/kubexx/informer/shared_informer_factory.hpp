#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexx/informer/client_lister_watcher.hpp"
#include "kubexx/informer/informer.hpp"
#include "kubexx/informer/sync.hpp"
#include "kubexx/rest/client.hpp"

// The groups of the typed factory; their headers are generated (include/kubexx/clientset/<group>.hpp in the build
// tree).
namespace kubexx::clientset {
class AdmissionregistrationInformers;
class InternalInformers;
class AppsInformers;
class AutoscalingInformers;
class BatchInformers;
class CertificatesInformers;
class CoordinationInformers;
class CoreInformers;
class DiscoveryInformers;
class EventsInformers;
class ExtensionsInformers;
class FlowcontrolInformers;
class NetworkingInformers;
class NodeInformers;
class PolicyInformers;
class RbacInformers;
class ResourceInformers;
class SchedulingInformers;
class StorageInformers;
class StoragemigrationInformers;
}  // namespace kubexx::clientset

namespace kubexx::informer {

struct FactoryOptions {
  Duration resync_period = Duration::zero();  ///< default of every informer
  std::map<meta::GroupVersionResource, Duration> custom_resync = {};
  std::string namespace_ = {};  ///< empty: all
  /// Instead of `namespace_`: these together, as one informer with one list and watch for each. Its versions cannot be
  /// waited for; a Scope with one namespace has an informer whose versions can. An empty one among them means all.
  std::vector<std::string> namespaces = {};
  std::function<void(meta::ListOptions&)> tweak_list_options = {};
  delta::TransformFunc transform = {};
  meta::Projection projection = {};
  std::string name = {};  ///< prefix of the informers' names in metrics
  Backoff backoff = {};
  bool watch_list = true;
  bool metadata_only = false;  ///< of every object its kind and metadata; a client refuses to send them as a whole
  Duration verify_every = Duration::zero();
  QueueKind queue = QueueKind::Ordered;
  reflector::WatchErrorHandler watch_error_handler = {};
  std::optional<bool> mutation_detector = {};
};

/// Part of a resource: what an informer is shared by, beside the resource itself. Scopes that mean the same objects by
/// the same selectors share one.
struct Scope {
  std::string namespace_ = {};  ///< empty: the factory's
  std::string label_selector = {};
  std::string field_selector = {};
  bool cluster_wide = false;  ///< the resource has no namespaces: the factory's does not apply
  friend auto operator<=>(const Scope&, const Scope&) = default;
};

/// An informer of any resource with its lister.
class GenericInformer {
 public:
  explicit GenericInformer(Informer<meta::Object> informer) : informer_(std::move(informer)) {}
  const Informer<meta::Object>& informer() const noexcept { return informer_; }
  store::GenericLister lister() const { return informer_.lister(); }

 private:
  Informer<meta::Object> informer_;
};

/// Holds an informer that ends with its last lease: the watch stops, and the cache is freed as soon as the last call of
/// a handler has returned. An informer that was also asked for without a lease lives with the factory.
class [[nodiscard]] Lease {
 public:
  Lease(std::shared_ptr<SharedIndexInformer> informer, std::shared_ptr<void> hold)
      : informer_(std::move(informer)), hold_(std::move(hold)) {}
  Informer<meta::Object> informer() const { return Informer<meta::Object>(informer_); }
  template <class T>
  Informer<T> as() const {
    return Informer<T>(informer_);
  }

 private:
  std::shared_ptr<SharedIndexInformer> informer_;
  std::shared_ptr<void> hold_;
};

/// Makes informers and shares them: one per resource and scope, whoever asks.
///
/// An informer is made when it is first asked for, and runs from the next start(). It lives with the factory, unless it
/// is leased or stopped by stop_informer(). Who asks for one that was stopped, also by the token given to start(), gets
/// a new one, which runs from the next start(); after shutdown() nothing new is made of what is there. The destructor
/// stops everything and waits for it.
///
/// Threads: safe from any thread. shutdown() and the destructor must not be called from a handler.
class SharedInformerFactory {
 public:
  explicit SharedInformerFactory(rest::Client client);
  SharedInformerFactory(rest::Client client, FactoryOptions options);
  ~SharedInformerFactory();
  SharedInformerFactory(const SharedInformerFactory&) = delete;
  SharedInformerFactory& operator=(const SharedInformerFactory&) = delete;

  /// Throws kubexx::Exception where for_resource() returns the Error: for selectors that are none.
  template <class T>
  Informer<T> informer_for(const Scope& scope = {}) {
    return Informer<T>(obtain(T::kResource.gvr(), scope, &T::kResource));
  }
  /// The first function to be called for a resource makes its informer, once; it gets the client and the resync period.
  /// The factory's transform is set where the informer has none; its name is the function's matter. What the function
  /// throws is thrown, and the next one is called then. It must not ask for the informer that it makes
  /// (std::logic_error), nor return null.
  using NewInformerFunc = std::function<std::shared_ptr<SharedIndexInformer>(const rest::Client&, Duration)>;
  std::shared_ptr<SharedIndexInformer> informer_for(const meta::GroupVersionResource& resource,
                                                    const NewInformerFunc& make);
  /// The same informer as the typed chain gives. A resource that the typed API does not know is an Error (the dynamic
  /// factory takes any), and so are a resource without a name and selectors that cannot be read.
  Result<GenericInformer> for_resource(const meta::GroupVersionResource& resource, const Scope& scope = {});
  /// As for_resource, for as long as somebody holds a Lease.
  Result<Lease> lease(const meta::GroupVersionResource& resource, const Scope& scope = {});
  /// Stops one informer and forgets it; asking again makes a new one. False: there is none.
  bool stop_informer(const meta::GroupVersionResource& resource, const Scope& scope = {});

  /// Starts what was asked for and does not run yet. Nothing after shutdown().
  void start(std::stop_token stop = {});
  /// Over the informers started so far.
  SyncResult wait_for_cache_sync(std::stop_token stop = {}, const SyncOptions& options = {}) const;
  /// Stops everything and waits until it has ended. Repeatable, concurrent.
  void shutdown();

  std::vector<std::shared_ptr<SharedIndexInformer>> informers() const;
  const rest::Client& client() const noexcept;
  const FactoryOptions& options() const noexcept;

  // Defined in the generated header of the group.
  clientset::AdmissionregistrationInformers admissionregistration();
  clientset::InternalInformers internal();
  clientset::AppsInformers apps();
  clientset::AutoscalingInformers autoscaling();
  clientset::BatchInformers batch();
  clientset::CertificatesInformers certificates();
  clientset::CoordinationInformers coordination();
  clientset::CoreInformers core();
  clientset::DiscoveryInformers discovery();
  clientset::EventsInformers events();
  clientset::ExtensionsInformers extensions();
  clientset::FlowcontrolInformers flowcontrol();
  clientset::NetworkingInformers networking();
  clientset::NodeInformers node();
  clientset::PolicyInformers policy();
  clientset::RbacInformers rbac();
  clientset::ResourceInformers resource();
  clientset::SchedulingInformers scheduling();
  clientset::StorageInformers storage();
  clientset::StoragemigrationInformers storagemigration();

 protected:
  SharedInformerFactory(rest::Client client, FactoryOptions options, bool dynamic);

 private:
  struct Impl;
  std::shared_ptr<SharedIndexInformer> obtain(const meta::GroupVersionResource& resource, const Scope& scope,
                                              const meta::ResourceInfo* info);
  std::shared_ptr<Impl> impl_;
};

/// The factory for any resource, known at compile time or not; objects are meta::Object.
class DynamicSharedInformerFactory : public SharedInformerFactory {
 public:
  explicit DynamicSharedInformerFactory(rest::Client client, FactoryOptions options = {})
      : SharedInformerFactory(std::move(client), std::move(options), true) {}
};

/// What `factory.core().v1().pods()` is: naming it makes nothing, informer() and lister() do.
template <class T>
class ResourceInformer {
 public:
  explicit ResourceInformer(SharedInformerFactory& factory) : factory_(&factory) {}
  Informer<T> informer() const { return factory_->informer_for<T>(); }
  store::Lister<T> lister() const { return informer().lister(); }

 private:
  SharedInformerFactory* factory_;
};

/// An informer of T outside any factory; start() it and keep it.
template <class T>
Informer<T> new_filtered_informer(const rest::Client& client, const std::string& namespace_, Duration resync,
                                  const store::Indexers& indexers, std::function<void(meta::ListOptions&)> tweak);
template <class T>
Informer<T> new_informer(const rest::Client& client, const std::string& namespace_, Duration resync,
                         const store::Indexers& indexers) {
  return new_filtered_informer<T>(client, namespace_, resync, indexers, {});
}

namespace detail {
std::shared_ptr<SharedIndexInformer> make_informer(const rest::Client& client,
                                                   const meta::GroupVersionResource& resource,
                                                   const meta::ResourceInfo* info, const Scope& scope,
                                                   const FactoryOptions& options, const store::Indexers& indexers);
}

template <class T>
Informer<T> new_filtered_informer(const rest::Client& client, const std::string& namespace_, Duration resync,
                                  const store::Indexers& indexers, std::function<void(meta::ListOptions&)> tweak) {
  FactoryOptions options;
  options.namespace_ = namespace_;
  options.resync_period = resync;
  options.tweak_list_options = std::move(tweak);
  return Informer<T>(detail::make_informer(client, T::kResource.gvr(), &T::kResource, {}, options, indexers));
}

}  // namespace kubexx::informer
