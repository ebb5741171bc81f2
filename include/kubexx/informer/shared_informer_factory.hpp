#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/informer/detail/groups.hpp"  // written by kubexx-gen
#include "kubexx/informer/informer.hpp"
#include "kubexx/informer/options.hpp"
#include "kubexx/informer/sync.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::informer {

/// Holds an informer that ends with its last lease: the watch stops, and the cache is freed as soon as the last call of
/// a handler has returned. An informer that was also asked for without a lease lives with the factory.
class [[nodiscard]] Lease {
 public:
  Lease(std::shared_ptr<SharedIndexInformer> informer, std::shared_ptr<void> hold)
      : informer_(std::move(informer)), hold_(std::move(hold)) {}
  Informer<meta::Object> informer() const { return Informer<meta::Object>(informer_); }
  /// The leased informer, typed.
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
/// An informer is made when it is first asked for. It runs from start() on, or at once when that was called before,
/// with the token of the last start(). It lives with the factory, unless it is leased or stopped by stop_informer().
/// Who asks for one that was stopped, also by the token given to start(), gets a new one; after shutdown() nothing new
/// is made of what is there, and nothing starts. The destructor stops everything and waits for it.
///
/// What an informer must be told before it starts (a transform, an error handler) FactoryOptions::by_kind says, so that
/// it does not matter who asks first.
///
/// Threads: safe from any thread. shutdown() and the destructor must not be called from a handler.
/// Stop: the token given to start() stops what it started; shutdown() and the destructor stop everything and wait.
/// Errors: what comes from outside is checked where it is given (LabelSelector::parse() and the like); what a server
/// refuses is in the informers' status, in the log and in what wait_for_cache_sync() returns.
/// Example:
///
///     informer::SharedInformerFactory factory(client, {.defaults = {.scope = {.namespaces = {"shop"}}}});
///     auto pods = factory.core().v1().pods();  // #include "kubexx/clientset/core.hpp"
///     factory.start(stop);
///     if (auto synced = factory.wait_for_cache_sync(stop); !synced) complain(*synced.as_error());
class KUBEXX_EXPORT SharedInformerFactory : public detail::FactoryGroups<SharedInformerFactory> {
 public:
  explicit SharedInformerFactory(rest::Client client, FactoryOptions options = {});
  ~SharedInformerFactory();
  SharedInformerFactory(const SharedInformerFactory&) = delete;
  SharedInformerFactory& operator=(const SharedInformerFactory&) = delete;

  /// The informer of T, which is made when it is first asked for. What the scope leaves out the factory's options say.
  template <class T>
  Informer<T> informer_for(const Scope& scope = {}) {
    return Informer<T>(obtain(T::kResource.gvr(), scope, &T::kResource));
  }
  /// The first function to be called for a resource makes its informer, once; it gets the client and what the factory
  /// says of such informers. The factory's transform is set where the informer has none; its name is the function's
  /// matter. What the function throws is thrown, and the next one is called then. It must not ask for the informer that
  /// it makes (std::logic_error), nor return null.
  using NewInformerFunc =
      std::function<std::shared_ptr<SharedIndexInformer>(const rest::Client&, const InformerOptions&)>;
  std::shared_ptr<SharedIndexInformer> informer_for(const meta::GroupVersionResource& resource,
                                                    const NewInformerFunc& make);
  /// The same informer as the typed chain gives. A resource that neither the typed API nor know() has named is an Error
  /// (the dynamic factory takes any), and so is one without a name.
  Result<GenericInformer> for_resource(const meta::GroupVersionResource& resource, const Scope& scope = {});
  /// As for_resource, for as long as somebody holds a Lease.
  Result<Lease> lease(const meta::GroupVersionResource& resource, const Scope& scope = {});
  /// Custom resources that for_resource() and lease() are to know; the generated Informers of a group say it.
  void know(std::span<const meta::ResourceInfo* const> resources);
  /// Stops one informer and forgets it; asking again makes a new one. False: there is none.
  bool stop_informer(const meta::GroupVersionResource& resource, const Scope& scope = {});

  /// Starts what was asked for and does not run yet, and from now on what is asked for. Nothing after shutdown().
  void start(std::stop_token stop = {});
  /// Over the informers started so far.
  SyncResult wait_for_cache_sync(std::stop_token stop = {}, const SyncOptions& options = {}) const;
  /// Stops everything and waits until it has ended. Repeatable, concurrent.
  void shutdown();

  /// All that were made and not stopped.
  std::vector<std::shared_ptr<SharedIndexInformer>> informers() const;
  const rest::Client& client() const noexcept;
  /// What the factory was made with.
  const FactoryOptions& options() const noexcept;

 protected:
  SharedInformerFactory(rest::Client client, FactoryOptions options, bool dynamic);

 private:
  struct Impl;
  std::shared_ptr<SharedIndexInformer> obtain(const meta::GroupVersionResource& resource, const Scope& scope,
                                              const meta::ResourceInfo* info);
  std::shared_ptr<Impl> impl_;
};

namespace detail {
/// `info`: what the typed API says of the resource; null: objects are asked for as JSON.
KUBEXX_EXPORT_INTERNAL std::shared_ptr<SharedIndexInformer> make_informer(const rest::Client& client,
                                                                          const meta::GroupVersionResource& resource,
                                                                          const meta::ResourceInfo* info,
                                                                          InformerOptions options);
}  // namespace detail

/// The factory for any resource, known at compile time or not; objects are meta::Object.
class DynamicSharedInformerFactory : public SharedInformerFactory {
 public:
  explicit DynamicSharedInformerFactory(rest::Client client, FactoryOptions options = {})
      : SharedInformerFactory(std::move(client), std::move(options), true) {}
};

/// An informer of T outside any factory, client-go's NewFilteredPodInformer and its like; start() it and keep it.
template <class T>
Informer<T> new_shared_informer(const rest::Client& client, const InformerOptions& options = {}) {
  return Informer<T>(detail::make_informer(client, T::kResource.gvr(), &T::kResource, options));
}

}  // namespace kubexx::informer
