#include "agent/pod_source.hpp"

#include <utility>
#include <vector>

#include "agent/pod_record.hpp"
#include "kubexx/informer/client_lister_watcher.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::agent {
namespace {

const meta::GroupVersionResource kPods{"", "v1", "pods"};

/// What is needed of a pod, and nothing else.
meta::Projection wanted_of_pods() {
  std::vector<std::string> paths = {"metadata.labels",
                                    "metadata.ownerReferences",
                                    "metadata.creationTimestamp",
                                    "metadata.deletionTimestamp",
                                    "metadata.annotations",
                                    "spec.nodeName",
                                    "spec.hostNetwork",
                                    "status.phase",
                                    "status.podIP",
                                    "status.podIPs"};
  for (const std::string list : {"initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"}) {
    for (const auto* field : {"name", "containerID", "lastState.terminated.containerID"})
      paths.push_back("status." + list + "." + field);
  }
  return meta::Projection::paths(std::move(paths)).value();
}

/// Of the annotations only the one that names a static pod: they can be long, and no path can choose one.
Result<meta::Object> without_annotations(meta::Object pod) {
  const auto annotations = pod.annotations();
  const auto mirror = annotations[kMirrorAnnotation].string();
  if (annotations.size() == (mirror.empty() ? 0U : 1U)) return pod;
  auto draft = pod.edit();
  draft["metadata"].erase("annotations");
  if (!mirror.empty()) draft["metadata"]["annotations"][kMirrorAnnotation].set(mirror);
  return draft.to_object();
}

}  // namespace

std::shared_ptr<informer::SharedIndexInformer> make_pod_informer(const rest::Client& client, const std::string& node) {
  informer::ClientSourceOptions source;
  source.projection = wanted_of_pods();
  source.format = rest::Format::Protobuf;
  source.tweak = [node](meta::ListOptions& query) {
    query.field_selector = meta::FieldSelector::equals("spec.nodeName", node).to_string();
  };
  informer::InformerOptions wanted;
  wanted.name = "pods of " + node;
  wanted.description = "pods";
  wanted.resource = kPods;
  wanted.admit = [node](const meta::Object& pod) { return pod["spec"]["nodeName"].string() == node; };
  wanted.transform = without_annotations;
  wanted.executor = client.executor();
  wanted.handlers = client.handlers();
  wanted.metrics = client.metrics();
  return informer::SharedIndexInformer::create(informer::make_client_lister_watcher(client, kPods, std::move(source)),
                                               std::move(wanted));
}

}  // namespace kubexx::agent
