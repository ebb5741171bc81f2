#include "apiserver/verbs/subresources.hpp"

#include <algorithm>

#include "apiserver/controllers/namespaces.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/http/view.hpp"
#include "apiserver/schema/crd.hpp"
#include "apiserver/schema/typed.hpp"
#include "apiserver/verbs/deletes.hpp"
#include "apiserver/verbs/logs.hpp"
#include "apiserver/verbs/patch.hpp"
#include "apiserver/verbs/reads.hpp"
#include "apiserver/verbs/writes.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/label_selector.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Object;
using meta::Value;

// ".spec.replicas" as a JSON pointer.
std::string pointer(std::string_view path) {
  std::string out(path);
  std::replace(out.begin(), out.end(), '.', '/');
  if (!out.empty() && out.front() != '/') out.insert(out.begin(), '/');
  return out;
}

struct ScalePaths {
  std::string spec_replicas = "/spec/replicas";
  std::string status_replicas = "/status/replicas";
  std::string selector;
};

ScalePaths scale_paths(const Resource& resource) {
  ScalePaths paths;
  if (!resource.custom) return paths;
  const Value scale = resource.custom->version["subresources"]["scale"];
  paths.spec_replicas = pointer(scale["specReplicasPath"].string());
  paths.status_replicas = pointer(scale["statusReplicasPath"].string());
  paths.selector = pointer(scale["labelSelectorPath"].string());
  return paths;
}

Object scale_of(const Resource& resource, const Object& object) {
  const ScalePaths paths = scale_paths(resource);
  meta::Draft scale;
  scale["kind"].set("Scale");
  scale["apiVersion"].set("autoscaling/v1");
  for (const char* field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (object.metadata_value()[field].exists()) scale["metadata"][field].set(object.metadata_value()[field]);
  }
  scale["spec"].set_map();
  if (const std::int64_t replicas = object.at(paths.spec_replicas).int_or(0)) scale["spec"]["replicas"].set(replicas);
  scale["status"]["replicas"].set(object.at(paths.status_replicas).int_or(0));
  std::string selector;
  if (resource.custom) {
    selector = object.at(paths.selector).string();
  } else if (resource.resource == "replicationcontrollers") {
    if (auto parsed = meta::LabelSelector::from_labels(object["spec"]["selector"].entries()))
      selector = parsed->to_string();
  } else if (auto parsed = meta::LabelSelector::from_object(object["spec"]["selector"])) {
    selector = parsed->to_string();
  }
  if (!selector.empty()) scale["status"]["selector"].set(selector);
  return scale.to_object();
}

Answer created() {
  Answer out;
  out.status = 201;
  out.object = created_status();
  return out;
}

Result<void> check_budget(const Cluster& cluster, const Object& pod) {
  const auto budgets = cluster.storage.find("policy", "poddisruptionbudgets");
  if (!budgets) return {};
  for (const auto& [key, budget] : budgets->objects) {
    if (budget.namespace_() != pod.namespace_()) continue;
    auto selector = meta::LabelSelector::from_object(budget["spec"]["selector"]);
    if (!selector || !selector->matches(pod)) continue;
    if (budget["status"]["disruptionsAllowed"].int_or(0) > 0) continue;
    StatusDetails details;
    details.causes.push_back(
        {"DisruptionBudget", "The disruption budget " + std::string(budget.name()) + " needs more healthy pods", ""});
    return Error::api(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.")
        .with_details(std::move(details));
  }
  return {};
}

Result<Answer> serve_scale(Cluster& cluster, Call& call) {
  const Resource& resource = *call.resource;
  const std::string key = storage_key(call.route.namespace_, call.route.name);
  const Object old = resource.bucket->objects.find(key)->second;
  const Object current = scale_of(resource, as_version(old, resource));
  Answer out;
  if (call.route.verb == "get") {
    out.object = current;
    return out;
  }
  Object wanted = call.body;
  if (call.route.verb == "patch") {
    std::string_view type = call.request.header("content-type");
    type = type.substr(0, type.find(';'));
    auto patch = meta::parse_json(call.request.body);
    if (!patch) return bad_request("error decoding patch: " + patch.error().message());
    auto patched = type == "application/json-patch+json" ? meta::apply_json_patch(current.root(), patch->root())
                                                         : meta::apply_merge_patch(current.root(), patch->root());
    if (!patched) return rejected_patch();
    wanted = std::move(*patched);
  }
  const std::int64_t replicas = wanted["spec"]["replicas"].int_or(0);
  if (replicas < 0) {
    return invalid("autoscaling", "Scale", call.route.name,
                   {invalid_value("spec.replicas", std::to_string(replicas), "must be greater than or equal to 0")});
  }
  if (!wanted.resource_version().empty() && wanted.resource_version() != old.resource_version())
    return modified_conflict(resource.group, resource.resource, call.route.name);
  meta::Draft draft = as_version(old, resource).edit();
  draft.at(scale_paths(resource).spec_replicas).set(replicas);
  auto replaced = replace_object(cluster, call, old, draft.to_object(), std::nullopt);
  if (!replaced) return replaced.error();
  out.object = scale_of(resource, replaced->object);
  return out;
}

}  // namespace

