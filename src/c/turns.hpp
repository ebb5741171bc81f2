#pragma once

#include <memory>

#include "kubexx/base/executor.hpp"
#include "kubexx/base/function.hpp"
#include "kubexx/c.h"

namespace kubexx::c {

// Where a thread stands: in calls of the program into the library, and in calls of the library into the program. What
// waits for a callback must not run inside one; it is put off until this thread has left the library.

/// A call into the library. With the outermost one goes what was put off.
class Entry {
 public:
  Entry() noexcept;
  ~Entry();
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
};

/// A call of the library into the program.
class Callback {
 public:
  Callback() noexcept;
  ~Callback();
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
};

bool in_callback() noexcept;
/// Runs it now; inside a callback when the program has left the library, and where only the library's own thread is
/// left, as a task of `executor`.
void outside_callbacks(std::shared_ptr<Executor> executor, Task task);
/// Runs it when the outermost call of this thread has nothing else to do.
void at_end_of_call(std::shared_ptr<Executor> executor, Task task);

/// The program's pointer, released when the last of those that call back with it goes.
class UserData {
 public:
  explicit UserData(void* data) noexcept : data_(data) {}
  ~UserData() {
    if (!release_) return;
    const Callback callback;
    release_(data_);
  }
  UserData(const UserData&) = delete;
  UserData& operator=(const UserData&) = delete;
  void* get() const noexcept { return data_; }
  /// From now on it is ours: the function that was given it has succeeded.
  void take(kubexx_release release) noexcept { release_ = release; }

 private:
  void* const data_;
  kubexx_release release_ = nullptr;
};

}  // namespace kubexx::c
