#pragma once

#include <utility>
#include <vector>

#include "kubexx/base/result.hpp"
#include "kubexx/delta/transform.hpp"
#include "kubexx/meta/key.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::delta {

/// Where objects enter: each is transformed and then named, once. What follows uses the key it gets here. An object
/// without a key or refused by the transform is an Error, and so is what the functions throw.
class Intake {
 public:
  Intake() = default;
  /// Absent functions: meta_namespace_key, and no transform.
  Intake(meta::KeyFunc key_func, TransformFunc transform)
      : key_func_(std::move(key_func)), transform_(std::move(transform)) {}

  Result<meta::KeyedObject> take(meta::Object object) const;
  /// All of them or none.
  Result<std::vector<meta::KeyedObject>> take(std::vector<meta::Object> objects) const;

 private:
  meta::KeyFunc key_func_;
  TransformFunc transform_;
};

}  // namespace kubexx::delta
