#pragma once

#include "kubexx/informer/options.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::informer {

/// Of the cluster that a client talks to. Reads the file of its CA.
ClusterIdentity cluster_identity(const rest::Client& client);

}  // namespace kubexx::informer
