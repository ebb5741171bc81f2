#pragma once

#include "apiserver/cluster.hpp"
#include "apiserver/http/call.hpp"

namespace kubexx::apiserver {

Result<Answer> serve_get(Cluster& cluster, Call& call);
Result<Answer> serve_list(Cluster& cluster, Call& call);
Result<Answer> serve_watch(Cluster& cluster, Call& call);

}  // namespace kubexx::apiserver
