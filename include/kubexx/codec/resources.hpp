#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/gvk.hpp"

namespace kubexx::codec {

/// What stands below a resource in its paths: "status", "scale".
struct BuiltinSubresource {
  std::string_view name = {};
  std::string_view group = {};  ///< of its kind; "" with version "": that of the resource
  std::string_view version = {};
  std::string_view kind = {};
  std::vector<std::string_view> verbs = {};
};

/// A resource of the schema with what people and servers say of it.
struct BuiltinResource {
  meta::ResourceInfo info = {};
  bool served = true;     ///< false: an old version that current servers no longer have
  bool informer = false;  ///< client-go has an informer for it
  std::vector<std::string_view> short_names = {};
  std::vector<std::string_view> categories = {};
  std::vector<std::string_view> verbs = {};
  std::vector<BuiltinSubresource> subresources = {};
};

/// Every built-in resource, in the schema's order.
KUBEXX_EXPORT std::span<const BuiltinResource> builtin_resources();
KUBEXX_EXPORT const BuiltinResource* find_builtin(const meta::GroupVersionResource& resource);
KUBEXX_EXPORT const BuiltinResource* find_builtin(const meta::GroupVersionKind& kind);
/// Those that have an informer; null: unknown.
KUBEXX_EXPORT const meta::ResourceInfo* find_resource(const meta::GroupVersionResource& resource);

}  // namespace kubexx::codec
