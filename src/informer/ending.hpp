#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/informer/shared_informer.hpp"

namespace kubexx::informer {

/// Informers that were stopped, or stopped by themselves, until nothing of them runs. Each goes as soon as it has
/// ended.
class Ending : public std::enable_shared_from_this<Ending> {
 public:
  using Informer = std::shared_ptr<SharedIndexInformer>;
  using Position = std::list<Informer>::iterator;

  /// From here on wait() waits for it.
  Position add(Informer informer) {
    const std::lock_guard lock(mutex_);
    return informers_.insert(informers_.end(), std::move(informer));
  }
  /// Stops it and lets it go at its end. Without a lock: what it holds of the user may go at once.
  void let_go(Position position) {
    const Informer informer = *position;
    informer->on_end([weak = weak_from_this(), position] {
      if (const auto self = weak.lock()) self->ended(position);
    });
    informer->stop();
  }
  void wait(const kubexx::detail::Awaited& awaited) {
    std::unique_lock lock(mutex_);
    static_cast<void>(changed_.wait(awaited, lock, [&] { return informers_.empty(); }).value());
  }

 private:
  void ended(Position position) {
    Informer last;
    {
      const std::lock_guard lock(mutex_);
      last.swap(*position);
    }
    last.reset();
    const std::lock_guard lock(mutex_);
    informers_.erase(position);
    changed_.notify_all();
  }

  std::mutex mutex_;
  kubexx::detail::DrivingCondition changed_;
  std::list<Informer> informers_;  // guarded by mutex_; null: just going
};

}  // namespace kubexx::informer
