#include "apiserver/schema/defaults.hpp"

#include "apiserver/schema/definitions.hpp"
#include "base/internal/base64.hpp"

namespace kubexx::apiserver {
namespace {

using meta::DraftRef;

template <class T>
void fallback(DraftRef place, T value) {
  if (!place.exists() || place.type() == meta::ValueType::Null) place.set(value);
}
// For texts that are written as empty when they are missing.
void fallback_text(DraftRef place, std::string_view value) {
  if (place.string().empty()) place.set(value);
}

void probe(DraftRef place) {
  if (!place.exists()) return;
  if (place["httpGet"].exists()) {
    fallback_text(place["httpGet"]["path"], "/");
    fallback_text(place["httpGet"]["scheme"], "HTTP");
  }
  fallback(place["timeoutSeconds"], 1);
  fallback(place["periodSeconds"], 10);
  fallback(place["successThreshold"], 1);
  fallback(place["failureThreshold"], 3);
}

void container(DraftRef place) {
  fallback_text(place["terminationMessagePath"], "/dev/termination-log");
  fallback_text(place["terminationMessagePolicy"], "File");
  if (place["imagePullPolicy"].string().empty()) {
    const std::string_view image = place["image"].string();
    const std::size_t slash = image.rfind('/');
    const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
    const std::size_t colon = last.rfind(':');
    const bool pinned = image.find('@') != std::string_view::npos ||
                        (colon != std::string_view::npos && last.substr(colon) != ":latest");
    place["imagePullPolicy"].set(pinned ? "IfNotPresent" : "Always");
  }
  for (std::size_t i = 0; i < place["ports"].size(); ++i) fallback_text(place["ports"][i]["protocol"], "TCP");
  for (const char* name : {"livenessProbe", "readinessProbe", "startupProbe"}) probe(place[name]);
  for (std::size_t i = 0; i < place["env"].size(); ++i) {
    const DraftRef field = place["env"][i]["valueFrom"]["fieldRef"];
    if (field.exists()) fallback_text(field["apiVersion"], "v1");
  }
}

void volume(DraftRef place) {
  if (place["secret"].exists()) fallback(place["secret"]["defaultMode"], 420);
  if (place["configMap"].exists()) fallback(place["configMap"]["defaultMode"], 420);
  if (place["downwardAPI"].exists()) fallback(place["downwardAPI"]["defaultMode"], 420);
  if (place["hostPath"].exists()) fallback(place["hostPath"]["type"], "");
  if (place["projected"].exists()) {
    fallback(place["projected"]["defaultMode"], 420);
    const DraftRef sources = place["projected"]["sources"];
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i]["serviceAccountToken"].exists())
        fallback(sources[i]["serviceAccountToken"]["expirationSeconds"], 3600);
      const DraftRef items = sources[i]["downwardAPI"]["items"];
      for (std::size_t k = 0; k < items.size(); ++k) {
        if (items[k]["fieldRef"].exists()) fallback_text(items[k]["fieldRef"]["apiVersion"], "v1");
      }
    }
  }
}

void pod_spec(DraftRef spec) {
  if (!spec.exists()) return;
  fallback_text(spec["restartPolicy"], "Always");
  fallback(spec["terminationGracePeriodSeconds"], 30);
  fallback_text(spec["dnsPolicy"], "ClusterFirst");
  if (!spec["securityContext"].exists()) spec["securityContext"].set_map();
  fallback_text(spec["schedulerName"], "default-scheduler");
  for (const char* list : {"initContainers", "containers"}) {
    for (std::size_t i = 0; i < spec[list].size(); ++i) container(spec[list][i]);
  }
  for (std::size_t i = 0; i < spec["volumes"].size(); ++i) volume(spec["volumes"][i]);
}

// A pod's limits are its requests unless it says otherwise; templates are left as they are.
void requests_from_limits(DraftRef spec) {
  for (const char* list : {"initContainers", "containers"}) {
    for (std::size_t i = 0; i < spec[list].size(); ++i) {
      const DraftRef resources = spec[list][i]["resources"];
      for (const std::string& name : resources["limits"].keys()) {
        if (!resources["requests"][name].exists()) resources["requests"][name].set(resources["limits"][name]);
      }
    }
  }
}

void service(DraftRef spec) {
  fallback_text(spec["type"], "ClusterIP");
  fallback_text(spec["sessionAffinity"], "None");
  const bool external = spec["type"].string() == "ExternalName";
  if (!external) fallback(spec["internalTrafficPolicy"], "Cluster");
  if (spec["type"].string() == "NodePort" || spec["type"].string() == "LoadBalancer")
    fallback_text(spec["externalTrafficPolicy"], "Cluster");
  if (spec["type"].string() == "LoadBalancer") fallback(spec["allocateLoadBalancerNodePorts"], true);
  for (std::size_t i = 0; i < spec["ports"].size(); ++i) {
    const DraftRef port = spec["ports"][i];
    fallback_text(port["protocol"], "TCP");
    if (!port["targetPort"].exists() || (port["targetPort"].int_or(-1) == 0 && port["targetPort"].string().empty()))
      port["targetPort"].set(port["port"].int_or(0));
  }
}

void deployment(DraftRef spec) {
  fallback(spec["replicas"], 1);
  fallback_text(spec["strategy"]["type"], "RollingUpdate");
  if (spec["strategy"]["type"].string() == "RollingUpdate") {
    fallback(spec["strategy"]["rollingUpdate"]["maxUnavailable"], "25%");
    fallback(spec["strategy"]["rollingUpdate"]["maxSurge"], "25%");
  }
  fallback(spec["revisionHistoryLimit"], 10);
  fallback(spec["progressDeadlineSeconds"], 600);
}

