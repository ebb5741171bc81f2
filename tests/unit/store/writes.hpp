#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/store/write.hpp"
#include "unit/store/test_objects.hpp"

namespace kubexx::test {

inline store::Write put(std::string_view key, meta::Object object) {
  return {store::Write::Type::Put, meta::Key(key), std::move(object)};
}
inline store::Write removal(std::string_view key, meta::Object last_state = {}) {
  return {store::Write::Type::Remove, meta::Key(key), std::move(last_state)};
}
/// Under no key: the store names the object.
inline store::Write put(meta::Object object) {
  return {store::Write::Type::Put, {}, std::move(object)};
}
inline store::Write removal_of(meta::Object object) {
  return {store::Write::Type::Remove, {}, std::move(object)};
}

inline std::string version_or_none(const meta::Object& object) {
  return object ? std::string(object.resource_version()) : "-";
}
/// What each write found.
template <class Writes>
std::vector<std::string> previous_versions(const Writes& writes) {
  std::vector<std::string> all;
  for (const store::Write& write : writes) all.push_back(version_or_none(write.previous));
  return all;
}

}  // namespace kubexx::test
