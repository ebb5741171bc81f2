#pragma once

#include <string>

#include "apiserver/cluster.hpp"

namespace kubexx::apiserver {

/// Deletes what is in a namespace that is being deleted, and then the namespace.
void empty_namespace(Cluster& cluster, const std::string& name);
/// Removes it if it is being deleted, nothing holds it and it is empty.
void finalize_namespace(Cluster& cluster, const std::string& name);

}  // namespace kubexx::apiserver
