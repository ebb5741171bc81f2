#include <algorithm>

#include "apiserver/core_impl.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Object;
using meta::Value;

bool holds(const Object& object, std::string_view finalizer) {
  for (Value entry : object.finalizers()) {
    if (entry.string() == finalizer) return true;
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

}  // namespace

void CoreImpl::note_owners(const Event& event) {
  const Dependent self{event.bucket->group, event.bucket->resource, event.key};
  if (event.previous) {
    for (Value owner : event.previous.owner_references()) {
      const auto it = dependents_.find(std::string(owner["uid"].string()));
      if (it == dependents_.end()) continue;
      it->second.erase(self);
      if (it->second.empty()) dependents_.erase(it);
    }
  }
  if (event.type == meta::WatchEventType::Deleted) {
    by_uid_.erase(std::string(event.object.uid()));
    // A dependent that is gone may be what a foreground deletion waits for.
    for (Value owner : event.object.owner_references()) {
      if (!options_.garbage_collection) break;
      post([this, uid = std::string(owner["uid"].string())] { advance_foreground(uid); });
    }
    return;
  }
  by_uid_[std::string(event.object.uid())] = self;
  bool dangling = false;
  for (Value owner : event.object.owner_references()) {
    const std::string uid(owner["uid"].string());
    dependents_[uid].insert(self);
    dangling |= !by_uid_.count(uid);
  }
  if (dangling && options_.garbage_collection) {
    post([this, self] { collect_one(self.group, self.resource, self.key); });
  }
}

bool CoreImpl::owner_exists(const Object& dependent, Value reference) {
  const auto it = by_uid_.find(std::string(reference["uid"].string()));
  if (it == by_uid_.end()) return false;
  const auto bucket = storage_.find(it->second.group, it->second.resource);
  if (!bucket) return false;
  const auto owner = bucket->objects.find(it->second.key);
  if (owner == bucket->objects.end()) return false;
  // An owner in another namespace does not count.
  return owner->second.namespace_().empty() || owner->second.namespace_() == dependent.namespace_();
}

void CoreImpl::collect_dependents(const std::string& uid) {
  const auto it = dependents_.find(uid);
  if (it == dependents_.end()) return;
  const std::set<Dependent> found = it->second;
  for (const Dependent& dependent : found) collect_one(dependent.group, dependent.resource, dependent.key);
}

void CoreImpl::collect_one(const std::string& group, const std::string& resource_name, const std::string& key) {
  const auto bucket = storage_.find(group, resource_name);
  if (!bucket) return;
  const auto it = bucket->objects.find(key);
  if (it == bucket->objects.end() || !it->second.deletion_timestamp().empty()) return;
  const Object object = it->second;
  std::vector<std::size_t> dead;
  std::size_t index = 0;
  for (Value owner : object.owner_references()) {
    if (!owner_exists(object, owner)) dead.push_back(index);
    ++index;
  }
  if (dead.empty()) return;
  const auto resource = resource_of_bucket(*bucket);
  if (!resource) return;
  if (dead.size() == index) {
    DeleteOptions options;
    options.uid = object.uid();
    (void)delete_object(*resource, key, options).has_value();
    return;
  }
  // Others still own it: only the references to what is gone go.
  meta::Draft draft = object.edit();
  for (auto at = dead.rbegin(); at != dead.rend(); ++at) draft["metadata"]["ownerReferences"][*at].erase();
  store(*resource, key, draft.to_object());
}

void CoreImpl::advance_foreground(const std::string& uid) {
  const auto place = by_uid_.find(uid);
  if (place == by_uid_.end()) return;
  const Dependent self = place->second;
  const auto bucket = storage_.find(self.group, self.resource);
  const auto resource = bucket ? resource_of_bucket(*bucket) : nullptr;
  if (!resource) return;
  const auto it = bucket->objects.find(self.key);
  if (it == bucket->objects.end() || it->second.deletion_timestamp().empty()) return;
  const Object owner = it->second;
  const bool orphan = holds(owner, "orphan");
  const bool foreground = holds(owner, "foregroundDeletion");
  if (!orphan && !foreground) return;
  const auto known = dependents_.find(uid);
  const std::set<Dependent> found = known == dependents_.end() ? std::set<Dependent>() : known->second;
  bool blocked = false;
  for (const Dependent& dependent : found) {
    const auto home = storage_.find(dependent.group, dependent.resource);
    const auto kind = home ? resource_of_bucket(*home) : nullptr;
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
      store(*kind, dependent.key, draft.to_object());
      continue;
    }
    for (Value reference : object.owner_references()) {
      if (reference["uid"].string() == uid) blocked |= reference["blockOwnerDeletion"].bool_or(false);
    }
    if (object.deletion_timestamp().empty()) {
      DeleteOptions options;
      options.uid = object.uid();
      options.propagation = "Foreground";
      auto deletion = delete_object(*kind, dependent.key, options);
      (void)deletion.has_value();
    }
  }
  // Dependents that block are waited for; the deletion of each comes back here.
  if (foreground && blocked && dependents_.count(uid)) return;
  const auto again = bucket->objects.find(self.key);
  if (again == bucket->objects.end() || again->second.uid() != uid) return;
  meta::Draft draft = again->second.edit();
  drop_finalizer(draft, orphan ? "orphan" : "foregroundDeletion");
  const Object released = draft.to_object();
  if (released.finalizers().empty()) {
    remove_now(*resource, self.key);
  } else {
    store(*resource, self.key, released);
  }
}

}  // namespace kubexx::apiserver
