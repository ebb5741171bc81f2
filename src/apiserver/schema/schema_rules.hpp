#pragma once

#include <vector>

#include "apiserver/http/path.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/meta/value.hpp"

namespace kubexx::apiserver {

/// What a real server refuses in the schema of a custom resource: words of JSON Schema that Kubernetes has no use for
/// ($ref, definitions, ...), and patterns that are no regular expressions.
void check_schema(meta::Value schema, const Path* path, std::vector<ErrorCause>& causes);

}  // namespace kubexx::apiserver
