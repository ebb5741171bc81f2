#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/base/lifetime.hpp"

namespace kubexx::agent {

/// The uid of a pod as the API writes it, in place: "0f1e2d3c-..." of 36 characters, or the 32 of a static pod.
class KUBEXX_EXPORT PodUid {
 public:
  PodUid() = default;
  /// A uid, or what a cgroup has of one ('_' instead of '-'). Absent: it is none.
  static std::optional<PodUid> parse(std::string_view text) noexcept;
  /// Becomes what parse() gives. False: the text is none, and this stays as it was.
  bool assign(std::string_view text) noexcept;
  std::string_view text() const noexcept KUBEXX_LIFETIMEBOUND { return {text_.data(), size_}; }
  bool empty() const noexcept { return size_ == 0; }
  friend bool operator==(const PodUid& a, const PodUid& b) noexcept { return a.text() == b.text(); }

 private:
  std::array<char, 36> text_{};
  std::uint8_t size_ = 0;
};

/// What a cgroup path says of whom it belongs to. Each may be there without the other: the cgroup of a pod has no
/// container, and one that is seen from inside a cgroup namespace may lack the pod.
struct CgroupIdentity {
  PodUid pod = {};
  std::string_view container_id = {};  ///< borrowed from the path
  explicit operator bool() const noexcept { return !pod.empty() || !container_id.empty(); }
};

/// Reads the path of a cgroup, or a line of /proc/PID/cgroup (v1 and v2), as kubelet, containerd, CRI-O and docker
/// write it, by the systemd and the cgroupfs driver, guaranteed pods and nested cgroups too:
///
///     /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod<uid with _>.slice/cri-containerd-<id>.scope
///     /kubepods/burstable/pod<uid>/<id>
///
/// Where pods stand inside each other (a cluster in a container), the outermost is meant: what a container makes below
/// itself says nothing. Ids are 64 characters. A monitor's cgroup (`crio-conmon-<id>.scope`) is the pod's and no
/// container's. Paths of more than 4096 bytes, and whatever else is none of these, are nobody's.
KUBEXX_EXPORT CgroupIdentity parse_cgroup(std::string_view path) noexcept;

/// The id itself of "containerd://<id>" or "<id>": at most 128 letters, digits, '-', '_' and '.'. Empty: it is none.
KUBEXX_EXPORT std::string_view bare_container_id(std::string_view text) noexcept;

}  // namespace kubexx::agent
