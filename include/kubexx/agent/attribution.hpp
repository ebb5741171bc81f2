#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/base/lifetime.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::agent {

namespace detail {
struct PodRecord;  // src/agent/pod_record.hpp
class LookupTable;
}  // namespace detail

/// Who owns something. Borrowed from the Attribution.
struct Owner {
  std::string_view api_version = {};
  std::string_view kind = {};
  std::string_view name = {};
  std::string_view uid = {};
  explicit operator bool() const noexcept { return !uid.empty(); }
};

/// To whom something on a node belongs: a pod, perhaps a container of it, and their owner. A handle that keeps what it
/// speaks of; empty where nothing was found. It is as things were when it was looked up.
///
/// Threads: a value, over things that never change.
/// Errors: none; everything of an empty one is empty.
/// Example:
///
///     const auto found = node_pods->find_by_container_id("containerd://4f5e6d7c8b9a");
///     if (found) greet(found.namespace_(), found.name(), found.container(), found.owner().name);
class KUBEXX_EXPORT Attribution {
 public:
  Attribution() = default;
  explicit operator bool() const noexcept { return record_ != nullptr; }

  /// As far as it is kept: names, uid, labels, owner references, addresses, phase, and the containers' names and ids.
  const meta::Object& pod() const noexcept KUBEXX_LIFETIMEBOUND;
  std::string_view namespace_() const noexcept KUBEXX_LIFETIMEBOUND { return pod().namespace_(); }
  std::string_view name() const noexcept KUBEXX_LIFETIMEBOUND { return pod().name(); }
  std::string_view uid() const noexcept KUBEXX_LIFETIMEBOUND { return pod().uid(); }
  meta::MapView labels() const noexcept KUBEXX_LIFETIMEBOUND { return pod().labels(); }
  /// The container's name, init and ephemeral ones too. Empty: it was found by something of the pod as a whole, or the
  /// container is not in the pod's status (yet).
  std::string_view container() const noexcept KUBEXX_LIFETIMEBOUND;
  /// The pod was deleted, or the container replaced; it is kept for a while.
  bool ended() const noexcept { return ended_; }

  /// The pod's own controller: a ReplicaSet, Job, DaemonSet, Node; empty: it has none.
  Owner controller() const noexcept KUBEXX_LIFETIMEBOUND;
  /// The controller of that, where it is a ReplicaSet or Job that has one: the Deployment, the CronJob. The controller
  /// itself otherwise, and as long as the server has not said it (owner_known()).
  Owner owner() const noexcept KUBEXX_LIFETIMEBOUND;
  bool owner_known() const noexcept;

 private:
  friend class detail::LookupTable;
  Attribution(std::shared_ptr<const detail::PodRecord> record, std::int32_t container, bool ended) noexcept
      : record_(std::move(record)), container_(container), ended_(ended) {}

  std::shared_ptr<const detail::PodRecord> record_;
  std::int32_t container_ = -1;
  bool ended_ = false;
};

}  // namespace kubexx::agent
