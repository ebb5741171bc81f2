#pragma once

#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::controller {

/// Sends what the draft changed as a merge patch that holds only for the version the draft was made of.
Result<meta::Object> patch_unless_changed(const client::ResourceApi& api, const meta::Draft& draft,
                                          const client::WriteOptions& options);

/// The calls in the namespace of the object.
client::ResourceApi in_namespace_of(const client::ResourceApi& api, std::string_view namespace_);

}  // namespace kubexx::controller
