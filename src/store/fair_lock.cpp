#include "store/fair_lock.hpp"

#include <algorithm>

#include "kubexx/base/detail/spin.hpp"

namespace kubexx::store {

int FairLock::my_shard() noexcept {
  static std::atomic<unsigned> next{0};
  thread_local const int mine = static_cast<int>(next.fetch_add(1, std::memory_order_relaxed) % kShards);
  return mine;
}

// Readers count first and look for a writer then; a writer announces itself first and looks for readers then. All of it
// is sequentially consistent, so at least one of the two sees the other.
int FairLock::enter() {
  const int shard = my_shard();
  auto& readers = shards_[static_cast<std::size_t>(shard)].readers;
  while (true) {
    const bool entered = spin_until([&] {
      if (writing_.load()) return false;
      readers.fetch_add(1);
      if (!writing_.load()) return true;
      leave(shard);
      return false;
    });
    if (entered) return shard;
    std::unique_lock lock(mutex_);
    waiting_.fetch_add(1);
    if (writing_.load()) {  // so it will see that we wait
      const std::uint64_t seen = turn_;
      reader_turn_.wait(lock, [&] { return turn_ != seen; });
      return kAdmitted;
    }
    waiting_.fetch_sub(1);
  }
}

void FairLock::leave(int shard) {
  shards_[static_cast<std::size_t>(shard)].readers.fetch_sub(1);
  if (!writer_sleeps_.load()) return;
  {
    const std::lock_guard lock(mutex_);
  }
  writer_turn_.notify_one();
}

bool FairLock::no_readers() const {
  return std::all_of(shards_.begin(), shards_.end(), [](const Shard& shard) { return shard.readers.load() == 0; });
}

void FairLock::lock() {
  writers_.lock();
  writing_.store(true);
  if (spin_until([&] { return no_readers(); })) return;
  std::unique_lock lock(mutex_);
  writer_sleeps_.store(true);
  writer_turn_.wait(lock, [&] { return no_readers(); });
  writer_sleeps_.store(false);
}

void FairLock::unlock() {
  writing_.store(false);
  if (waiting_.load() != 0) {
    const std::lock_guard lock(mutex_);
    shards_[kAdmitted].readers.fetch_add(waiting_.exchange(0));
    ++turn_;
    reader_turn_.notify_all();
  }
  writers_.unlock();
}

}  // namespace kubexx::store
