#pragma once

#include <string>
#include <vector>

#include "kubexx/base/result.hpp"
#include "kubexx/client/resource_mapper.hpp"

namespace kubexx::app {

/// A resource, or one object of it.
struct Target {
  client::ApiResource resource;
  std::string name;  ///< empty: all of them
};

/// What people type after get and watch: "pods", "po,svc", "pod/web", and with `names` "pods web db": the words after a
/// resource are names.
///
/// Errors: an unknown resource (with one that is spelled alike), one that cannot be listed, a mixture of both forms.
Result<std::vector<Target>> resolve_targets(client::ResourceMapper& mapper, const std::vector<std::string>& words,
                                            bool names);

/// What a person means by one word.
Result<client::ApiResource> resolve_resource(client::ResourceMapper& mapper, const std::string& word);

}  // namespace kubexx::app
