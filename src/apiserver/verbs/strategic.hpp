#pragma once

#include "codec/internal/schema.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

/// A strategic merge patch: like a merge patch, but lists with a merge key are merged item by item, and the directives
/// $patch, $retainKeys, $setElementOrder and $deleteFromPrimitiveList are obeyed.
Result<meta::Object> apply_strategic_patch(const codec::TypeInfo& type, meta::Value target, meta::Value patch);

}  // namespace kubexx::apiserver
