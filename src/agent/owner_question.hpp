#pragma once

#include <optional>
#include <string>

#include "agent/pod_record.hpp"
#include "kubexx/meta/gvk.hpp"

namespace kubexx::agent::detail {

/// A ReplicaSet or Job whose controller is to be found, as a pod of its namespace names it.
struct OwnerQuestion {
  meta::GroupVersionResource resource;
  std::string namespace_;
  std::string name;
  std::string uid;

  /// Begins with the namespace: what a pod says of its owners must not count in another.
  std::string key() const { return namespace_ + "/" + resource.resource + "/" + name + "/" + uid; }
};

/// What is to be asked about a pod's controller; absent: there is nothing above it, or nothing that we look for.
std::optional<OwnerQuestion> question_about(const PodRecord& record);

}  // namespace kubexx::agent::detail
