#include "apiserver/verbs/admission.hpp"

namespace kubexx::apiserver {
namespace {

using meta::DraftRef;

// Guaranteed, Burstable or BestEffort, from requests and limits of cpu and memory.
std::string_view qos_class(DraftRef spec) {
  bool any = false;
  bool guaranteed = true;
  for (const char* list : {"initContainers", "containers"}) {
    for (std::size_t i = 0; i < spec[list].size(); ++i) {
      const DraftRef resources = spec[list][i]["resources"];
      for (const char* name : {"cpu", "memory"}) {
        const std::string_view request = resources["requests"][name].string();
        const std::string_view limit = resources["limits"][name].string();
        any |= !request.empty() || !limit.empty();
        guaranteed &= !limit.empty() && (request.empty() || request == limit);
      }
    }
  }
  return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
}

void tolerate(DraftRef spec, std::string_view key) {
  const DraftRef list = spec["tolerations"];
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string_view effect = list[i]["effect"].string();
    if ((list[i]["key"].string() == key ||
         (list[i]["key"].string().empty() && list[i]["operator"].string() == "Exists")) &&
        (effect == "NoExecute" || effect.empty()))
      return;
  }
  const DraftRef entry = list.append();
  entry["key"].set(key);
  entry["operator"].set("Exists");
  entry["effect"].set("NoExecute");
  entry["tolerationSeconds"].set(300);
}

void admit_pod(meta::Draft& draft) {
  const DraftRef spec = draft["spec"];
  tolerate(spec, "node.kubernetes.io/not-ready");
  tolerate(spec, "node.kubernetes.io/unreachable");
  if (!spec["priority"].exists()) spec["priority"].set(0);
  if (!spec["preemptionPolicy"].exists()) spec["preemptionPolicy"].set("PreemptLowerPriority");
  draft["status"]["phase"].set("Pending");
  draft["status"]["qosClass"].set(qos_class(spec));
}

}  // namespace

void admit_create(Cluster& cluster, const Resource& resource, meta::Draft& draft) {
  if (!resource.group.empty()) {
    if (resource.group == "apps" && resource.resource == "daemonsets")
      draft["metadata"]["annotations"]["deprecated.daemonset.template.generation"].set("1");
    if (resource.group == "batch" && resource.resource == "jobs" && !draft["spec"]["manualSelector"].bool_or(false)) {
      const std::string uid(draft["metadata"]["uid"].string());
      const std::string name(draft["metadata"]["name"].string());
      draft["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"].set(uid);
      const DraftRef labels = draft["spec"]["template"]["metadata"]["labels"];
      labels["batch.kubernetes.io/controller-uid"].set(uid);
      labels["batch.kubernetes.io/job-name"].set(name);
      labels["controller-uid"].set(uid);
      labels["job-name"].set(name);
    }
    return;
  }
  if (resource.resource == "pods") {
    admit_pod(draft);
  } else if (resource.resource == "namespaces") {
    draft["metadata"]["labels"]["kubernetes.io/metadata.name"].set(draft["metadata"]["name"].string());
    draft["spec"]["finalizers"].erase();
    draft["spec"]["finalizers"].append("kubernetes");
    draft["status"]["phase"].set("Active");
  } else if (resource.resource == "persistentvolumeclaims" || resource.resource == "persistentvolumes") {
    draft["status"]["phase"].set("Pending");
  } else if (resource.resource == "services") {
    const DraftRef spec = draft["spec"];
    const std::string_view type = spec["type"].string();
    if (type != "ExternalName" && spec["clusterIP"].string().empty()) {
      const std::uint32_t number = cluster.next_service_address++;
      const std::string address = "10." + std::to_string(96 + (number >> 16) % 16) + '.' +
                                  std::to_string((number >> 8) & 255) + '.' + std::to_string(number & 255);
      spec["clusterIP"].set(address);
    }
    if (type != "ExternalName") {
      if (!spec["clusterIPs"].exists()) spec["clusterIPs"].append(std::string(spec["clusterIP"].string()));
      if (!spec["ipFamilies"].exists()) spec["ipFamilies"].append("IPv4");
      if (!spec["ipFamilyPolicy"].exists()) spec["ipFamilyPolicy"].set("SingleStack");
    }
    if (type == "NodePort" || type == "LoadBalancer") {
      for (std::size_t i = 0; i < spec["ports"].size(); ++i) {
        if (spec["ports"][i]["nodePort"].int_or(0) == 0)
          spec["ports"][i]["nodePort"].set(static_cast<std::int64_t>(30000 + cluster.environment.random.below(2768)));
      }
    }
  }
}

void keep_on_update(const Resource& resource, const meta::Object& old, meta::Draft& draft) {
  if (!resource.group.empty()) return;
  const meta::Value spec = old["spec"];
  if (resource.resource == "services") {
    for (const char* field : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      if (!draft["spec"][field].exists() || draft["spec"][field].string().empty()) {
        if (draft["spec"][field].size() == 0 && spec[field].exists()) draft["spec"][field].set(spec[field]);
      }
    }
  } else if (resource.resource == "namespaces") {
    draft["spec"]["finalizers"].set(spec["finalizers"]);
  } else if (resource.resource == "pods") {
    // Admission put these in; an update that was made from the first manifest does not have them.
    for (const char* field : {"priority", "preemptionPolicy", "nodeName", "tolerations"}) {
      if (!draft["spec"][field].exists() && spec[field].exists()) draft["spec"][field].set(spec[field]);
    }
  }
}

}  // namespace kubexx::apiserver
