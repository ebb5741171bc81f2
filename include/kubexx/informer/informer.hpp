#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/store/lister.hpp"

namespace kubexx::informer {

/// A SharedIndexInformer whose handlers and listers speak of T: a generated type, or meta::Object. What
/// `factory.core().v1().pods()` is: naming it there makes the informer. A handle, cheap to copy.
///
/// Threads: safe from any thread.
/// Stop: with its factory; shared() has what stops this one.
/// Errors: none of its own; status() and wait_for_cache_sync() say why a cache is not synced.
/// Example:
///
///     auto pods = factory.core().v1().pods();
///     auto registration = pods.add_event_handler({.on_add = [](const Pod& pod) { greet(pod.name()); }});
///     auto web = pods.lister().pods("default").get("web");
template <class T>
class Informer {
 public:
  explicit Informer(std::shared_ptr<SharedIndexInformer> shared) : shared_(std::move(shared)) {}

  /// Itself: the chain of client-go has this word.
  const Informer& informer() const noexcept { return *this; }
  Registration add_event_handler(ResourceEventHandlerFuncs<T> functions, HandlerOptions options = {}) const {
    return shared_->add_event_handler(make_handler<T>(std::move(functions)), std::move(options));
  }
  Registration add_event_handler(FilteringResourceEventHandler<T> filtering, HandlerOptions options = {}) const {
    return shared_->add_event_handler(make_handler<T>(std::move(filtering)), std::move(options));
  }
  Registration add_event_handler(std::shared_ptr<ResourceEventHandler> handler, HandlerOptions options = {}) const {
    return shared_->add_event_handler(std::move(handler), std::move(options));
  }
  store::Lister<T> lister() const { return {shared_->indexer(), shared_->resource().group_resource()}; }
  std::shared_ptr<const store::Indexer> store() const { return shared_->store(); }
  std::shared_ptr<const store::Indexer> indexer() const { return shared_->indexer(); }
  Result<void> add_indexers(const store::Indexers& indexers) const { return shared_->add_indexers(indexers); }
  bool has_synced() const noexcept { return shared_->has_synced(); }
  bool has_started() const { return shared_->has_started(); }
  bool is_stopped() const { return shared_->is_stopped(); }
  std::string last_sync_resource_version() const { return shared_->last_sync_resource_version(); }
  InformerStatus status() const { return shared_->status(); }
  Result<void> wait_until(std::string_view resource_version, const WaitOptions& options = {}) const {
    return shared_->wait_until(resource_version, options);
  }
  Result<T> get(std::string_view key, std::string_view at_least, const WaitOptions& options = {}) const {
    auto object = shared_->get(key, at_least, options);
    if (!object) return object.error();
    return meta::typed_handle<T>(*object);
  }
  Result<void> set_scope(const Scope& scope) const { return shared_->set_scope(scope); }
  Result<void> wait_until_whole(const WaitOptions& options = {}) const { return shared_->wait_until_whole(options); }
  const std::shared_ptr<SharedIndexInformer>& shared() const noexcept { return shared_; }
  SharedIndexInformer* operator->() const noexcept { return shared_.get(); }

 private:
  std::shared_ptr<SharedIndexInformer> shared_;
};

/// Of any resource.
using GenericInformer = Informer<meta::Object>;

}  // namespace kubexx::informer