Result<Answer> serve_subresource(Cluster& cluster, Call& call) {
  const Resource& resource = *call.resource;
  const std::string& sub = call.route.subresource;
  const std::string key = storage_key(call.route.namespace_, call.route.name);
  const auto it = resource.bucket ? resource.bucket->objects.find(key) : decltype(resource.bucket->objects.find(key))();
  if (!resource.bucket) return unknown_resource();
  if (it == resource.bucket->objects.end()) return not_found(resource.group, resource.resource, call.route.name);
  const Object object = it->second;
  const bool pods = resource.group.empty() && resource.resource == "pods";
  if (sub == "scale") return serve_scale(cluster, call);
  if (pods && sub == "binding" && call.route.verb == "create") {
    const std::string_view node = call.body["target"]["name"].string();
    if (node.empty()) return invalid("", "Binding", call.route.name, {required_value("target.name")});
    if (!object["spec"]["nodeName"].string().empty()) {
      return conflict(
          "", "pods/binding", call.route.name,
          "pod " + call.route.name + " is already assigned to node " + in_quotes(object["spec"]["nodeName"].string()));
    }
    meta::Draft draft = object.edit();
    draft["spec"]["nodeName"].set(node);
    const meta::DraftRef condition = draft["status"]["conditions"].append();
    condition["type"].set("PodScheduled");
    condition["status"].set("True");
    condition["lastProbeTime"].set_null();
    condition["lastTransitionTime"].set(cluster.environment.now_text());
    if (!call.dry_run) store(cluster, resource, key, as_typed(resource.type, draft.to_object()));
    return created();
  }
  if (pods && sub == "eviction" && call.route.verb == "create") {
    if (auto refused = check_budget(cluster, object); !refused) return refused.error();
    DeleteOptions options;
    const Value wanted = call.body["deleteOptions"];
    options.grace = wanted["gracePeriodSeconds"].get_int();
    options.uid = wanted["preconditions"]["uid"].string();
    options.dry_run = call.dry_run;
    auto deletion = delete_object(cluster, resource, key, options);
    if (!deletion) return deletion.error();
    return created();
  }
  if (resource.group.empty() && resource.resource == "namespaces" && sub == "finalize" && call.route.verb == "update") {
    meta::Draft draft = object.edit();
    draft["spec"]["finalizers"].set(call.body["spec"]["finalizers"]);
    Answer out;
    out.resource = call.resource;
    out.object = store(cluster, resource, key, as_typed(resource.type, draft.to_object()));
    cluster.post([&cluster, name = call.route.name] { finalize_namespace(cluster, name); });
    return out;
  }
  if (pods && (sub == "ephemeralcontainers" || sub == "resize")) {
    if (call.route.verb == "get") return serve_get(cluster, call);
    if (call.route.verb == "patch") return serve_patch(cluster, call);
    return serve_update(cluster, call);
  }
  if (pods && sub == "log") return serve_log(cluster, call, object);
  // Exec, proxies and the rest need machines that this cluster does not have.
  return Error::api(503, "ServiceUnavailable",
                    "the embedded server has no node to answer " + resource.resource + '/' + sub);
}

Result<Answer> serve_review(Cluster& cluster, Call& call) {
  const Resource& resource = *call.resource;
  if (call.route.verb != "create") return method_not_allowed();
  if (resource.group == "authorization.k8s.io" && resource.resource != "selfsubjectrulesreviews") {
    auto accepted = accept(call, call.body.root());
    if (!accepted) return accepted.error();
    const Value attributes = (*accepted)["spec"]["resourceAttributes"];
    Route asked;
    asked.resource_request = attributes.is_map();
    asked.verb = attributes["verb"].string();
    asked.group = attributes["group"].string();
    asked.resource = attributes["resource"].string();
    asked.subresource = attributes["subresource"].string();
    asked.namespace_ = attributes["namespace"].string();
    asked.name = attributes["name"].string();
    asked.path = (*accepted)["spec"]["nonResourceAttributes"]["path"].string();
    Identity user = call.user;
    if (resource.resource == "subjectaccessreviews" || resource.resource == "localsubjectaccessreviews") {
      user = cluster.environment.authority.identity((*accepted)["spec"]["user"].string());
    }
    meta::Draft draft = accepted->edit();
    draft["kind"].set(resource.kind);
    draft["apiVersion"].set(resource.api_version());
    draft["status"]["allowed"].set(cluster.environment.authority.authorize(user, asked).has_value());
    Answer out;
    out.status = 201;
    out.resource = call.resource;
    out.object = as_typed(resource.type, draft.to_object());
    return out;
  }
  if (resource.group == "authentication.k8s.io" && resource.resource == "selfsubjectreviews") {
    meta::Draft draft;
    draft["kind"].set(resource.kind);
    draft["apiVersion"].set(resource.api_version());
    draft["metadata"]["creationTimestamp"].set(cluster.environment.now_text());
    draft["status"]["userInfo"]["username"].set(call.user.name);
    for (const std::string& group : call.user.groups) draft["status"]["userInfo"]["groups"].append(group);
    Answer out;
    out.status = 201;
    out.object = draft.to_object();
    return out;
  }
  return Error::api(501, "", "the embedded server does not review " + resource.resource);
}

}  // namespace kubexx::apiserver
