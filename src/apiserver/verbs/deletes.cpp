#include "apiserver/verbs/deletes.hpp"

#include <algorithm>

#include "apiserver/controllers/definitions.hpp"
#include "apiserver/controllers/garbage.hpp"
#include "apiserver/controllers/namespaces.hpp"
#include "apiserver/http/codecs.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/schema/crd.hpp"
#include "apiserver/schema/definitions.hpp"
#include "apiserver/schema/typed.hpp"
#include "apiserver/verbs/reads.hpp"
#include "apiserver/verbs/writes.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::apiserver {
namespace {

constexpr std::int64_t kLongestGrace = std::int64_t{10} * 365 * 24 * 3600;  // beyond it the clock overflows

using meta::Object;
using meta::Value;

// Kinds whose deletion answers with the object instead of a Status.
constexpr std::string_view kAnswerWithObject[] = {
    "pods",     "podtemplates",   "resourcequotas", "persistentvolumes", "persistentvolumeclaims", "serviceaccounts",
    "services", "storageclasses", "csinodes",       "csidrivers",        "volumeattachments",      "namespaces"};

bool is_namespace(const Resource& resource) {
  return resource.group.empty() && resource.resource == "namespaces";
}

bool is_definition(const Resource& resource) {
  return resource.group == "apiextensions.k8s.io" && resource.resource == "customresourcedefinitions";
}

Result<DeleteOptions> delete_options(const Call& call) {
  DeleteOptions options;
  options.dry_run = call.dry_run;
  Object body;
  if (!call.request.body.empty()) {
    auto format = body_format(call.request.header("content-type"));
    if (!format) return format.error();
    auto decoded = decode_body(*format, call.request.body);
    if (!decoded) return bad_request("couldn't get version/kind; json parse error: " + decoded.error().message());
    body = std::move(*decoded);
    if (!body.kind().empty() && body.kind() != "DeleteOptions")
      return bad_request("decoded object cannot be converted to DeleteOptions");
  }
  options.grace = body["gracePeriodSeconds"].get_int();
  options.uid = body["preconditions"]["uid"].string();
  options.resource_version = body["preconditions"]["resourceVersion"].string();
  options.propagation = body["propagationPolicy"].string();
  if (body["orphanDependents"].get_bool())
    options.propagation = body["orphanDependents"].bool_or(false) ? "Orphan" : "Background";
  if (body["dryRun"].size()) options.dry_run = true;
  const Query& query = call.route.query;
  const auto grace = query.number("gracePeriodSeconds");
  if (!grace) return grace.error();
  if (*grace) options.grace = *grace;
  if (const std::string_view policy = query.get("propagationPolicy"); !policy.empty()) options.propagation = policy;
  if (query.has("orphanDependents")) options.propagation = query.flag("orphanDependents") ? "Orphan" : "Background";
  if (!options.propagation.empty() && options.propagation != "Background" && options.propagation != "Foreground" &&
      options.propagation != "Orphan") {
    return invalid("meta.k8s.io", "DeleteOptions", "",
                   {{"FieldValueNotSupported",
                     "Unsupported value: " + in_quotes(options.propagation) +
                         ": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
                     "propagationPolicy"}});
  }
  return options;
}

void finish_deletion_later(Cluster& cluster, const Resource& resource, const std::string& key, std::string uid,
                           Duration delay) {
  // The kubelet's part: it reports the pod gone when its grace period is over.
  const auto found = cluster.resources.find(resource.group, resource.version, resource.resource);
  cluster.schedule(delay, [&cluster, found, key, uid = std::move(uid)] {
    const auto it = found->bucket->objects.find(key);
    if (it == found->bucket->objects.end() || it->second.uid() != uid) return;
    if (it->second.finalizers().empty()) {
      remove_now(cluster, *found, key);
      return;
    }
    meta::Draft draft = it->second.edit();
    draft["metadata"]["deletionGracePeriodSeconds"].set(0);
    store(cluster, *found, key, draft.to_object());
  });
}

}  // namespace

bool has_finalizer(const Object& object, std::string_view name) {
  for (Value finalizer : object.finalizers()) {
    if (finalizer.string() == name) return true;
  }
  return false;
}

void drop_finalizer(meta::Draft& draft, std::string_view name) {
  const meta::DraftRef list = draft["metadata"]["finalizers"];
  for (std::size_t i = list.size(); i-- > 0;) {
    if (list[i].string() == name) list[i].erase();
  }
  if (list.size() == 0) list.erase();
}

Result<Answer> serve_delete(Cluster& cluster, Call& call) {
  auto options = delete_options(call);
  if (!options) return options.error();
  const Resource& resource = *call.resource;
  const std::string key = storage_key(call.route.namespace_, call.route.name);
  auto deletion = delete_object(cluster, resource, key, *options);
  if (!deletion) return deletion.error();
  Answer out;
  const bool with_object = std::find(std::begin(kAnswerWithObject), std::end(kAnswerWithObject), resource.resource) !=
                           std::end(kAnswerWithObject);
  if (!deletion->gone || (with_object && !resource.custom)) {
    out.object = deletion->object;
    out.resource = call.resource;
  } else {
    out.object = deleted_status(resource.group, resource.resource, call.route.name, deletion->object.uid());
  }
  return out;
}

Result<Answer> serve_delete_collection(Cluster& cluster, Call& call) {
  auto options = delete_options(call);
  if (!options) return options.error();
  auto listed = serve_list(cluster, call);
  if (!listed) return listed.error();
  Answer out;
  out.is_list = true;
  out.resource = call.resource;
  for (const Object& object : listed->items) {
    auto deletion = delete_object(cluster, *call.resource, storage_key(object.namespace_(), object.name()), *options);
    if (!deletion && !deletion.error().is_not_found()) return deletion.error();
    out.items.push_back(object);
  }
  out.list.resource_version = listed->list.resource_version;
  return out;
}

