#pragma once

#include "kubexx/meta/object.hpp"

namespace kubexx::reflector {

/// Whoever runs a Reflector, as far as the reflector must ask or tell it. Called on the reflector's strand; must not
/// block. An owner that holds its reflector holds it weakly.
class Owner {
 public:
  virtual ~Owner() = default;
  /// The object that is known already if it is the same one (uid, version and contents), else the given one. Lets a
  /// relist keep unchanged objects instead of a second copy of everything.
  virtual meta::Object prefer_known(meta::Object fresh) { return fresh; }
  /// The state, the last error or the first whole state changed: Reflector::status() has it. Not at every event. What
  /// it throws is reported to the error sink and changes nothing.
  virtual void on_change() {}
};

}  // namespace kubexx::reflector
