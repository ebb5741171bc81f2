#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "kubexx/base/export.hpp"
#include "kubexx/controller/cached_api.hpp"
#include "kubexx/controller/cached_resource_api.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::controller {

/// Of which cluster state it keeps what, and how long a read waits for it.
struct CachedClientOptions {
  /// How long a read waits at most, for the first list of its informer and for what was written before.
  Duration deadline = std::chrono::seconds(10);
  /// A read of a resource that has no informer yet asks the factory for one and starts it; false: it is an Error.
  bool start_informers = true;
  /// Of each resource that the cache has not got yet. With more than that a write is refused before it is sent; of a
  /// resource that nobody reads the oldest is forgotten instead.
  std::size_t max_writes = 10'000;
  /// A write is forgotten after so long, whatever the cache says: a server restored from a backup never gets there.
  Duration remember_for = std::chrono::minutes(5);
  /// What writes: for instance LeaderGuard::guarded(). Absent: the factory's client.
  std::optional<rest::Client> writer = {};
};

/// Reads from informers' caches, writes to the server, and sees what it wrote: a read of a key waits until the cache
/// has what was written to it through this client, and a list what was written to any of its keys.
///
/// - A create, update, patch or apply is waited for by the version that the server answered. After a remove the object
///   of that uid is not seen again; where it only was marked, because of finalizers or a grace period, the mark is.
/// - A write that failed, by a conflict for example, is not waited for: the cache will get what was newer anyway.
///   Neither is one whose answer was lost: nobody knows whether it happened. Its Error says so, and a reconcile that
///   returns it is called again.
/// - A write that a cache will never show, since selectors of its scope or `admit` leave it out, is waited for until
///   something else moves the cache that far: keep what you write inside of what you cache.
/// - Dry runs are not waited for, and writes of others are not: a cache is a little old, as any is.
///
/// Threads: safe from any thread, copies share everything. No lock is held while code of others runs. Work that waits
/// runs on the executor of the factory's client, its loop included.
/// Errors: see CachedResourceApi.
/// Example:
///
///     controller::CachedClient cached(factory, {.deadline = 5s});
///     auto widgets = cached.api<demo::v1::Widget>();
///     const auto reconcile_one = [=](const meta::ObjectKey& key, std::stop_token) -> Result<controller::Action> {
///       auto widget = widgets.get(key);  // never older than what the last reconcile wrote
///       if (!widget && widget.error().is_not_found()) return controller::Action::done();
///       if (!widget) return widget.error();
///       auto draft = widget->edit();
///       draft.metadata().annotations().set("example.com/seen", "yes");
///       if (auto saved = widgets.patch(draft); !saved) return saved.error();
///       return controller::Action::done();
///     };
class KUBEXX_EXPORT CachedClient {
 public:
  /// The factory must outlive it, its handles, and operations that have begun.
  explicit CachedClient(informer::SharedInformerFactory& factory, CachedClientOptions options = {});

  template <class T>
  CachedApi<T> api() const {
    return CachedApi<T>(known(T::kResource));
  }
  /// Of any resource that the factory takes; one it does not is an Error of the reads.
  CachedResourceApi resource(const meta::GroupVersionResource& resource) const;
  /// Reads of the informer's resource come from this one from now on: one of a scope, or of another factory.
  void use(const std::shared_ptr<informer::SharedIndexInformer>& informer) const;
  template <class T>
  void use(const informer::Informer<T>& informer) const {
    use(informer.shared());
  }

  struct Impl;  // src/controller/cached_resource.hpp

 private:
  CachedResourceApi known(const meta::ResourceInfo& info) const;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::controller
