#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// Namespace and name; client-go's ObjectName. Its text is "ns/name", or "name" for cluster-wide objects.
struct KUBEXX_EXPORT ObjectKey {
  std::string namespace_ = {};
  std::string name = {};

  std::string to_string() const;
  /// "name" or "ns/name"; more slashes are an Error.
  static Result<ObjectKey> parse(std::string_view key);
  static ObjectKey of(const Object& object) { return {std::string(object.namespace_()), std::string(object.name())}; }
  bool empty() const noexcept { return name.empty() && namespace_.empty(); }
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

/// A deletion that was inferred (a list no longer has the object): the last state we knew, which may be null.
struct DeletedFinalStateUnknown {
  std::string key = {};
  Object object = {};
};

/// "ns/name" or "name"; an object without metadata or name is an Error (client-go's MetaNamespaceKeyFunc).
KUBEXX_EXPORT Result<std::string> meta_namespace_key(const Object& object);
/// The same for a tombstone: its key (DeletionHandlingMetaNamespaceKeyFunc).
KUBEXX_EXPORT Result<std::string> meta_namespace_key(const DeletedFinalStateUnknown& tombstone);

/// Any function that names an object.
using KeyFunc = std::function<Result<std::string>(const Object&)>;

}  // namespace kubexx::meta

template <>
struct std::hash<kubexx::meta::ObjectKey> {
  std::size_t operator()(const kubexx::meta::ObjectKey& key) const noexcept {
    const std::hash<std::string> h;
    return h(key.namespace_) * 1000003 + h(key.name);
  }
};
