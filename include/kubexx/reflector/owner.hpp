#pragma once

#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/stream.hpp"

namespace kubexx::reflector {

/// Whoever runs a Reflector, as far as the reflector must ask or tell it. An owner that holds its reflector holds it
/// weakly.
///
/// Threads: called on the reflector's strand; must not block.
/// Errors: what prefer_known() throws ends the round, what on_change() throws is reported to the error sink.
/// Example:
///
///     class Told final : public reflector::Owner {
///      public:
///       void on_change() override {
///         if (auto now = reflector.lock()) greet(now->status().synced_once);
///       }
///       std::weak_ptr<reflector::Reflector> reflector;
///     };
///     auto owner = std::make_shared<Told>();
///     auto made = reflector::Reflector::create(source, sink, strand, {.owner = owner});
///     owner->reflector = made;
class KUBEXX_EXPORT Owner {
 public:
  virtual ~Owner() = default;
  /// The object that is known already if it is the same one (uid, version and contents), else the given one. Lets a
  /// relist keep unchanged objects instead of a second copy of everything.
  virtual meta::Object prefer_known(meta::Object fresh) { return fresh; }
  /// The object that is known already with this uid and version, or none: a list that is not older than what is known
  /// does without reading it again.
  virtual meta::Object find_known(const meta::ItemIdentity& identity) const {
    static_cast<void>(identity);
    return {};
  }
  /// The state, the last error or the first whole state changed: Reflector::status() has it. Not at every event.
  virtual void on_change() {}
  /// The server was found with lower versions than ours: what else is kept of it may be of a future that never
  /// happened.
  virtual void on_rollback() {}
};

}  // namespace kubexx::reflector
