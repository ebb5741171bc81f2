#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::client {

/// Objects of a list, and the version that it is of.
template <class T>
struct TypedList {
  meta::ListMeta meta = {};
  std::vector<T> items = {};
};

/// An object of a watch, and what happened to it.
template <class T>
struct TypedWatchEvent {
  meta::WatchEventType type = meta::WatchEventType::Unknown;
  T object = {};
};

/// The calls of one resource, typed: T is a generated type (`api::core::v1::Pod`). See ResourceApi for the contract and
/// Async for what `get_async` and its like return.
///
/// Threads: safe from any thread. Operations complete on the client's executor.
/// Stop: by the stop and timeout of the options, with Canceled and Timeout.
/// Errors: what the server says (is_not_found(), is_conflict(), ...), and what is refused before it is sent.
/// Example:
///
///     client::Api<corev1::Pod> pods(client, "default");
///     auto draft = pods.get("web").value().edit();
///     draft.metadata().labels().set("tier", "front");
///     auto patched = pods.patch(draft);
template <class T>
class Api {
 public:
  explicit Api(rest::Client client, std::string namespace_ = {})
      : untyped_(std::move(client), T::kResource.gvr(), std::move(namespace_),
                 T::kResource.protobuf ? rest::Format::Protobuf : rest::Format::Json) {}

