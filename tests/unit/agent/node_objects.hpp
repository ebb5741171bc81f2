#pragma once

#include <string>

#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::agent {

/// A uid and a container id that a number stands for.
inline std::string uid_of(int number) {
  auto digits = std::to_string(number);
  return "00000000-0000-0000-0000-" + std::string(12 - digits.size(), '0') + digits;
}
inline std::string id_of(int number) {
  auto digits = std::to_string(number);
  return std::string(64 - digits.size(), 'c') + digits;
}

struct PodOf {
  std::string name = "web";
  int number = 1;  ///< of its uid, and of its container's id
  std::string address = {};
  std::string controller = {};  ///< "ReplicaSet/web-1"
  std::string node = "here";
};

/// A running pod with one container, "app".
inline meta::Draft pod_of(const PodOf& pod) {
  meta::Draft draft;
  draft["apiVersion"].set("v1");
  draft["kind"].set("Pod");
  const auto metadata = draft["metadata"];
  metadata["namespace"].set("shop");
  metadata["name"].set(pod.name);
  metadata["uid"].set(uid_of(pod.number));
  metadata["creationTimestamp"].set("2026-01-01T00:00:00Z");
  metadata["labels"]["app"].set(pod.name);
  metadata["annotations"]["example.com/long"].set(std::string(1000, 'x'));
  if (const auto slash = pod.controller.find('/'); slash != std::string::npos) {
    const auto owner = metadata["ownerReferences"].append();
    const auto kind = pod.controller.substr(0, slash);
    owner["apiVersion"].set(kind == "Job" ? "batch/v1" : "apps/v1");
    owner["kind"].set(kind);
    owner["name"].set(pod.controller.substr(slash + 1));
    owner["uid"].set("uid-of-" + pod.controller.substr(slash + 1));
    owner["controller"].set(true);
  }
  draft["spec"]["nodeName"].set(pod.node);
  const auto spec = draft["spec"]["containers"].append();
  spec["name"].set("app");
  spec["image"].set("app:1");
  draft["status"]["phase"].set("Running");
  if (!pod.address.empty()) {
    draft["status"]["podIP"].set(pod.address);
    draft["status"]["podIPs"].append()["ip"].set(pod.address);
  }
  const auto container = draft["status"]["containerStatuses"].append();
  container["name"].set("app");
  container["containerID"].set("containerd://" + id_of(pod.number));
  return draft;
}

/// A ReplicaSet or Job that `above` ("Deployment/web") controls; nobody: "".
inline meta::Object owner_of(const std::string& kind, const std::string& name, const std::string& above) {
  meta::Draft draft;
  draft["apiVersion"].set(kind == "Job" ? "batch/v1" : "apps/v1");
  draft["kind"].set(kind);
  draft["metadata"]["namespace"].set("shop");
  draft["metadata"]["name"].set(name);
  draft["metadata"]["uid"].set("uid-of-" + name);
  if (const auto slash = above.find('/'); slash != std::string::npos) {
    const auto owner = draft["metadata"]["ownerReferences"].append();
    owner["apiVersion"].set(kind == "Job" ? "batch/v1" : "apps/v1");
    owner["kind"].set(above.substr(0, slash));
    owner["name"].set(above.substr(slash + 1));
    owner["uid"].set("uid-of-" + above.substr(slash + 1));
    owner["controller"].set(true);
  }
  return draft.to_object();
}

}  // namespace kubexx::agent
