#include "kubexx/testkit/eventually.hpp"

#include <condition_variable>
#include <mutex>

namespace kubexx::testkit {

bool eventually(const std::function<bool()>& condition, Duration ceiling) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  const auto deadline = Clock::system().now() + ceiling;
  while (!condition()) {
    if (Clock::system().now() > deadline) return false;
    never.wait_for(lock, std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace kubexx::testkit
