#pragma once

#include <compare>
#include <set>
#include <string>
#include <unordered_map>

#include "apiserver/storage/storage.hpp"

namespace kubexx::apiserver {

/// Which objects there are by their uid, and which name which as their owner.
class Owners {
 public:
  struct Member {
    std::string group;
    std::string resource;
    std::string key;
    friend auto operator<=>(const Member&, const Member&) = default;
  };
  /// Follows a write. False: the object names an owner that is not there.
  bool note(const Event& event);
  const Member* find(const std::string& uid) const;
  std::set<Member> dependents(const std::string& uid) const;
  bool has_dependents(const std::string& uid) const { return dependents_.count(uid) > 0; }
  void clear();

 private:
  std::unordered_map<std::string, std::set<Member>> dependents_;  // by the owner's uid
  std::unordered_map<std::string, Member> by_uid_;
};

}  // namespace kubexx::apiserver
