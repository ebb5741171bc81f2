#include "kubexx/agent/identity.hpp"

#include <algorithm>
#include <cstring>

#include "base/internal/text.hpp"

namespace kubexx::agent {
namespace {

constexpr std::size_t kLongestPath = 4096;  // PATH_MAX; the kernel gives no longer ones
constexpr std::size_t kLongestId = 128;
constexpr std::size_t kLongestRuntime = 32;
constexpr std::size_t kIdSize = 64;  // of containerd, CRI-O and docker
constexpr std::size_t kUidSize = 36;
constexpr std::size_t kMirrorUidSize = 32;  // of a static pod, as the kubelet makes it

bool is_hex(char c) noexcept {
  const auto digit = static_cast<unsigned char>(c - '0');
  const auto letter = static_cast<unsigned char>(c - 'a');
  return (digit <= 9) | (letter <= 5);
}
bool is_small(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z');
}
bool is_name(char c) noexcept {
  return is_small(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}
constexpr std::string_view kSlice = ".slice";
constexpr std::size_t kShortestPod = 3 + kMirrorUidSize;  // "pod<uid>"

/// How many of the first bytes are no hexadecimal digits. Look-ups are made for every process and packet: a number of
/// bytes that the compiler knows and no way out of the loop let it take sixteen at a time.
template <std::size_t kSize>
unsigned count_others(const char* text) noexcept {
  unsigned char others = 0;
  for (std::size_t i = 0; i < kSize; ++i) others = static_cast<unsigned char>(others + (is_hex(text[i]) ? 0 : 1));
  return others;
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
  int colons = 0;  // a few bytes apart: a call to find them takes longer
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ':' && ++colons == 2) return line.substr(i + 1);
  }
  return line;
}

/// "kubepods-burstable-pod<uid>.slice" of the systemd driver, "pod<uid>" of cgroupfs.
bool read_pod(std::string_view part, PodUid& out) noexcept {
  constexpr std::string_view kPod = "pod";
  if (!part.ends_with(kSlice)) return part.starts_with(kPod) && out.assign(part.substr(kPod.size()));
  part.remove_suffix(kSlice.size());
  for (const std::size_t size : {kUidSize, kMirrorUidSize}) {
    if (part.size() < size + kPod.size() + 1) continue;
    const auto before = part.size() - size - kPod.size() - 1;
    if (part.substr(before, kPod.size() + 1) != "-pod") continue;
    if (!part.starts_with("kubepods") && part.find("kubepods") > before) continue;
    return out.assign(part.substr(part.size() - size));
  }
  return false;
}

/// "<id>", "crio-<id>", "cri-containerd-<id>.scope" and their like.
std::string_view container_of_part(std::string_view part) noexcept {
  if (part.ends_with(".scope")) part.remove_suffix(std::string_view(".scope").size());
  if (part.size() < kIdSize || part.size() > kIdSize + kLongestRuntime) return {};
  const auto id = part.substr(part.size() - kIdSize);
  const auto runtime = part.substr(0, part.size() - kIdSize);
  if (count_others<kIdSize>(id.begin()) != 0) return {};
  if (runtime.empty() || runtime == "cri-containerd-" || runtime == "crio-" || runtime == "docker-") return id;
  const bool well =
      runtime.back() == '-' && std::ranges::all_of(runtime, [](char c) { return is_small(c) || c == '-'; });
  return well && runtime.find("conmon") == std::string_view::npos ? id : std::string_view();
}

/// Where the kubelet has the systemd driver and containerd has not: "<slice of the pod>:cri-containerd:<id>".
bool read_pod_and_container(std::string_view part, CgroupIdentity& out) noexcept {
  const auto first = part.find(':');
  const auto last = part.rfind(':');
  if (first == std::string_view::npos || first == last || !read_pod(part.substr(0, first), out.pod)) return false;
  out.container_id = container_of_part(part.substr(last + 1));
  return true;
}

}  // namespace

std::optional<PodUid> PodUid::parse(std::string_view text) noexcept {
  PodUid uid;
  return uid.assign(text) ? std::optional(uid) : std::nullopt;
}

bool PodUid::assign(std::string_view text) noexcept {
  if (text.size() != kUidSize && text.size() != kMirrorUidSize) return false;
  const bool dashed = text.size() == kUidSize;
  unsigned others = count_others<kMirrorUidSize>(text.begin());
  if (dashed) others += count_others<kUidSize - kMirrorUidSize>(text.begin() + kMirrorUidSize);
  if (others != (dashed ? 4U : 0U)) return false;
  constexpr std::size_t kDashes[] = {8, 13, 18, 23};
  const auto is_dash = [text](std::size_t at) { return text[at] == '-' || text[at] == '_'; };
  if (dashed && !std::ranges::all_of(kDashes, is_dash)) return false;
  std::memcpy(text_.data(), text.data(), text.size());
  size_ = static_cast<std::uint8_t>(text.size());
  if (dashed) {
    for (const std::size_t at : kDashes) text_[at] = '-';
  }
  return true;
}

CgroupIdentity parse_cgroup(std::string_view path) noexcept {
  CgroupIdentity found;  // made in its last place: a copy of what was just written would wait for it
  if (path.size() > kLongestPath) return found;
  for (path = path_of_line(path); !path.empty();) {
    const auto part = next_part(path);
    if (part.size() < kShortestPod) continue;  // nor is it a container's
    if (part.size() > kIdSize && !part.ends_with(kSlice)) {
      if (read_pod_and_container(part, found)) return found;
    }
    if (read_pod(part, found.pod)) {
      found.container_id = container_of_part(next_part(path));
      return found;
    }
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
  if (text.size() == kIdSize && count_others<kIdSize>(text.begin()) == 0) return text;  // as nearly all are
  return text.size() <= kLongestId && std::ranges::all_of(text, is_name) ? text : std::string_view();
}

}  // namespace kubexx::agent
