#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

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

  /// Nobody enters any more; waits for those inside.
  void close() {
    std::unique_lock lock(mutex_);
    object_ = nullptr;
    left_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  T* object_;               // guarded by mutex_
  std::size_t inside_ = 0;  // guarded by mutex_
};

}  // namespace kubexx
