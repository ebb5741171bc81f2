#include "informer/sync_signal.hpp"

#include <mutex>
#include <vector>

namespace kubexx::informer {
namespace {

struct Observers {
  std::mutex mutex;
  std::vector<std::weak_ptr<std::function<void()>>> all;  // guarded by mutex
};

Observers& observers() {
  static auto* const kept = new Observers;  // informers may end after main
  return *kept;
}

}  // namespace

void SyncSignal::fire() {
  std::vector<std::shared_ptr<std::function<void()>>> alive;
  {
    auto& [mutex, all] = observers();
    const std::lock_guard lock(mutex);
    std::erase_if(all, [](const auto& weak) { return weak.expired(); });
    for (const auto& weak : all) {
      if (auto observer = weak.lock()) alive.push_back(std::move(observer));
    }
  }
  for (const auto& observer : alive) (*observer)();
}

std::shared_ptr<void> SyncSignal::observe(std::function<void()> callback) {
  auto observer = std::make_shared<std::function<void()>>(std::move(callback));
  auto& [mutex, all] = observers();
  const std::lock_guard lock(mutex);
  all.push_back(observer);
  return observer;
}

}  // namespace kubexx::informer
