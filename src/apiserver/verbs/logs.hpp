#pragma once

#include <string>
#include <string_view>

#include "apiserver/cluster.hpp"
#include "apiserver/http/call.hpp"

namespace kubexx::apiserver {

/// The log of a container, whole or followed.
Result<Answer> serve_log(Cluster& cluster, Call& call, const meta::Object& pod);

/// The container that is meant; empty: the only one. 400 where there are several, or none of that name.
Result<std::string> chosen_container(const meta::Object& pod, std::string_view name);
/// What the pod's status says of a container; absent: nothing.
meta::Value container_status(const meta::Object& pod, std::string_view container);

}  // namespace kubexx::apiserver