void stateful_set(DraftRef spec) {
  fallback(spec["replicas"], 1);
  fallback_text(spec["podManagementPolicy"], "OrderedReady");
  fallback_text(spec["updateStrategy"]["type"], "RollingUpdate");
  if (spec["updateStrategy"]["type"].string() == "RollingUpdate")
    fallback(spec["updateStrategy"]["rollingUpdate"]["partition"], 0);
  fallback(spec["revisionHistoryLimit"], 10);
  fallback_text(spec["persistentVolumeClaimRetentionPolicy"]["whenDeleted"], "Retain");
  fallback_text(spec["persistentVolumeClaimRetentionPolicy"]["whenScaled"], "Retain");
  for (std::size_t i = 0; i < spec["volumeClaimTemplates"].size(); ++i) {
    const DraftRef claim = spec["volumeClaimTemplates"][i];
    fallback_text(claim["kind"], "PersistentVolumeClaim");
    fallback_text(claim["apiVersion"], "v1");
    fallback_text(claim["spec"]["volumeMode"], "Filesystem");
    fallback_text(claim["status"]["phase"], "Pending");
  }
}

void daemon_set(DraftRef spec) {
  fallback_text(spec["updateStrategy"]["type"], "RollingUpdate");
  if (spec["updateStrategy"]["type"].string() == "RollingUpdate") {
    fallback(spec["updateStrategy"]["rollingUpdate"]["maxUnavailable"], 1);
    fallback(spec["updateStrategy"]["rollingUpdate"]["maxSurge"], 0);
  }
  fallback(spec["revisionHistoryLimit"], 10);
}

void job(DraftRef spec) {
  if (!spec["completions"].exists() && !spec["parallelism"].exists()) {
    spec["completions"].set(1);
    spec["parallelism"].set(1);
  }
  fallback(spec["parallelism"], 1);
  fallback(spec["backoffLimit"], 6);
  fallback(spec["completionMode"], "NonIndexed");
  fallback(spec["suspend"], false);
  fallback(spec["podReplacementPolicy"], "TerminatingOrFailed");
  pod_spec(spec["template"]["spec"]);
}

void core_defaults(const std::string& resource, meta::Draft& draft) {
  const DraftRef spec = draft["spec"];
  if (resource == "pods") {
    pod_spec(spec);
    fallback(spec["enableServiceLinks"], true);
    requests_from_limits(spec);
  } else if (resource == "podtemplates") {
    pod_spec(draft["template"]["spec"]);
  } else if (resource == "replicationcontrollers") {
    fallback(spec["replicas"], 1);
    pod_spec(spec["template"]["spec"]);
  } else if (resource == "services") {
    service(spec);
  } else if (resource == "secrets") {
    fallback_text(draft["type"], "Opaque");
    for (const std::string& key : draft["stringData"].keys())
      draft["data"][key].set(base64_encode(draft["stringData"][key].string()));
    draft["stringData"].erase();
  } else if (resource == "persistentvolumes") {
    fallback_text(spec["persistentVolumeReclaimPolicy"], "Retain");
    fallback(spec["volumeMode"], "Filesystem");
  } else if (resource == "persistentvolumeclaims") {
    fallback(spec["volumeMode"], "Filesystem");
  }
}

}  // namespace

void set_defaults(const Resource& resource, meta::Draft& draft) {
  if (resource.custom) return;
  const DraftRef spec = draft["spec"];
  if (resource.group.empty()) return core_defaults(resource.resource, draft);
  if (resource.group == "apps" || resource.group == "extensions") {
    if (resource.resource == "deployments") deployment(spec);
    if (resource.resource == "replicasets") fallback(spec["replicas"], 1);
    if (resource.resource == "statefulsets") stateful_set(spec);
    if (resource.resource == "daemonsets") daemon_set(spec);
    if (resource.resource != "controllerrevisions") pod_spec(spec["template"]["spec"]);
  } else if (resource.group == "batch") {
    if (resource.resource == "jobs") job(spec);
    if (resource.resource == "cronjobs") {
      fallback_text(spec["concurrencyPolicy"], "Allow");
      fallback(spec["suspend"], false);
      fallback(spec["successfulJobsHistoryLimit"], 3);
      fallback(spec["failedJobsHistoryLimit"], 1);
      pod_spec(spec["jobTemplate"]["spec"]["template"]["spec"]);
    }
  } else if (resource.group == "networking.k8s.io" && resource.resource == "networkpolicies") {
    if (spec["policyTypes"].size() == 0) {
      spec["policyTypes"].append("Ingress");
      if (spec["egress"].size() > 0) spec["policyTypes"].append("Egress");
    }
  } else if (resource.group == "rbac.authorization.k8s.io") {
    if (draft["roleRef"].exists()) fallback_text(draft["roleRef"]["apiGroup"], "rbac.authorization.k8s.io");
    for (std::size_t i = 0; i < draft["subjects"].size(); ++i) {
      const DraftRef subject = draft["subjects"][i];
      const std::string_view kind = subject["kind"].string();
      if (kind == "User" || kind == "Group") fallback_text(subject["apiGroup"], "rbac.authorization.k8s.io");
    }
  } else if (resource.group == "storage.k8s.io" && resource.resource == "storageclasses") {
    fallback(draft["reclaimPolicy"], "Delete");
    fallback(draft["volumeBindingMode"], "Immediate");
  } else if (resource.group == "scheduling.k8s.io" && resource.resource == "priorityclasses") {
    fallback(draft["preemptionPolicy"], "PreemptLowerPriority");
  } else if (resource.group == "autoscaling" && resource.resource == "horizontalpodautoscalers") {
    fallback(spec["minReplicas"], 1);
  } else if (resource.group == "apiextensions.k8s.io") {
    default_definition(draft);
  }
}

}  // namespace kubexx::apiserver
