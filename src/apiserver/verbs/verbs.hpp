#pragma once

#include "apiserver/cluster.hpp"
#include "apiserver/http/call.hpp"

namespace kubexx::apiserver {

/// A prepared request for a resource goes to its verb.
Result<Answer> serve_verb(Cluster& cluster, Call& call);

}  // namespace kubexx::apiserver
