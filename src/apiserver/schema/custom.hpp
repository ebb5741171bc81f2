#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/schema/crd.hpp"
#include "apiserver/schema/typed.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

/// A custom object as its schema lets it through: unknown fields pruned, defaults set, keys sorted.
Result<TypedResult> to_custom(const CustomVersion& version, meta::Value value);
/// Types, required fields, enums, bounds, patterns: what the schema says against it.
std::vector<ErrorCause> validate_custom(const CustomVersion& version, const meta::Object& object);

}  // namespace kubexx::apiserver
