#include "kubexx/agent/identity.hpp"

#include <algorithm>

namespace kubexx::agent {
namespace {

constexpr std::size_t kLongestPath = 4096;  // PATH_MAX; the kernel gives no longer ones
constexpr std::size_t kLongestId = 128;
constexpr std::size_t kLongestRuntime = 32;
constexpr std::size_t kIdSize = 64;  // of containerd, CRI-O and docker

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}
bool is_small(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z');
}
bool is_name(char c) noexcept {
  return is_small(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

/// Takes the next part of a path away from it.
std::string_view next_part(std::string_view& path) noexcept {
  const auto slash = std::min(path.find('/'), path.size());
  const auto part = path.substr(0, slash);
  path.remove_prefix(std::min(slash + 1, path.size()));
  return part;
}

/// "12:cpu,memory:/a/b" and "0::/a/b" are lines of /proc/PID/cgroup; the path is what follows.
std::string_view path_of_line(std::string_view line) noexcept {
  line = line.substr(0, line.find('\n'));
  if (line.empty() || !is_digit(line.front())) return line;
  const auto first = line.find(':');
  const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
  return second == std::string_view::npos ? line : line.substr(second + 1);
}

/// "kubepods-burstable-pod<uid>.slice" of the systemd driver, "pod<uid>" of cgroupfs.
std::optional<PodUid> pod_of_part(std::string_view part) noexcept {
  if (part.ends_with(".slice")) {
    part.remove_suffix(std::string_view(".slice").size());
    const auto before = part.rfind("-pod");  // the uid has no '-' here
    if (before == std::string_view::npos || part.find("kubepods") > before) return std::nullopt;
    part.remove_prefix(before + 1);
  }
  if (!part.starts_with("pod")) return std::nullopt;
  return PodUid::parse(part.substr(3));
}

/// "<id>", "crio-<id>", "cri-containerd-<id>.scope" and their like.
std::string_view container_of_part(std::string_view part) noexcept {
  if (part.ends_with(".scope")) part.remove_suffix(std::string_view(".scope").size());
  if (part.size() < kIdSize || part.size() > kIdSize + kLongestRuntime) return {};
  const auto id = part.substr(part.size() - kIdSize);
  const auto runtime = part.substr(0, part.size() - kIdSize);
  if (!std::ranges::all_of(id, is_hex)) return {};
  if (runtime.empty()) return id;
  const bool well =
      runtime.back() == '-' && std::ranges::all_of(runtime, [](char c) { return is_small(c) || c == '-'; });
  return well && runtime.find("conmon") == std::string_view::npos ? id : std::string_view();
}

/// Where the kubelet has the systemd driver and containerd has not: "<slice of the pod>:cri-containerd:<id>".
CgroupIdentity pod_and_container_of_part(std::string_view part) noexcept {
  const auto first = part.find(':');
  const auto last = part.rfind(':');
  if (first == std::string_view::npos || first == last) return {};
  const auto pod = pod_of_part(part.substr(0, first));
  return pod ? CgroupIdentity{*pod, container_of_part(part.substr(last + 1))} : CgroupIdentity{};
}

}  // namespace

std::optional<PodUid> PodUid::parse(std::string_view text) noexcept {
  PodUid uid;
  if (text.size() != 36 && text.size() != 32) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = text.size() == 36 && (i == 8 || i == 13 || i == 18 || i == 23);
    if (dash ? text[i] != '-' && text[i] != '_' : !is_hex(text[i])) return std::nullopt;
    uid.text_[i] = dash ? '-' : text[i];
  }
  uid.size_ = static_cast<std::uint8_t>(text.size());
  return uid;
}

CgroupIdentity parse_cgroup(std::string_view path) noexcept {
  if (path.size() > kLongestPath) return {};
  CgroupIdentity found;
  for (path = path_of_line(path); !path.empty();) {
    const auto part = next_part(path);
    if (const auto both = pod_and_container_of_part(part)) return both;
    if (const auto pod = pod_of_part(part)) return {*pod, container_of_part(next_part(path))};
    if (found.container_id.empty()) found.container_id = container_of_part(part);  // unless a pod comes below
  }
  return found;
}

std::string_view bare_container_id(std::string_view text) noexcept {
  if (const auto scheme = text.find("://"); scheme != std::string_view::npos) {
    const auto runtime = text.substr(0, scheme);
    const bool well = !runtime.empty() && runtime.size() <= kLongestRuntime && std::ranges::all_of(runtime, is_name);
    if (!well) return {};
    text.remove_prefix(scheme + 3);
  }
  return text.size() <= kLongestId && std::ranges::all_of(text, is_name) ? text : std::string_view();
}

}  // namespace kubexx::agent
