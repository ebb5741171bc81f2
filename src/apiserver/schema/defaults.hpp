#pragma once

#include "apiserver/schema/resource.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::apiserver {

/// Sets the defaults that the API server sets on every object that it reads; docs/apiserver-defaults.md lists them.
void set_defaults(const Resource& resource, meta::Draft& draft);

}  // namespace kubexx::apiserver
