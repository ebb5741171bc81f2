#include "apiserver/verbs/seed.hpp"

#include "apiserver/http/status.hpp"
#include "apiserver/http/view.hpp"
#include "apiserver/schema/custom.hpp"
#include "apiserver/schema/typed.hpp"
#include "apiserver/verbs/deletes.hpp"
#include "apiserver/verbs/writes.hpp"

namespace kubexx::apiserver {

Result<meta::Object> seed_object(Cluster& cluster, const meta::Object& object, bool must_exist) {
  const auto resource = cluster.resources.find_kind(object.api_version(), object.kind());
  if (!resource || !resource->bucket)
    return Error::config("no resource is served for " + std::string(object.api_version()) + ' ' +
                         std::string(object.kind()));
  if (object.name().empty()) return Error::config("a seeded object needs a name");
  if (resource->namespaced && object.namespace_().empty())
    return Error::config(std::string(object.kind()) + ' ' + std::string(object.name()) + " needs a namespace");
  meta::Draft draft = object.edit();
  const meta::DraftRef metadata = draft["metadata"];
  const std::string key = storage_key(resource->namespaced ? object.namespace_() : std::string_view(), object.name());
  const auto known = resource->bucket->objects.find(key);
  if (must_exist && known == resource->bucket->objects.end())
    return not_found(resource->group, resource->resource, object.name());
  if (object.uid().empty())
    metadata["uid"].set(known == resource->bucket->objects.end() ? cluster.environment.make_uid()
                                                                 : std::string(known->second.uid()));
  if (object.creation_timestamp().empty()) metadata["creationTimestamp"].set(cluster.environment.now_text());
  metadata["resourceVersion"].set(std::to_string(cluster.storage.version() + 1));
  const meta::Object made = draft.to_object();
  auto typed = resource->custom ? to_custom(*resource->custom, made.root())
               : resource->type ? to_typed(*resource->type, made.root())
                                : Result<TypedResult>(TypedResult{made, {}});
  if (!typed) return typed.error();
  return store(cluster, *resource, key, typed->object);
}

Result<meta::Object> find_object(const Cluster& cluster, const meta::GroupVersionResource& gvr,
                                 const meta::ObjectKey& key) {
  const auto resource = cluster.resources.find(gvr.group, gvr.version, gvr.resource);
  if (!resource || !resource->bucket) return unknown_resource();
  const auto it = resource->bucket->objects.find(storage_key(key.namespace_, key.name));
  if (it == resource->bucket->objects.end()) return not_found(gvr.group, gvr.resource, key.name);
  return as_version(it->second, *resource);
}

std::vector<meta::Object> all_objects(const Cluster& cluster, const meta::GroupVersionResource& gvr,
                                      std::string_view namespace_) {
  std::vector<meta::Object> out;
  const auto resource = cluster.resources.find(gvr.group, gvr.version, gvr.resource);
  if (!resource || !resource->bucket) return out;
  for (const auto& [key, object] : resource->bucket->objects) {
    if (namespace_.empty() || object.namespace_() == namespace_) out.push_back(as_version(object, *resource));
  }
  return out;
}

Result<meta::Object> remove_object(Cluster& cluster, const meta::GroupVersionResource& gvr,
                                   const meta::ObjectKey& key) {
  const auto resource = cluster.resources.find(gvr.group, gvr.version, gvr.resource);
  if (!resource || !resource->bucket) return unknown_resource();
  const meta::Object last = remove_now(cluster, *resource, storage_key(key.namespace_, key.name));
  if (!last) return not_found(gvr.group, gvr.resource, key.name);
  return last;
}

}  // namespace kubexx::apiserver
