#pragma once

#include <stop_token>

#include "demo_cluster.hpp"

namespace kubexx::app {

/// Takes informers through what may happen to them, step by step. On a terminal Enter goes on and q ends it; without
/// one each step ends when what it promises is to be seen. Returns the exit code: 1 when a step's time was over before.
int run_tour(DemoCluster& cluster, const std::stop_token& stop);

}  // namespace kubexx::app
