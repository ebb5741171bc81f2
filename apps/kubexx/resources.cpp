#include "resources.hpp"

#include <algorithm>

#include "kubexx/codec/resources.hpp"

namespace kubexx::app {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool means(const codec::BuiltinResource& r, const std::string& name) {
  return r.info.resource == name || r.info.singular == name || lower(r.info.kind) == name ||
         std::find(r.short_names.begin(), r.short_names.end(), name) != r.short_names.end();
}

}  // namespace

Result<NamedResource> resolve_resource(const rest::Client&, const std::string& text) {
  const auto dot = text.find('.');
  const auto name = lower(text.substr(0, dot));
  const auto group = dot == std::string::npos ? std::string() : text.substr(dot + 1);
  for (const auto& r : codec::builtin_resources()) {
    if (!r.served || !means(r, name)) continue;
    if (std::find(r.verbs.begin(), r.verbs.end(), "list") == r.verbs.end()) continue;
    if (!group.empty() && group != r.info.group &&
        group != std::string(r.info.version) + "." + std::string(r.info.group))
      continue;
    return NamedResource{r.info.gvr(), std::string(r.info.kind), r.info.namespaced};
  }
  return Error::config("the server doesn't have a resource type \"" + text + "\"");
}

}  // namespace kubexx::app
