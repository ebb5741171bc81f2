#pragma once

#include <utility>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/delta/transform.hpp"
#include "kubexx/meta/key.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::delta {

/// Where objects enter: each is transformed and then named, once. What follows uses the key it gets here.
///
/// Threads: safe from any thread, as far as its functions are; they run on the caller's, without a lock.
/// Errors: an object without a key or refused by the transform is one, and so is what the functions throw.
/// Example:
///
///     delta::Intake intake({}, [](meta::Object object) -> Result<meta::Object> {
///       auto smaller = object.edit();
///       smaller["status"].erase();
///       return smaller.to_object();
///     });
///     if (auto entered = intake.take(pod)) greet(entered->key.text());
class KUBEXX_EXPORT Intake {
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
