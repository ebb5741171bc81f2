#pragma once

#include "apiserver/http/call.hpp"

namespace kubexx::apiserver {

/// What is served besides resources: probes, the version, and what resources there are.
Result<Answer> serve_discovery(const ResourceTable& resources, const Call& call);

}  // namespace kubexx::apiserver
