#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "kubexx/base/executor.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::informer {

/// Keeps a copy of the bytes of every cached object and compares once a second: what a cast can do to an immutable
/// object is found, and the key named. Costs the memory of a second cache. Its keys are texts of its own: a meta::Key
/// is a handle of the object, which may be what was written over.
///
/// Threads: everything runs on the strand, `found` too.
/// Stop: stop(), or dropping it; nothing is compared any more, and the copies go.
/// Errors: what `found` throws is reported to the error sink.
/// Example:
///
///     auto detector = std::make_shared<informer::CacheMutationDetector>(
///         strand, [](const std::string& key) { complain(key); });
///     strand.post([detector] { detector->start(); });
///     strand.post([detector, web = pod] { detector->remember(web.key(), web); });
class KUBEXX_EXPORT CacheMutationDetector : public std::enable_shared_from_this<CacheMutationDetector> {
 public:
  CacheMutationDetector(Strand strand, std::function<void(const std::string& key)> found);
  /// Begins and ends to compare once a second.
  void start();
  void stop();
  /// What the cache has from now on, and has no more.
  void remember(const std::string& key, const meta::Object& object);
  void forget(const std::string& key);
  /// Compares at once; for tests.
  void compare();

 private:
  struct Copy {
    meta::Object object = {};
    std::string bytes = {};
  };
  void arm();
  void tell(const std::string& key) const;

  Strand strand_;
  std::function<void(const std::string& key)> found_;
  std::unordered_map<std::string, Copy> copies_;
  Timer timer_;
  bool stopped_ = false;
};

}  // namespace kubexx::informer
