#pragma once

#include "kubexx/base/result.hpp"
#include "kubexx/meta/key.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::meta {

/// What the function says of the object (absent: its default key). A null object, one without a key, and what the
/// function throws are Errors.
Result<Key> make_key(const Object& object, const KeyFunc& key_func);

}  // namespace kubexx::meta
