#pragma once

#include <cstddef>
#include <mutex>

#include "kubexx/base/detail/driving_condition.hpp"

namespace kubexx {

/// Lets tasks reach an object that may be gone: they hold the gate, the object closes it in its destructor. Tasks own
/// neither the object nor what it owns.
template <class T>
class Gate {
 public:
  explicit Gate(T& object) : object_(&object) {}

  /// Calls the function with the object, unless the gate is closed.
  template <class F>
  void enter(F function) {
    T* object = nullptr;
    {
      const std::lock_guard lock(mutex_);
      object = object_;
      if (!object) return;
      ++inside_;
    }
    struct Leave {
      Gate* gate;
      ~Leave() {
        const std::lock_guard lock(gate->mutex_);
        if (--gate->inside_ == 0) gate->left_.notify_all();
      }
    } leave{this};
    function(*object);
  }

  /// Nobody enters any more; waits for those inside, and for those they wait for.
  void close(const detail::Awaited& awaited = {}) {
    std::unique_lock lock(mutex_);
    object_ = nullptr;
    const auto left = [this] { return inside_ == 0; };
    // Who is inside runs elsewhere, and has to leave before the object goes.
    if (const auto met = left_.wait(awaited, lock, left); !met) static_cast<void>(left_.wait({}, lock, left));
  }

 private:
  std::mutex mutex_;
  detail::DrivingCondition left_;
  T* object_;               // guarded by mutex_
  std::size_t inside_ = 0;  // guarded by mutex_
};

}  // namespace kubexx
