#include "simulation/world.hpp"

#include <cstdlib>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::simulation {

Seen seen(const meta::Object& object) {
  const auto data = object["data"];
  std::string common;
  if (data["t"]) common = meta::to_json(object["metadata"]["labels"]).append(data["t"].string());
  return {std::string(object.resource_version()), std::string(data["w"].string()), std::move(common)};
}

std::string to_string(const Seen& state) {
  return "@" + state.version + "#" + state.write + state.common;
}

std::string to_string(const View& view) {
  std::string text;
  for (const auto& [key, state] : view) text += " " + key + to_string(state);
  return text.empty() ? " (empty)" : text;
}

std::string World::state(const meta::Object& object) {
  return meta::ObjectKey::of(object).to_string() + to_string(seen(object));
}

bool World::may_fall(const meta::Object& object) const {
  const std::string epoch(object["data"]["e"].string());
  return std::strtoull(epoch.c_str(), nullptr, 10) < rollbacks;
}

}  // namespace kubexx::simulation
