#include "kubexx/agent/identity.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kubexx::agent {
namespace {

const std::string kUid = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
const std::string kEscapedUid = "0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0";
const std::string kStaticUid = "0123456789abcdef0123456789abcdef";
const std::string kId(64, 'a');
const std::string kOtherId(64, 'b');

struct CgroupCase {
  std::string claim;
  std::string path;
  std::string pod;
  std::string container;
};

const std::string kSystemd =
    "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + kEscapedUid + ".slice/";
const std::string kCgroupfs = "/kubepods/burstable/pod" + kUid + "/";

std::vector<CgroupCase> written_by_runtimes() {
  const auto other_uid = "ffffffff" + kUid.substr(8);
  return {
      {"containerd, systemd, v2", "0::" + kSystemd + "cri-containerd-" + kId + ".scope", kUid, kId},
      {"containerd, systemd, v1", "4:cpu,cpuacct:" + kSystemd + "cri-containerd-" + kId + ".scope", kUid, kId},
      {"CRI-O, systemd", kSystemd + "crio-" + kId + ".scope", kUid, kId},
      {"docker, systemd", kSystemd + "docker-" + kId + ".scope", kUid, kId},
      {"guaranteed, systemd", "/kubepods.slice/kubepods-pod" + kEscapedUid + ".slice/crio-" + kId + ".scope", kUid,
       kId},
      {"best effort, systemd",
       "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" + kEscapedUid + ".slice/docker-" + kId +
           ".scope",
       kUid, kId},
      {"containerd and docker, cgroupfs", "11:memory:" + kCgroupfs + kId, kUid, kId},
      {"CRI-O, cgroupfs", kCgroupfs + "crio-" + kId, kUid, kId},
      {"guaranteed, cgroupfs", "/kubepods/pod" + kUid + "/" + kId, kUid, kId},
      {"a name of its own, v1", "1:name=systemd:" + kCgroupfs + kId, kUid, kId},
      {"cgroups of the container's own, systemd", kSystemd + "crio-" + kId + ".scope/container/init.scope", kUid, kId},
      {"cgroups of the container's own, cgroupfs", kCgroupfs + kId + "/system.slice/x.service", kUid, kId},
      {"containers inside the container", kCgroupfs + kId + "/docker/" + kOtherId, kUid, kId},
      {"a cluster inside the container", kCgroupfs + kId + "/kubelet/kubepods/pod" + other_uid + "/" + kOtherId, kUid,
       kId},
      {"a node that is a container", "/docker/" + kOtherId + "/kubelet" + kCgroupfs + kId, kUid, kId},
      {"a node that is a container, systemd",
       "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod" +
           kEscapedUid + ".slice/cri-containerd-" + kId + ".scope",
       kUid, kId},
      {"kubelet with systemd, containerd without",
       "/system.slice/containerd.service/kubepods-burstable-pod" + kEscapedUid + ".slice:cri-containerd:" + kId, kUid,
       kId},
      {"a static pod",
       "/kubepods.slice/kubepods-burstable-pod" + kStaticUid + ".slice/cri-containerd-" + kId + ".scope", kStaticUid,
       kId},
      {"the pod itself", "/kubepods/burstable/pod" + kUid, kUid, ""},
      {"the pod itself, with a slash", kSystemd, kUid, ""},
      {"CRI-O's monitor", kSystemd + "crio-conmon-" + kId + ".scope", kUid, ""},
      {"seen from a cgroup namespace", "0::/../cri-containerd-" + kId + ".scope", "", kId},
      {"a line with its end", "0::" + kCgroupfs + kId + "\n", kUid, kId},
      {"a container of docker alone", "/docker/" + kId, "", kId},
  };
}

TEST(CgroupTest, PathsOfEveryRuntimeAndDriverSayPodAndContainer) {
  for (const auto& each : written_by_runtimes()) {
    const auto found = parse_cgroup(each.path);
    EXPECT_EQ(found.pod.text(), each.pod) << each.claim;
    EXPECT_EQ(found.container_id, each.container) << each.claim;
  }
}

TEST(CgroupTest, WhatIsNoPathOfAPodIsNobodys) {
  const std::vector<std::string> others = {
      "",
      "/",
      "0::/",
      "0::/system.slice/sshd.service",
      "/user.slice/user-1000.slice/session-2.scope",
      "/kubepods.slice/kubepods-burstable.slice",
      "/kubepods/burstable/pod",
      "/kubepods/burstable/podman/x",
      "/kubepods/burstable/pod" + kUid.substr(1),
      "/kubepods/burstable/pod" + kUid + "0",
      "/kubepods/burstable/podZf1e2d3c" + kUid.substr(8),
      "/machine.slice/libpod-conmon-" + kId + ".scope",
      "/a/" + kId.substr(1),
      "/a/" + kId + "a",
      "/a/" + std::string(64, 'G'),
      "/a/" + std::string(33, 'x') + "-" + kId,
      "/kubepods-pod" + kEscapedUid + ".slice:",
      "12",
      "12:",
      "12::",
      std::string(5000, '/'),
      std::string(4096, ':'),
      "0::" + kCgroupfs + kId + std::string(5000, 'x'),
      std::string("/kubepods/pod") + '\0' + kUid,
      std::string("\xff\xfe\x00/pod", 7),
  };
  for (const auto& each : others) EXPECT_FALSE(parse_cgroup(each)) << each;
}

TEST(CgroupTest, EveryBeginningOfAPathIsReadWithinItsBounds) {
  for (const auto& each : written_by_runtimes()) {
    for (std::size_t size = 0; size <= each.path.size(); ++size) {
      const std::string beginning = each.path.substr(0, size);  // a copy: what is behind its end is not ours to read
      const auto found = parse_cgroup(beginning);
      EXPECT_TRUE(found.container_id.empty() || found.container_id.size() == 64U);
      EXPECT_TRUE(found.pod.empty() || found.pod.text().size() == 36U || found.pod.text().size() == 32U);
    }
  }
}

TEST(ContainerIdTest, TheRuntimesPrefixIsTakenAway) {
  for (const auto* runtime : {"", "containerd://", "cri-o://", "docker://", "rkt-2.0://"})
    EXPECT_EQ(bare_container_id(runtime + kId), kId) << runtime;
  EXPECT_EQ(bare_container_id("containerd://short_id.1"), "short_id.1");
}

TEST(ContainerIdTest, WhatIsNoIdIsEmpty) {
  for (const std::string& each :
       {std::string(), std::string("containerd://"), "://" + kId, "con tainerd://" + kId, "containerd:///" + kId,
        "containerd://" + kId + "/", "a\n" + kId, std::string(129, 'a'), std::string(33, 'r') + "://" + kId,
        "containerd://docker://" + kId, std::string(1 << 20, 'a') + "://", std::string("a\0b", 3)})
    EXPECT_EQ(bare_container_id(each), "") << each;
}

TEST(PodUidTest, IsWrittenAsTheApiWritesIt) {
  EXPECT_EQ(PodUid::parse(kUid)->text(), kUid);
  EXPECT_EQ(PodUid::parse(kEscapedUid)->text(), kUid);
  EXPECT_EQ(PodUid::parse(kStaticUid)->text(), kStaticUid);
  EXPECT_FALSE(PodUid::parse(""));
  EXPECT_FALSE(PodUid::parse(std::string(36, '-')));
  EXPECT_FALSE(PodUid::parse(std::string(36, 'a')));
}

}  // namespace
}  // namespace kubexx::agent
