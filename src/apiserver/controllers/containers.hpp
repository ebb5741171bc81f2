#pragma once

#include <optional>
#include <string_view>

#include "apiserver/cluster.hpp"
#include "kubexx/apiserver/containers.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::apiserver {

// What the node of a pod does, as far as tests play it; see Core.
Result<void> start_container(Cluster& cluster, const ContainerKey& container);
Result<void> append_log(Cluster& cluster, const ContainerKey& container, std::string_view text,
                        std::optional<WallTime> time);
Result<void> end_container(Cluster& cluster, const ContainerKey& container, int exit_code);

/// The logs of a pod go with it.
void note_pod(Cluster& cluster, const Event& event);

}  // namespace kubexx::apiserver
