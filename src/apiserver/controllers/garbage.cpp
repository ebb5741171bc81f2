#include "apiserver/controllers/garbage.hpp"

#include "apiserver/verbs/deletes.hpp"
#include "apiserver/verbs/writes.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Object;
using meta::Value;

bool owner_exists(const Cluster& cluster, const Object& dependent, Value reference) {
  const Owners::Member* const found = cluster.owners.find(std::string(reference["uid"].string()));
  if (!found) return false;
  const auto bucket = cluster.storage.find(found->group, found->resource);
  if (!bucket) return false;
  const auto owner = bucket->objects.find(found->key);
  if (owner == bucket->objects.end()) return false;
  // An owner in another namespace does not count.
  return owner->second.namespace_().empty() || owner->second.namespace_() == dependent.namespace_();
}

void collect(Cluster& cluster, const Owners::Member& self) {
  const auto bucket = cluster.storage.find(self.group, self.resource);
  if (!bucket) return;
  const auto it = bucket->objects.find(self.key);
  if (it == bucket->objects.end() || !it->second.deletion_timestamp().empty()) return;
  const Object object = it->second;
  std::vector<std::size_t> dead;
  std::size_t index = 0;
  for (Value owner : object.owner_references()) {
    if (!owner_exists(cluster, object, owner)) dead.push_back(index);
    ++index;
  }
  if (dead.empty()) return;
  const auto resource = cluster.resources.of_bucket(*bucket);
  if (!resource) return;
  if (dead.size() == index) {
    DeleteOptions options;
    options.uid = object.uid();
    (void)delete_object(cluster, *resource, self.key, options).has_value();
    return;
  }
  // Others still own it: only the references to what is gone go.
  meta::Draft draft = object.edit();
  for (auto at = dead.rbegin(); at != dead.rend(); ++at) draft["metadata"]["ownerReferences"][*at].erase();
  store(cluster, *resource, self.key, draft.to_object());
}

}  // namespace

void note_owners(Cluster& cluster, const Event& event) {
  const bool complete = cluster.owners.note(event);
  if (!cluster.environment.options.garbage_collection) return;
  if (event.type == meta::WatchEventType::Deleted) {
    // A dependent that is gone may be what a foreground deletion waits for.
    for (Value owner : event.object.owner_references())
      cluster.post([&cluster, uid = std::string(owner["uid"].string())] { advance_foreground(cluster, uid); });
  } else if (!complete) {
    cluster.post([&cluster, self = Owners::Member{event.bucket->group, event.bucket->resource, event.key}] {
      collect(cluster, self);
    });
  }
}

void collect_dependents(Cluster& cluster, const std::string& uid) {
  for (const Owners::Member& dependent : cluster.owners.dependents(uid)) collect(cluster, dependent);
}

void advance_foreground(Cluster& cluster, const std::string& uid) {
  const Owners::Member* const known = cluster.owners.find(uid);
  if (!known) return;
  const Owners::Member self = *known;
  const auto bucket = cluster.storage.find(self.group, self.resource);
  const auto resource = bucket ? cluster.resources.of_bucket(*bucket) : nullptr;
  if (!resource) return;
  const auto it = bucket->objects.find(self.key);
  if (it == bucket->objects.end() || it->second.deletion_timestamp().empty()) return;
  const Object owner = it->second;
  const bool orphan = has_finalizer(owner, "orphan");
  const bool foreground = has_finalizer(owner, "foregroundDeletion");
  if (!orphan && !foreground) return;
  bool blocked = false;
  for (const Owners::Member& dependent : cluster.owners.dependents(uid)) {
    const auto home = cluster.storage.find(dependent.group, dependent.resource);
    const auto kind = home ? cluster.resources.of_bucket(*home) : nullptr;
    if (!kind) continue;
    const auto entry = home->objects.find(dependent.key);
    if (entry == home->objects.end()) continue;
    const Object object = entry->second;
    if (orphan) {
      meta::Draft draft = object.edit();
      const meta::DraftRef list = draft["metadata"]["ownerReferences"];
      for (std::size_t i = list.size(); i-- > 0;) {
        if (list[i]["uid"].string() == uid) list[i].erase();
      }
      if (list.size() == 0) list.erase();
      store(cluster, *kind, dependent.key, draft.to_object());
      continue;
    }
    for (Value reference : object.owner_references()) {
      if (reference["uid"].string() == uid) blocked |= reference["blockOwnerDeletion"].bool_or(false);
    }
    if (object.deletion_timestamp().empty()) {
      DeleteOptions options;
      options.uid = object.uid();
      options.propagation = "Foreground";
      auto deletion = delete_object(cluster, *kind, dependent.key, options);
      (void)deletion.has_value();
    }
  }
  // Dependents that block are waited for; the deletion of each comes back here.
  if (foreground && blocked && cluster.owners.has_dependents(uid)) return;
  const auto again = bucket->objects.find(self.key);
  if (again == bucket->objects.end() || again->second.uid() != uid) return;
  meta::Draft draft = again->second.edit();
  drop_finalizer(draft, orphan ? "orphan" : "foregroundDeletion");
  const Object released = draft.to_object();
  if (released.finalizers().empty()) {
    remove_now(cluster, *resource, self.key);
  } else {
    store(cluster, *resource, self.key, released);
  }
}

}  // namespace kubexx::apiserver
