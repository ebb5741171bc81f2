#include "apiserver/controllers/owners.hpp"

namespace kubexx::apiserver {

using meta::Value;

bool Owners::note(const Event& event) {
  const Member self{event.bucket->group, event.bucket->resource, event.key};
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
    return true;
  }
  by_uid_[std::string(event.object.uid())] = self;
  bool all = true;
  for (Value owner : event.object.owner_references()) {
    const std::string uid(owner["uid"].string());
    dependents_[uid].insert(self);
    all &= by_uid_.count(uid) > 0;
  }
  return all;
}

const Owners::Member* Owners::find(const std::string& uid) const {
  const auto it = by_uid_.find(uid);
  return it == by_uid_.end() ? nullptr : &it->second;
}

std::set<Owners::Member> Owners::dependents(const std::string& uid) const {
  const auto it = dependents_.find(uid);
  return it == dependents_.end() ? std::set<Member>() : it->second;
}

void Owners::clear() {
  dependents_.clear();
  by_uid_.clear();
}

}  // namespace kubexx::apiserver
