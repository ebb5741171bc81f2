#include "simulation/world.hpp"

#include <cstdlib>

#include "kubexx/meta/object_key.hpp"

namespace kubexx::simulation {

Seen seen(const meta::Object& object) {
  return {std::string(object.resource_version()), std::string(object["data"]["w"].string())};
}

std::string to_string(const View& view) {
  std::string text;
  for (const auto& [key, state] : view) text += " " + key + "@" + state.version + "#" + state.write;
  return text.empty() ? " (empty)" : text;
}

std::string World::state(const meta::Object& object) {
  const auto [version, write] = seen(object);
  return meta::ObjectKey::of(object).to_string() + "@" + version + "#" + write;
}

bool World::may_fall(const meta::Object& object) const {
  const std::string epoch(object["data"]["e"].string());
  return std::strtoull(epoch.c_str(), nullptr, 10) < rollbacks;
}

}  // namespace kubexx::simulation
