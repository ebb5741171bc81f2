#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/address_key.hpp"
#include "kubexx/agent/attribution.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::agent {

/// What a ReplicaSet or Job says of its own controller.
struct OwnerReference {
  std::string api_version = {};
  std::string kind = {};
  std::string name = {};
  std::string uid = {};
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// On the API's picture of a static pod, by which the kubelet has made it: what the kubelet itself calls that pod.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

/// By what a pod is found.
enum class KeyKind : std::uint8_t { Uid, Container, Address, NodeAddress };

/// Which of two pods with the same key is meant; the higher one.
enum class Rank : std::uint8_t {
  Alias,   ///< the kubelet's name of a static pod, which its mirror pod says: anybody could write the same
  Ended,   ///< is gone
  Ending,  ///< its processes are gone, or about to be: its address may be another's already
  Live,
};

}  // namespace kubexx::agent

namespace kubexx::agent::detail {

/// One pod as it was at one moment, never changed. Texts are borrowed from `pod`; a copy of a record has the same pod.
struct PodRecord {
  struct Container {
    std::string_view id;
    std::string_view name;
    bool ended;  // the one before a restart
  };

  meta::Object pod;
  std::string_view static_uid;  // what the kubelet calls a static pod, whose mirror this is; empty for others
  std::vector<Container> containers;
  std::vector<AddressKey> addresses;
  bool host_network = false;
  bool ending = false;
  bool ended = false;
  Owner controller;
  bool owner_known = false;
  std::shared_ptr<const OwnerReference> above;  // the controller's controller; null: none, or not known

  Rank rank() const noexcept { return ended ? Rank::Ended : ending ? Rank::Ending : Rank::Live; }

  /// Calls visit(kind, key, container or -1, rank, ended) for everything the pod is found by.
  template <class Visit>
  void for_each_key(Visit&& visit) const {
    visit(KeyKind::Uid, pod.uid(), -1, rank(), ended);
    if (!static_uid.empty()) visit(KeyKind::Uid, static_uid, -1, Rank::Alias, ended);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      visit(KeyKind::Container, containers[i].id, static_cast<std::int32_t>(i), rank(), ended || containers[i].ended);
    }
    if (host_network) return;  // the node's address, which is not theirs alone
    for (const auto& each : addresses) visit(KeyKind::Address, bytes_of(each), -1, rank(), ended);
  }
};

/// Reads a pod; what a stranger's server has said too much of is cut.
PodRecord read_pod(meta::Object pod);

}  // namespace kubexx::agent::detail
