#pragma once

#include <functional>
#include <memory>

namespace kubexx::informer {

/// Tells whoever waits for a function to become true that something in this process synced, failed or ended: a function
/// cannot tell itself.
class SyncSignal {
 public:
  /// May be called under locks that no observer takes.
  static void fire();
  /// Calls back on every fire(), from any thread; it must not block. The observer ends with the returned handle.
  [[nodiscard]] static std::shared_ptr<void> observe(std::function<void()> callback);
};

}  // namespace kubexx::informer
