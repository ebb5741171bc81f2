#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

namespace kubexx::test {

/// A counter that a test waits on, at most a minute.
class Count {
 public:
  void add(int by = 1) {
    std::lock_guard lock(mutex_);
    value_ += by;
    changed_.notify_all();
  }
  int value() const {
    std::lock_guard lock(mutex_);
    return value_;
  }
  bool reaches(int wanted) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return value_ >= wanted; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int value_ = 0;  // guarded by mutex_
};

}  // namespace kubexx::test
