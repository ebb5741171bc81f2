#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::meta {

/// A group with a version, "apps/v1" in manifests and "v1" for the group without a name.
struct KUBEXX_EXPORT GroupVersion {
  std::string group = {};  ///< "" is the core group
  std::string version = {};
  std::string to_string() const;  ///< "v1", "apps/v1"
  /// From an apiVersion.
  static Result<GroupVersion> parse(std::string_view api_version);
  friend auto operator<=>(const GroupVersion&, const GroupVersion&) = default;
};

/// A group with a kind.
struct KUBEXX_EXPORT GroupKind {
  std::string group = {};
  std::string kind = {};
  std::string to_string() const;  ///< "Deployment.apps", "Pod"
  /// From "Kind.group", or "Kind" for the group without a name.
  static GroupKind parse(std::string_view text);
  friend auto operator<=>(const GroupKind&, const GroupKind&) = default;
};

/// A group with a resource.
struct KUBEXX_EXPORT GroupResource {
  std::string group = {};
  std::string resource = {};
  std::string to_string() const;  ///< "deployments.apps", "pods"
  /// From "resource.group", or "resource" for the group without a name.
  static GroupResource parse(std::string_view text);
  friend auto operator<=>(const GroupResource&, const GroupResource&) = default;
};

/// What an object says of itself: group, version and kind.
struct KUBEXX_EXPORT GroupVersionKind {
  std::string group = {};
  std::string version = {};
  std::string kind = {};
  /// Group and version as manifests have them.
  std::string api_version() const;
  std::string to_string() const;  ///< "apps/v1, Kind=Deployment"
  /// From apiVersion and kind of a manifest.
  static Result<GroupVersionKind> parse(std::string_view api_version, std::string_view kind);
  friend auto operator<=>(const GroupVersionKind&, const GroupVersionKind&) = default;
};

/// What a path of the API names: group, version and resource.
struct KUBEXX_EXPORT GroupVersionResource {
  std::string group = {};
  std::string version = {};
  std::string resource = {};
  /// Group and version as manifests have them; the same without the version.
  std::string api_version() const;
  GroupResource group_resource() const { return {group, resource}; }
  std::string to_string() const;  ///< "apps/v1, Resource=deployments"
  friend auto operator<=>(const GroupVersionResource&, const GroupVersionResource&) = default;
};

/// What the generator knows of a resource at compile time; `T::kResource` of every generated object type.
struct ResourceInfo {
  std::string_view group = {};
  std::string_view version = {};
  std::string_view kind = {};
  std::string_view resource = {};  ///< plural
  std::string_view singular = {};
  bool namespaced = true;
  bool protobuf = false;  ///< the server speaks protobuf for it (built-in types)

  /// The names that requests and objects use for it.
  GroupVersionResource gvr() const { return {std::string(group), std::string(version), std::string(resource)}; }
  GroupVersionKind gvk() const { return {std::string(group), std::string(version), std::string(kind)}; }
};

}  // namespace kubexx::meta

template <>
struct std::hash<kubexx::meta::GroupVersionResource> {
  std::size_t operator()(const kubexx::meta::GroupVersionResource& gvr) const noexcept {
    const std::hash<std::string> h;
    return h(gvr.group) * 31 * 31 + h(gvr.version) * 31 + h(gvr.resource);
  }
};
