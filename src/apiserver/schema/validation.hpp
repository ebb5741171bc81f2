#pragma once

#include <vector>

#include "apiserver/schema/resource.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

/// What the API refuses about names, labels, annotations, finalizers and owners of any object, and the few rules of
/// single kinds that clients rely on.
std::vector<ErrorCause> validate(const Resource& resource, const meta::Object& object);
/// What may not change in an update.
std::vector<ErrorCause> validate_update(const Resource& resource, const meta::Object& before,
                                        const meta::Object& after);

}  // namespace kubexx::apiserver