Result<Deletion> delete_object(Cluster& cluster, const Resource& resource, const std::string& key,
                               const DeleteOptions& options) {
  const auto it = resource.bucket->objects.find(key);
  const std::string name = key.substr(key.find('/') == std::string::npos ? 0 : key.find('/') + 1);
  if (it == resource.bucket->objects.end()) return not_found(resource.group, resource.resource, name);
  const Object old = it->second;
  if (!options.uid.empty() && options.uid != old.uid()) {
    return conflict(resource.group, resource.kind, name,
                    "the UID in the precondition (" + options.uid + ") does not match the UID in record (" +
                        std::string(old.uid()) + "). The object might have been deleted and then recreated");
  }
  if (!options.resource_version.empty() && options.resource_version != old.resource_version()) {
    return conflict(resource.group, resource.kind, name,
                    "the ResourceVersion in the precondition (" + options.resource_version +
                        ") does not match the ResourceVersion in record (" + std::string(old.resource_version()) +
                        "). The object might have been modified");
  }
  if (options.dry_run) return Deletion{true, old};

  // A pod that runs somewhere gets its grace period; nothing else has one.
  std::int64_t grace = 0;
  const bool pod = resource.group.empty() && resource.resource == "pods";
  if (pod && !old["spec"]["nodeName"].string().empty()) {
    const std::string_view phase = old["status"]["phase"].string();
    grace = options.grace.value_or(old["spec"]["terminationGracePeriodSeconds"].int_or(30));
    if (phase == "Succeeded" || phase == "Failed" || grace < 0) grace = 0;
    grace = std::min(grace, kLongestGrace);
  }
  const bool already = !old.deletion_timestamp().empty();
  const bool orphan = options.propagation == "Orphan" && cluster.environment.options.garbage_collection;
  const bool foreground = options.propagation == "Foreground" && cluster.environment.options.garbage_collection;
  const bool held =
      !old.finalizers().empty() || orphan || foreground || is_namespace(resource) || is_definition(resource);
  if (!held && grace == 0) return Deletion{true, remove_now(cluster, resource, key)};
  if (already) {
    // A shorter grace period counts, a longer one does not.
    const std::int64_t left = old.metadata_value()["deletionGracePeriodSeconds"].int_or(0);
    if (grace >= left && !orphan && !foreground) return Deletion{false, old};
  }
  meta::Draft draft = old.edit();
  const meta::DraftRef metadata = draft["metadata"];
  const meta::Time when{meta::Time::from_wall(cluster.environment.clock.wall()).unix_seconds + grace};
  if (!already || grace < old.metadata_value()["deletionGracePeriodSeconds"].int_or(0)) {
    metadata["deletionTimestamp"].set(when.to_string());
    metadata["deletionGracePeriodSeconds"].set(grace);
  }
  if (!already && resource.has_generation) metadata["generation"].set(old.generation() + 1);
  if (orphan && !has_finalizer(old, "orphan")) metadata["finalizers"].append("orphan");
  if (foreground && !has_finalizer(old, "foregroundDeletion")) metadata["finalizers"].append("foregroundDeletion");
  if (is_namespace(resource)) draft["status"]["phase"].set("Terminating");
  if (is_definition(resource) && !has_finalizer(old, kDefinitionFinalizer))
    metadata["finalizers"].append(std::string(kDefinitionFinalizer));
  const Object stored = store(cluster, resource, key, as_typed(resource.type, draft.to_object()));
  if (is_namespace(resource)) {
    cluster.post([&cluster, name] { empty_namespace(cluster, name); });
  } else if (is_definition(resource)) {
    cluster.post([&cluster, name] { clean_up_definition(cluster, name); });
  } else if (grace > 0) {
    finish_deletion_later(cluster, resource, key, std::string(old.uid()), std::chrono::seconds(grace));
  }
  if (orphan || foreground)
    cluster.post([&cluster, uid = std::string(old.uid())] { advance_foreground(cluster, uid); });
  return Deletion{false, stored};
}

Object remove_now(Cluster& cluster, const Resource& resource, const std::string& key) {
  const Object last = cluster.storage.erase(*resource.bucket, key);
  if (!last) return last;
  if (is_definition(resource)) definition_removed(cluster, last);
  if (resource.custom && !resource.custom->definition.name().empty()) {
    const auto definitions = cluster.storage.find("apiextensions.k8s.io", "customresourcedefinitions");
    const auto definition = definitions->objects.find(resource.custom->definition.name());
    if (definition != definitions->objects.end() && !definition->second.deletion_timestamp().empty()) {
      cluster.post([&cluster, name = definition->first] { clean_up_definition(cluster, name); });
    }
  }
  if (cluster.environment.options.garbage_collection && cluster.owners.has_dependents(std::string(last.uid()))) {
    cluster.post([&cluster, uid = std::string(last.uid())] { collect_dependents(cluster, uid); });
  }
  if (resource.namespaced) {
    const auto namespaces = cluster.storage.find("", "namespaces");
    const auto home = namespaces->objects.find(last.namespace_());
    if (home != namespaces->objects.end() && !home->second.deletion_timestamp().empty()) {
      cluster.post([&cluster, name = std::string(last.namespace_())] { finalize_namespace(cluster, name); });
    }
  }
  return last;
}

}  // namespace kubexx::apiserver
