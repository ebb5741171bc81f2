#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/label_selector.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/object_key.hpp"
#include "kubexx/meta/typed.hpp"
#include "kubexx/store/snapshot.hpp"
#include "kubexx/store/store.hpp"

namespace kubexx::store {

/// The objects of a store that the selector matches; no order.
KUBEXX_EXPORT std::vector<meta::Object> list_all(const Store& store, const meta::LabelSelector& selector = {});
/// Those of one namespace, by the index named "namespace"; without that index everything is looked at, which is logged.
/// An empty namespace means all.
KUBEXX_EXPORT std::vector<meta::Object> list_all_by_namespace(const Indexer& indexer, std::string_view namespace_,
                                                              const meta::LabelSelector& selector = {});
/// The API's own answer, 404 NotFound, with the group resource and the name.
KUBEXX_EXPORT Error not_found(const meta::GroupResource& resource, std::string_view name);

namespace detail {

/// The name that Kubernetes has for in_namespace() of a kind (`pods`), by generated types; others have none.
template <class T, class Lister>
struct NamedNamespaces {};
template <class T, class Lister>
  requires requires { typename T::template ListerNames<Lister>; }
struct NamedNamespaces<T, Lister> : T::template ListerNames<Lister> {};

}  // namespace detail

/// Reads one namespace of a cache. A handle, cheap to copy.
template <class T>
class NamespaceLister {
 public:
  NamespaceLister(std::shared_ptr<const Indexer> indexer, meta::GroupResource resource, std::string name_space)
      : indexer_(std::move(indexer)), resource_(std::move(resource)), namespace_(std::move(name_space)) {}

  /// Those of the namespace that the selector takes; everything by default.
  std::vector<T> list(const meta::LabelSelector& selector = {}) const {
    return meta::typed_handles<T>(list_all_by_namespace(*indexer_, namespace_, selector));
  }
  /// Not there: an Error that is_not_found().
  Result<T> get(std::string_view name) const {
    meta::Object object = indexer_->find(meta::ObjectKey{namespace_, std::string(name)}.to_string());
    if (!object) return not_found(resource_, name);
    return meta::typed_handle<T>(std::move(object));
  }

 private:
  std::shared_ptr<const Indexer> indexer_;
  meta::GroupResource resource_;
  std::string namespace_;
};

/// Reads a cache of objects of type T: a generated type, or meta::Object for any kind. A handle, cheap to copy; it
/// keeps the store alive. What it returns is the cache's own, immutable object.
///
/// Threads: safe from any thread; never asks the server, and waits for a write at most.
/// Errors: what the cache does not have is an Error that is_not_found(); an unknown index is an Error of kind Config.
/// Lists have none. A cache that has not synced yet lacks things that the server has.
/// Example:
///
///     auto lister = factory.core().v1().pods().lister();
///     auto dns = lister.in_namespace("kube-system").list(meta::LabelSelector::equals("k8s-app", "kube-dns"));
///     auto web = lister.pods("default").get("web");  // the same under the name of a generated kind
///     if (!web && web.error().is_not_found()) forget("default/web");
template <class T>
class Lister : public detail::NamedNamespaces<T, Lister<T>> {
 public:
  Lister(std::shared_ptr<const Indexer> indexer, meta::GroupResource resource)
      : indexer_(std::move(indexer)), resource_(std::move(resource)) {}

  /// Those that the selector takes; everything by default.
  std::vector<T> list(const meta::LabelSelector& selector = {}) const {
    return meta::typed_handles<T>(list_all(*indexer_, selector));
  }
  /// By name for cluster-wide objects, by "ns/name" for others. Not there: an Error that is_not_found().
  Result<T> get(std::string_view key) const {
    meta::Object object = indexer_->find(key);
    if (!object) return not_found(resource_, key);
    return meta::typed_handle<T>(std::move(object));
  }
  Result<T> get(const meta::ObjectKey& key) const {
    meta::Object object = indexer_->find(key.to_string());
    if (!object) return not_found(resource_, key.name);
    return meta::typed_handle<T>(std::move(object));
  }
  Result<T> get(const std::string& key) const { return get(std::string_view(key)); }
  Result<T> get(const char* key) const { return get(std::string_view(key)); }
  /// Many at once, in the order of their keys, which is faster than one by one; an empty handle where not there.
  std::vector<T> find_many(std::span<const std::string> keys) const {
    return meta::typed_handles<T>(indexer_->find_many(keys));
  }
  std::vector<T> find_many(std::span<const std::string_view> keys) const {
    return meta::typed_handles<T>(indexer_->find_many(keys));
  }
  /// An unknown index is an Error.
  Result<std::vector<T>> by_index(std::string_view index, std::string_view value) const {
    auto objects = indexer_->by_index(index, value);
    if (!objects) return objects.error();
    return meta::typed_handles<T>(std::move(*objects));
  }
  NamespaceLister<T> in_namespace(std::string namespace_) const { return {indexer_, resource_, std::move(namespace_)}; }
  Snapshot snapshot() const { return indexer_->snapshot(); }
  const meta::GroupResource& resource() const noexcept { return resource_; }

 private:
  std::shared_ptr<const Indexer> indexer_;
  meta::GroupResource resource_;
};

/// Any kind of object.
using GenericLister = Lister<meta::Object>;
using GenericNamespaceLister = NamespaceLister<meta::Object>;

}  // namespace kubexx::store
