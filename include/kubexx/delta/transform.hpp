#pragma once

#include <functional>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::delta {

/// Changes or cuts an object before it is queued and cached. Runs on the producer's thread, once for each object that
/// comes in; never for deletions that were inferred and never for a resync. May see its own result again after a
/// relist, so it must be idempotent. An Error (or an exception) drops the event, or fails the whole replace.
using TransformFunc = std::function<Result<meta::Object>(meta::Object)>;

}  // namespace kubexx::delta
