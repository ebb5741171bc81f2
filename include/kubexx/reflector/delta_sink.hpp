#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::reflector {

/// What a Reflector fills: a delta queue, a plain store, or a vector in a test.
///
/// Threads: called on the reflector's strand; must not block.
/// Errors: one of replace(), repair() or resync() ends the round of list and watch, and the next begins after the
/// backoff. One of a single change is logged, the first of each watch, and the change is lost. What is thrown ends the
/// round.
/// Example:
///
///     class Names final : public reflector::DeltaSink {
///      public:
///       Result<void> add(meta::Object object) override { return update(std::move(object)); }
///       Result<void> update(meta::Object object) override {
///         names_.insert(object.key());
///         return {};
///       }
///       Result<void> remove(meta::Object object) override {
///         names_.erase(object.key());
///         return {};
///       }
///       Result<void> replace(std::vector<meta::Object> objects, std::string) override {
///         names_.clear();
///         for (const auto& each : objects) names_.insert(each.key());
///         return {};
///       }
///       Result<void> resync() override { return {}; }
///
///      private:
///       std::set<std::string> names_;
///     };
class KUBEXX_EXPORT DeltaSink {
 public:
  virtual ~DeltaSink() = default;
  /// What a watch says of an object. An Error ends the round: everything is listed anew.
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
  /// What it had before there was a whole state (ReflectorOptions::resume_from) is what the server had then: the watch
  /// goes on from there.
  virtual void confirm() {}
  /// The version moved on without an event.
  virtual void bookmark(std::string_view resource_version) { static_cast<void>(resource_version); }
};

}  // namespace kubexx::reflector
