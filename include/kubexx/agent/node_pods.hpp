#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "kubexx/agent/attribution.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::agent {

/// Which pods, and how long those that ended are found.
struct KUBEXX_EXPORT NodePodsOptions {
  /// Whose pods. Empty: what the variable NODE_NAME says, which the DaemonSet sets from spec.nodeName (downward API).
  std::string node_name = {};
  /// How long a deleted pod, and a container that was replaced, is still found.
  Duration keep_ended = std::chrono::minutes(2);
  std::size_t most_ended = 1000;  ///< of them at most; the oldest go first
  /// Whether ReplicaSets and Jobs are asked for their own controllers: one small GET for each, where a pod of this node
  /// has one that was not asked yet, and again after `refresh_owners` (zero: never). Needs the right to get them.
  bool find_owners = true;
  Duration refresh_owners = std::chrono::hours(1);
  std::size_t owner_requests = 4;  ///< under way at once

  /// An Error for what cannot be.
  Result<void> validate() const;
};

/// How much is known, for people and probes.
struct NodePodsStatus {
  std::string node_name = {};
  bool synced = false;
  std::size_t pods = 0;
  std::size_t ended = 0;  ///< pods and replaced containers that are still found
  std::size_t keys = 0;   ///< uids, container ids and addresses
  std::size_t owners_known = 0;
  std::size_t owners_pending = 0;
  std::optional<Error> owner_error = {};  ///< why some are pending; absent: the last request was answered
};

/// Says to which pod, container and owner something on this node belongs: an informer of the node's own pods, cut to
/// what is needed, and a table over it that is read without a lock.
///
/// A look-up that finds nothing says that the API had no such pod here yet: a container runs a moment before the pod's
/// status has its id. Its cgroup has the pod's uid too, and is found by that meanwhile, without the container's name.
/// Pods of the host's network share the node's address, so that no one of them is found by it.
///
/// Threads: none of its own; look-ups are safe from any thread, also in its callbacks, and neither lock nor allocate
/// (but for the 257th thread that reads at the same time, which takes a lock).
/// Stop: the token given to start(), stop(), or the destructor, which waits until nothing of it runs. What was known
/// stays readable.
/// Errors: create() refuses options without a node's name. What the server answers is logged, and tried again; status()
/// and informer() have it.
/// Example:
///
///     auto made = agent::NodePods::create(client, {.keep_ended = 5min});
///     if (!made) complain(made.error());
///     (*made)->start(stop);
///     if (auto synced = (*made)->wait_until_synced({.stop = stop}); !synced) complain(synced.error());
///     const auto found = (*made)->find_by_cgroup("0::/kubepods.slice/kubepods-burstable.slice");
///     if (found) greet(found.namespace_(), found.name(), found.container(), found.owner().kind);
class KUBEXX_EXPORT NodePods {
 public:
  /// An Error where the options cannot be, or no node is named.
  static Result<std::unique_ptr<NodePods>> create(rest::Client client, NodePodsOptions options = {});
  ~NodePods();

  void start(std::stop_token stop = {});  ///< once; returns at once
  /// Ends the watch and waits for it; what is there can still be read.
  void stop();
  /// Whether the first list of pods is in.
  bool has_synced() const;
  /// Blocks until the pods of the first list can be found. Canceled by the stop, also by that of this object; Timeout.
  /// Owners may come later.
  Result<void> wait_until_synced(const informer::WaitOptions& options = {}) const;

  /// Each is empty where nothing is known, also for what is no uid, id, path or address at all.
  Attribution find_by_uid(std::string_view uid) const noexcept;
  Attribution find_by_container_id(std::string_view id) const noexcept;  ///< whole, with "containerd://" or without
  Attribution find_by_cgroup(std::string_view path) const noexcept;      ///< or a line of /proc/PID/cgroup
  /// By any address of a pod, however it is written. Where two had it, the one that runs; then the newer one.
  Attribution find_by_ip(std::string_view address) const noexcept;
  /// Whether pods of the host's network have this address: such traffic is the node's, and by address no pod's.
  bool is_node_address(std::string_view address) const noexcept;

  /// The node, and a picture of the table for people and probes.
  const std::string& node_name() const noexcept;
  NodePodsStatus status() const;
  /// For the inspector and health checks.
  const std::shared_ptr<informer::SharedIndexInformer>& informer() const noexcept;

 private:
  class Impl;
  explicit NodePods(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::agent
