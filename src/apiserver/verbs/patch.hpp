#pragma once

#include "apiserver/cluster.hpp"
#include "apiserver/http/call.hpp"

namespace kubexx::apiserver {

Result<Answer> serve_patch(Cluster& cluster, Call& call);

}  // namespace kubexx::apiserver
