#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/result.hpp"

namespace kubexx::app {

/// What a program does with one resource.
struct AccessNeed {
  std::string group = {};
  std::string resource = {};  ///< plural; "pods/log" is its subresource
  std::vector<std::string> verbs = {};
  std::vector<std::string> namespaces = {};  ///< empty: in all of them, or it has none
};

/// "pods", "po", "deployments.apps", "foos.example.com", "pods/log:get",
/// "leases.coordination.k8s.io:get,create,update"; without verbs those of an informer. A resource that has no
/// namespaces needs the whole cluster whatever was named.
///
/// Errors: no resource, a verb that is none, a name without a group that Kubernetes does not have.
Result<AccessNeed> parse_need(std::string_view text, const std::vector<std::string>& namespaces);

/// Whom the rules are for.
struct RoleNames {
  std::string role = {};
  std::string account_namespace = {};  ///< of the service account; empty: the rules alone, bound to nobody
  std::string account = {};
};

/// The least roles that give what is needed, as YAML: a ClusterRole for the whole cluster, a Role for each namespace,
/// and their bindings.
std::string roles_yaml(std::vector<AccessNeed> needs, const RoleNames& names);

}  // namespace kubexx::app
