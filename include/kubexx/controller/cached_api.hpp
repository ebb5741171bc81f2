#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kubexx/client/api.hpp"
#include "kubexx/controller/cached_resource_api.hpp"
#include "kubexx/controller/finalizer.hpp"

namespace kubexx::controller {

/// The calls of one resource, typed, reads from its informer and writes to the server; CachedClient::api<T>() makes it.
/// See CachedResourceApi for the contract.
///
/// Threads: safe from any thread. Operations complete on the client's executor.
/// Stop: by the stop and timeout of the options, with Canceled and Timeout.
/// Errors: as CachedResourceApi.
/// Example:
///
///     controller::CachedClient cached(factory);
///     auto maps = cached.api<corev1::ConfigMap>();
///     auto draft = maps.get({"default", "settings"}).value().edit();
///     draft.data().set("color", "blue");
///     auto saved = maps.update(draft);
///     auto all = maps.list({.namespace_ = "default"});  // with the new color
template <class T>
class CachedApi {
 public:
  explicit CachedApi(CachedResourceApi untyped) : untyped_(std::move(untyped)) {}

  /// Operations: nothing is sent before they are started. What is not there is Error::is_not_found(), what has another
  /// version by now Error::is_conflict().
  Async<Result<T>> get_async(const meta::ObjectKey& key,
                             const informer::WaitOptions& options = informer::WaitOptions()) const {
    return untyped_.get_async(key, options).map(typed);
  }
  /// As list().
  Async<Result<std::vector<T>>> list_async(const CachedListOptions& options = CachedListOptions()) const {
    return untyped_.list_async(options).map(typed_list);
  }
  /// As create().
  Async<Result<T>> create_async(const T& object, const client::WriteOptions& options = client::WriteOptions()) const {
    return untyped_.create_async(object, options).map(typed);
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Async<Result<T>> create_async(const D& draft, const client::WriteOptions& options = client::WriteOptions()) const {
    return create_async(draft.to_object(), options);
  }
  /// As update() and update_status().
  Async<Result<T>> update_async(const T& object, const client::WriteOptions& options = client::WriteOptions()) const {
    return untyped_.update_async(object, options).map(typed);
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Async<Result<T>> update_async(const D& draft, const client::WriteOptions& options = client::WriteOptions()) const {
    return update_async(draft.to_object(), options);
  }
  Async<Result<T>> update_status_async(const T& object,
                                       const client::WriteOptions& options = client::WriteOptions()) const {
    return untyped_.update_status_async(object, options).map(typed);
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Async<Result<T>> update_status_async(const D& draft,
                                       const client::WriteOptions& options = client::WriteOptions()) const {
    return update_status_async(draft.to_object(), options);
  }
  Async<Result<T>> patch_async(const meta::ObjectKey& key, client::PatchType type, std::string_view body,
                               const client::WriteOptions& options = client::WriteOptions(),
                               std::string_view subresource = {}) const {
    return untyped_.patch_async(key, type, body, options, subresource).map(typed);
  }
  /// Sends what changed against the draft's original as a merge patch; nothing is sent when nothing changed.
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Async<Result<T>> patch_async(const D& draft, const client::WriteOptions& options = client::WriteOptions(),
                               std::string_view subresource = {}) const {
    const meta::Object& original = draft.draft().original();
    if (!draft.changed()) {
      return Async<Result<T>>::ready(untyped_.server().client().executor(), T::unchecked(original));
    }
    return patch_async(meta::ObjectKey::of(original), client::PatchType::Merge, draft.merge_patch(), options,
                       subresource);
  }
  Async<Result<T>> apply_async(const T& object, const client::WriteOptions& options,
                               std::string_view subresource = {}) const {
    return untyped_.apply_async(object, options, subresource).map(typed);
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Async<Result<T>> apply_async(const D& draft, const client::WriteOptions& options,
                               std::string_view subresource = {}) const {
    return apply_async(draft.to_object(), options, subresource);
  }
  Async<Result<void>> remove_async(const meta::ObjectKey& key,
                                   const client::DeleteOptions& options = client::DeleteOptions()) const {
    return untyped_.remove_async(key, options);
  }

  /// The same, blocking.
  Result<T> get(const meta::ObjectKey& key, const informer::WaitOptions& options = {}) const {
    return typed(untyped_.get(key, options));
  }
  /// Those that the options select, from the cache, with what this client wrote.
  Result<std::vector<T>> list(const CachedListOptions& options = {}) const {
    return typed_list(untyped_.list(options));
  }
  /// `written` is a T or its draft here and below.
  template <class Written>
  Result<T> create(const Written& written, const client::WriteOptions& options = {}) const {
    return create_async(written, options).wait();
  }
  template <class Written>
  Result<T> update(const Written& written, const client::WriteOptions& options = {}) const {
    return update_async(written, options).wait();
  }
  template <class Written>
  Result<T> update_status(const Written& written, const client::WriteOptions& options = {}) const {
    return update_status_async(written, options).wait();
  }
  Result<T> patch(const meta::ObjectKey& key, client::PatchType type, std::string_view body,
                  const client::WriteOptions& options = {}, std::string_view subresource = {}) const {
    return patch_async(key, type, body, options, subresource).wait();
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Result<T> patch(const D& draft, const client::WriteOptions& options = {}, std::string_view subresource = {}) const {
    return patch_async(draft, options, subresource).wait();
  }
  template <class Written>
  Result<T> apply(const Written& written, const client::WriteOptions& options,
                  std::string_view subresource = {}) const {
    return apply_async(written, options, subresource).wait();
  }
  Result<void> remove(const meta::ObjectKey& key, const client::DeleteOptions& options = {}) const {
    return untyped_.remove(key, options);
  }

  /// The same without types.
  const CachedResourceApi& untyped() const noexcept { return untyped_; }

 private:
  static Result<T> typed(Result<meta::Object> object) {
    if (!object) return object.error();
    return T::unchecked(std::move(*object));
  }
  static Result<std::vector<T>> typed_list(Result<std::vector<meta::Object>> objects) {
    if (!objects) return objects.error();
    return meta::typed_handles<T>(std::move(*objects));
  }

  CachedResourceApi untyped_;
};

/// finalize() whose writes later reads of the cached client see. `cleanup(const T&)` returns Result<void>.
template <class T>
Result<Finalized> finalize(const CachedApi<T>& api, const std::type_identity_t<T>& object, std::string_view finalizer,
                           const std::function<Result<void>(const std::type_identity_t<T>&)>& cleanup,
                           const client::CallOptions& options = {}) {
  auto finalized = finalize(
      api.untyped().server(std::string(object.namespace_())), object, finalizer,
      [&](const meta::Object& untyped) { return cleanup(T::unchecked(untyped)); }, options);
  if (finalized) api.untyped().remember(finalized->object);
  return finalized;
}

}  // namespace kubexx::controller
