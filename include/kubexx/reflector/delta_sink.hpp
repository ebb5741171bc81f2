#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::reflector {

/// What a Reflector fills: a delta queue, a plain store, or a vector in a test. Called on the reflector's strand.
class DeltaSink {
 public:
  virtual ~DeltaSink() = default;
  virtual Result<void> add(meta::Object object) = 0;
  virtual Result<void> update(meta::Object object) = 0;
  virtual Result<void> remove(meta::Object object) = 0;
  /// The object is there, and not wanted (any more): ReflectorOptions::admit.
  virtual Result<void> refuse(meta::Object object) { return remove(std::move(object)); }
  /// The whole state as of `resource_version`: what is not in it is gone.
  virtual Result<void> replace(std::vector<meta::Object> objects, std::string resource_version) = 0;
  /// As replace, with the version that the sink has already: what differs was wrong.
  virtual Result<void> repair(std::vector<meta::Object> objects, std::string resource_version) {
    return replace(std::move(objects), std::move(resource_version));
  }
  virtual Result<void> resync() = 0;
  /// The version moved on without an event.
  virtual void bookmark(std::string_view resource_version) { static_cast<void>(resource_version); }
};

}  // namespace kubexx::reflector
