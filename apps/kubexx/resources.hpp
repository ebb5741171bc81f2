#pragma once

#include <string>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::app {

struct NamedResource {
  meta::GroupVersionResource resource;
  std::string kind;
  bool namespaced = true;
};

/// What a person means by "po", "pods", "deploy.apps", "Foo".
Result<NamedResource> resolve_resource(const rest::Client& client, const std::string& text);

}  // namespace kubexx::app
