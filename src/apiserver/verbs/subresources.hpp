#pragma once

#include "apiserver/cluster.hpp"
#include "apiserver/http/call.hpp"

namespace kubexx::apiserver {

/// Every subresource but status, which the verbs of the resource serve.
Result<Answer> serve_subresource(Cluster& cluster, Call& call);
/// What is asked and not stored: reviews.
Result<Answer> serve_review(Cluster& cluster, Call& call);

}  // namespace kubexx::apiserver