  /// Operations: nothing is sent before they are started. What is not there is Error::is_not_found(), what has another
  /// version by now Error::is_conflict().
  Async<Result<T>> create_async(const T& object, const WriteOptions& options = WriteOptions()) const {
    return untyped_.create_async(object, options).map(typed<T>);
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Async<Result<T>> create_async(const D& draft, const WriteOptions& options = WriteOptions()) const {
    return create_async(draft.to_object(), options);
  }
  /// As get().
  Async<Result<T>> get_async(std::string_view name, const GetOptions& options = GetOptions()) const {
    return untyped_.get_async(name, options).map(typed<T>);
  }
  /// As list() and list_all().
  Async<Result<TypedList<T>>> list_async(const ListOptions& options = ListOptions()) const {
    return untyped_.list_async(options).map(typed_list);
  }
  Async<Result<TypedList<T>>> list_all_async(const ListOptions& options = ListOptions()) const {
    return untyped_.list_all_async(options).map(typed_list);
  }
  /// As update() and update_status().
  Async<Result<T>> update_async(const T& object, const WriteOptions& options = WriteOptions()) const {
    return untyped_.update_async(object, options).map(typed<T>);
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Async<Result<T>> update_async(const D& draft, const WriteOptions& options = WriteOptions()) const {
    return update_async(draft.to_object(), options);
  }
  Async<Result<T>> update_status_async(const T& object, const WriteOptions& options = WriteOptions()) const {
    return untyped_.update_status_async(object, options).map(typed<T>);
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Async<Result<T>> update_status_async(const D& draft, const WriteOptions& options = WriteOptions()) const {
    return update_status_async(draft.to_object(), options);
  }
  Async<Result<T>> patch_async(std::string_view name, PatchType type, std::string_view body,
                               const WriteOptions& options = WriteOptions(), std::string_view subresource = {}) const {
    return untyped_.patch_async(name, type, body, options, subresource).map(typed<T>);
  }
  /// Sends what changed against the draft's original as a merge patch; nothing is sent when nothing changed.
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Async<Result<T>> patch_async(const D& draft, const WriteOptions& options = WriteOptions(),
                               std::string_view subresource = {}) const {
    const meta::Object& original = draft.draft().original();
    if (!draft.changed()) return Async<Result<T>>::ready(untyped_.client().executor(), T::unchecked(original));
    return place_of(original)
        .patch_async(original.name(), PatchType::Merge, draft.merge_patch(), options, subresource)
        .map(typed<T>);
  }
  Async<Result<T>> apply_async(const T& object, const WriteOptions& options, std::string_view subresource = {}) const {
    return untyped_.apply_async(object, options, subresource).map(typed<T>);
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Async<Result<T>> apply_async(const D& draft, const WriteOptions& options, std::string_view subresource = {}) const {
    return apply_async(draft.to_object(), options, subresource);
  }
  Async<Result<void>> remove_async(std::string_view name, const DeleteOptions& options = DeleteOptions()) const {
    return untyped_.remove_async(name, options);
  }
  Async<Result<void>> remove_collection_async(const ListOptions& which = ListOptions(),
                                              const DeleteOptions& options = DeleteOptions()) const {
    return untyped_.remove_collection_async(which, options);
  }
  template <class S>
  Async<Result<S>> get_subresource_async(std::string_view name, std::string_view subresource,
                                         const GetOptions& options = GetOptions()) const {
    return untyped_.get_subresource_async(name, subresource, options).map(typed<S>);
  }
  template <class S>
  Async<Result<S>> create_subresource_async(std::string_view name, std::string_view subresource,
                                            const meta::Object& object,
                                            const WriteOptions& options = WriteOptions()) const {
    return untyped_.create_subresource_async(name, subresource, object, options).map(typed<S>);
  }
  template <class S>
  Async<Result<S>> update_subresource_async(std::string_view name, std::string_view subresource,
                                            const meta::Object& object,
                                            const WriteOptions& options = WriteOptions()) const {
    return untyped_.update_subresource_async(name, subresource, object, options).map(typed<S>);
  }

  /// The same, blocking.
  Result<T> create(const T& object, const WriteOptions& options = {}) const {
    return typed<T>(untyped_.create(object, options));
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Result<T> create(const D& draft, const WriteOptions& options = {}) const {
    return create(draft.to_object(), options);
  }
  /// One object. Error::is_not_found() where there is none.
  Result<T> get(std::string_view name, const GetOptions& options = {}) const {
    return typed<T>(untyped_.get(name, options));
  }
  /// One page, or, with list_all(), all of them.
  Result<TypedList<T>> list(const ListOptions& options = {}) const { return typed_list(untyped_.list(options)); }
  Result<TypedList<T>> list_all(const ListOptions& options = {}) const {
    return typed_list(untyped_.list_all(options));
  }
  /// Events from a version on, until the function returns false, the stop or an Error.
  Result<void> watch(const ListOptions& options, const std::function<bool(const TypedWatchEvent<T>&)>& on_event) const {
    return untyped_.watch(
        options, [&](const meta::WatchEvent& event) { return on_event({event.type, T::unchecked(event.object)}); });
  }
  /// Replaces an object; a conflict where it has another version by now.
  Result<T> update(const T& object, const WriteOptions& options = {}) const {
    return typed<T>(untyped_.update(object, options));
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Result<T> update(const D& draft, const WriteOptions& options = {}) const {
    return update(draft.to_object(), options);
  }
  /// Replaces its status alone.
  Result<T> update_status(const T& object, const WriteOptions& options = {}) const {
    return typed<T>(untyped_.update_status(object, options));
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Result<T> update_status(const D& draft, const WriteOptions& options = {}) const {
    return update_status(draft.to_object(), options);
  }
  /// Changes an object: by a patch, or by what a draft changed, whatever its version is by now.
  Result<T> patch(std::string_view name, PatchType type, std::string_view body, const WriteOptions& options = {},
                  std::string_view subresource = {}) const {
    return typed<T>(untyped_.patch(name, type, body, options, subresource));
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Result<T> patch(const D& draft, const WriteOptions& options = {}, std::string_view subresource = {}) const {
    return patch_async(draft, options, subresource).wait();
  }
  /// Server-side apply: `options` must name the field manager.
  Result<T> apply(const T& object, const WriteOptions& options, std::string_view subresource = {}) const {
    return typed<T>(untyped_.apply(object, options, subresource));
  }
  template <class D>
    requires std::is_same_v<D, typename T::Draft>
  Result<T> apply(const D& draft, const WriteOptions& options, std::string_view subresource = {}) const {
    return apply(draft.to_object(), options, subresource);
  }
  /// Deletes an object, or all that `which` selects.
  Result<void> remove(std::string_view name, const DeleteOptions& options = {}) const {
    return untyped_.remove(name, options);
  }
  Result<void> remove_collection(const ListOptions& which = {}, const DeleteOptions& options = {}) const {
    return untyped_.remove_collection(which, options);
  }
  /// Subresources: of the type that they have.
  template <class S>
  Result<S> get_subresource(std::string_view name, std::string_view subresource, const GetOptions& options = {}) const {
    return typed<S>(untyped_.get_subresource(name, subresource, options));
  }
  template <class S>
  Result<S> create_subresource(std::string_view name, std::string_view subresource, const meta::Object& object,
                               const WriteOptions& options = {}) const {
    return typed<S>(untyped_.create_subresource(name, subresource, object, options));
  }
  template <class S>
  Result<S> update_subresource(std::string_view name, std::string_view subresource, const meta::Object& object,
                               const WriteOptions& options = {}) const {
    return typed<S>(untyped_.update_subresource(name, subresource, object, options));
  }
  /// The same without types.
  const ResourceApi& untyped() const noexcept { return untyped_; }

 protected:
  /// POST of an object whose name is that of the resource it is about (evictions, bindings).
  Async<Result<void>> create_named_async(std::string_view name, std::string_view subresource,
                                         const meta::Object& object, std::string_view api_version,
                                         std::string_view kind, const WriteOptions& options) const {
    auto draft = object ? object.edit() : meta::Draft();
    draft["apiVersion"].set(api_version);
    draft["kind"].set(kind);
    draft["metadata"]["name"].set(name);
    if (!untyped_.namespace_().empty()) draft["metadata"]["namespace"].set(untyped_.namespace_());
    return untyped_.create_subresource_async(name, subresource, draft.to_object(), options)
        .map([](const Result<meta::Object>& created) -> Result<void> {
          if (!created) return created.error();
          return {};
        });
  }

 private:
  template <class S>
  static Result<S> typed(Result<meta::Object> object) {
    if (!object) return object.error();
    return S::unchecked(std::move(*object));
  }
  static Result<TypedList<T>> typed_list(Result<ObjectList> list) {
    if (!list) return list.error();
    TypedList<T> out{std::move(list->meta), {}};
    out.items.reserve(list->items.size());
    for (auto& item : list->items) out.items.push_back(T::unchecked(std::move(item)));
    return out;
  }

  ResourceApi place_of(const meta::Object& object) const {
    const bool elsewhere = untyped_.namespace_().empty() && T::kResource.namespaced;
    return elsewhere ? untyped_.namespaced(std::string(object.namespace_())) : untyped_;
  }

  ResourceApi untyped_;
};

}  // namespace kubexx::client
