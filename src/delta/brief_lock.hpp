#pragma once

#include <mutex>

#include "kubexx/base/detail/spin.hpp"

namespace kubexx::delta {

/// A lock_guard that tries for a few microseconds before it sleeps: for mutexes whose sections are shorter than that.
class BriefLock {
 public:
  explicit BriefLock(std::mutex& mutex) : mutex_(mutex) {
    for (int i = 0; i < kTries; ++i) {
      if (mutex_.try_lock()) return;
      relax();
    }
    mutex_.lock();
  }
  ~BriefLock() { mutex_.unlock(); }
  BriefLock(const BriefLock&) = delete;
  BriefLock& operator=(const BriefLock&) = delete;

 private:
  static constexpr int kTries = 200;
  std::mutex& mutex_;
};

}  // namespace kubexx::delta
