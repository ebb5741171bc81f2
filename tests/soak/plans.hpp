#pragma once

#include <vector>

#include "soak/program.hpp"

namespace kubexx::soak {

/// Five informers each, on several kinds: of built-in ones as typed programs ask for them, of built-in and custom ones
/// as JSON; of all namespaces, of some that change, by labels, by a field, of metadata alone.
std::vector<InformerPlan> steady_plans();
std::vector<InformerPlan> restarted_plans();

/// How both begin and read: whole states by WatchList into an ordered queue; by lists in pages into the queue that
/// compresses by key, with files.
informer::FactoryOptions steady_options();
informer::FactoryOptions restarted_options(const std::string& cache_directory);

}  // namespace kubexx::soak
