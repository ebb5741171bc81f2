#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"

namespace kubexx {
class Executor;
}

namespace kubexx::apiserver {

class Core;

/// How much moves, and how fast.
struct WorkloadOptions {
  std::size_t pods = 12;  ///< spread over deployments of four in the namespace "demo"; 0: only what others create
  std::size_t nodes = 3;
  double changes_per_second = 2;  ///< restarts, rollouts and scalings of the demo's own deployments; 0: none
  Duration step = std::chrono::milliseconds(250);  ///< controllers and kubelets act this often
  Duration heartbeat = std::chrono::seconds(10);   ///< of the nodes
  std::uint64_t seed = 1;
};

/// Actors that make a Core look alive: Deployments get ReplicaSets, those get Pods, pods are placed on nodes and become
/// Ready, containers restart, images roll out, nodes send heartbeats. It is a model for demonstrations and tests, not
/// the controllers of a cluster.
///
/// Threads: everything runs on the executor.
/// Stop: the destructor; the object a step is at is finished first. The core must outlive it.
/// Errors: none; what the core refuses is left as it is.
/// Example:
///
///     apiserver::Workload workload(core, executor, {.pods = 100, .changes_per_second = 10});
class KUBEXX_EXPORT Workload {
 public:
  Workload(Core& core, std::shared_ptr<Executor> executor, WorkloadOptions options = {});
  ~Workload();
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::apiserver
