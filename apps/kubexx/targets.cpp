#include "targets.hpp"

#include <algorithm>
#include <sstream>

#include "flags.hpp"

namespace kubexx::app {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace

Result<client::ApiResource> resolve_resource(client::ResourceMapper& mapper, const std::string& word) {
  auto found = mapper.get(std::string_view(word), until_signal());
  if (!found) return found.error();
  if (!found->can("list")) return Error::config(word + " cannot be listed");
  return found;
}

Result<std::vector<Target>> resolve_targets(client::ResourceMapper& mapper, const std::vector<std::string>& words,
                                            bool names) {
  std::vector<Target> targets;
  const bool with_slash =
      std::any_of(words.begin(), words.end(), [](const auto& word) { return word.find('/') != std::string::npos; });
  if (with_slash) {
    for (const auto& word : words) {
      const auto parts = split(word, '/');
      if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
        return Error::config("\"" + word + "\" is not KIND/NAME, which the other words are");
      }
      auto resource = resolve_resource(mapper, parts[0]);
      if (!resource) return resource.error();
      targets.push_back({*resource, parts[1]});
    }
    return targets;
  }
  const auto resources_end = names ? words.begin() + 1 : words.end();
  std::vector<client::ApiResource> resources;
  for (auto word = words.begin(); word != resources_end; ++word) {
    for (const auto& part : split(*word, ',')) {
      if (part.empty()) continue;
      auto resource = resolve_resource(mapper, part);
      if (!resource) return resource.error();
      const bool known = std::any_of(resources.begin(), resources.end(),
                                     [&](const auto& other) { return other.resource == resource->resource; });
      if (!known) resources.push_back(*resource);
    }
  }
  if (resources.empty()) return Error::config("which resource? \"pods\", for example");
  for (const auto& resource : resources) {
    if (resources_end == words.end()) targets.push_back({resource, ""});
    for (auto name = resources_end; name != words.end(); ++name) targets.push_back({resource, *name});
  }
  return targets;
}

}  // namespace kubexx::app
