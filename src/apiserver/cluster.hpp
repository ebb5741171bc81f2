#pragma once

#include <cstdint>
#include <functional>

#include "apiserver/controllers/owners.hpp"
#include "apiserver/environment.hpp"
#include "apiserver/faults/faults.hpp"
#include "apiserver/schema/resource.hpp"
#include "apiserver/storage/container_logs.hpp"
#include "apiserver/storage/storage.hpp"
#include "apiserver/storage/watch_hub.hpp"

namespace kubexx::apiserver {

/// The state of a server; verbs, controllers and faults are functions over it.
///
/// The lock rule: a Cluster is reached through Locked only (core_impl.hpp). So a function that is given one runs under
/// the lock and takes none; what it wants done afterwards it posts. A function that is not given one is called without
/// the lock.
struct Cluster {
  using Action = WatchHub::Action;
  /// Makes of an action one that takes the lock first, and does nothing if the server is closed by then.
  using Guard = std::function<Action(Action)>;

  Cluster(Environment& around, Guard guarded);
  /// With the first namespaces in it.
  void open();
  Timer schedule(Duration delay, Action action) {
    return environment.executor->post_after(delay, guard(std::move(action)));
  }
  void post(Action action) { schedule(Duration::zero(), std::move(action)); }
  /// Back to what the storage was, with all that follows from it; watches are cut.
  void restore(const Storage::Snapshot& snapshot);

  Environment& environment;
  const Guard guard;
  bool closed = false;
  Storage storage;
  ResourceTable resources;
  WatchHub hub;
  ContainerLogs logs;
  Owners owners;
  Faults faults;
  std::uint32_t next_service_address = 1;
  Timer trim;  ///< gives memory of watches that ended back to the system
};

}  // namespace kubexx::apiserver
