#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// An object as a handle of type T: what generated classes offer, and Object itself. The kind is not looked at.
template <class T>
T typed_handle(Object object) {
  if constexpr (std::is_same_v<T, Object>) {
    return object;
  } else {
    return T::unchecked(std::move(object));
  }
}

/// The same handles as handles of T, unchecked.
template <class T>
std::vector<T> typed_handles(std::vector<Object> objects) {
  if constexpr (std::is_same_v<T, Object>) {
    return objects;
  } else {
    std::vector<T> all;
    all.reserve(objects.size());
    for (Object& object : objects) all.push_back(typed_handle<T>(std::move(object)));
    return all;
  }
}

/// The resource of a generated type, where one is asked for by its name.
template <class T>
GroupVersionResource resource_of() {
  return T::kResource.gvr();
}

/// A function over T where one over Object is wanted: index functions, filters, key functions, transforms. What it
/// returns may be a T, a Result of one, or whatever the place takes.
///
/// Example:
///
///     const store::Indexers by_node{{"node", meta::typed<Pod>([](const Pod& pod) {
///                                     return std::vector{std::string(pod.spec().node_name())};
///                                   })}};
template <class T, class F>
auto typed(F function) {
  static_assert(std::is_invocable_v<F&, const T&>, "the function takes a const T&, the type that typed<T> names");
  return [function = std::move(function)](const Object& object) mutable {
    using Returned = std::invoke_result_t<F&, const T&>;
    if constexpr (std::is_same_v<Returned, Result<T>>) {
      auto result = function(typed_handle<T>(object));
      return result ? Result<Object>(std::move(*result)) : Result<Object>(result.error());
    } else {
      return function(typed_handle<T>(object));
    }
  };
}

}  // namespace kubexx::meta
