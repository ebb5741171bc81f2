#pragma once

#include <mutex>
#include <optional>

#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::detail {

/// What a thread that waits for an operation shares with the completion of that operation. The wait ends when the
/// completion is destroyed: whatever the operation held is gone then, or going with it.
class KUBEXX_EXPORT_INTERNAL BlockingWait {
 public:
  void release() noexcept;
  /// The Error: the thread is the one that would have to run the operation, and cannot.
  Result<void> until_released(const Awaited& awaited);

 private:
  std::mutex mutex_;
  DrivingCondition changed_;
  bool released_ = false;  // guarded by mutex_
};

/// With the result; read once it was released.
template <class T>
struct WaitedValue : BlockingWait {
  std::optional<T> value;
};

}  // namespace kubexx::detail
