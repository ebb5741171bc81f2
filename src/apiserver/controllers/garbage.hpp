#pragma once

#include <string>

#include "apiserver/cluster.hpp"

namespace kubexx::apiserver {

/// Follows a write; what it leaves without owners is collected later.
void note_owners(Cluster& cluster, const Event& event);
/// The owner is gone: so are those that have no other.
void collect_dependents(Cluster& cluster, const std::string& uid);
/// A deletion that waits for its dependents, or lets them go, as far as it gets now.
void advance_foreground(Cluster& cluster, const std::string& uid);

}  // namespace kubexx::apiserver
