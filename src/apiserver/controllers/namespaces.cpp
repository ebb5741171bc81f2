#include "apiserver/controllers/namespaces.hpp"

#include "apiserver/verbs/deletes.hpp"

namespace kubexx::apiserver {

void empty_namespace(Cluster& cluster, const std::string& name) {
  const std::string prefix = name + '/';
  std::vector<std::shared_ptr<Bucket>> buckets;
  for (const auto& [id, bucket] : cluster.storage.buckets()) buckets.push_back(bucket);
  for (const auto& bucket : buckets) {
    const auto resource = cluster.resources.of_bucket(*bucket);
    if (!resource || !resource->namespaced) continue;
    std::vector<std::string> keys;
    for (auto it = bucket->objects.lower_bound(prefix); it != bucket->objects.end() && it->first.starts_with(prefix);
         ++it)
      keys.push_back(it->first);
    DeleteOptions options;
    options.grace = 0;
    for (const std::string& key : keys) (void)delete_object(cluster, *resource, key, options).has_value();
  }
  finalize_namespace(cluster, name);
}

void finalize_namespace(Cluster& cluster, const std::string& name) {
  const auto namespaces = cluster.resources.find("", "v1", "namespaces");
  const auto it = namespaces->bucket->objects.find(name);
  if (it == namespaces->bucket->objects.end() || it->second.deletion_timestamp().empty()) return;
  if (!it->second.finalizers().empty()) return;
  const std::string prefix = name + '/';
  for (const auto& [id, bucket] : cluster.storage.buckets()) {
    const auto resource = cluster.resources.of_bucket(*bucket);
    if (!resource || !resource->namespaced) continue;
    const auto first = bucket->objects.lower_bound(prefix);
    if (first != bucket->objects.end() && first->first.starts_with(prefix)) return;
  }
  remove_now(cluster, *namespaces, name);
}

}  // namespace kubexx::apiserver
