#include "store/epochs.hpp"

#include <algorithm>
#include <utility>

#include "kubexx/base/assert.hpp"

namespace kubexx::store {

Epoch Epochs::pin() {
  const std::lock_guard lock(mutex_);
  if (!live_.empty() && written_ <= live_.back().epoch) {
    ++live_.back().references;
    return live_.back().epoch;
  }
  const Epoch epoch = now();
  live_.push_back({epoch, 1, {}});
  now_.store(epoch + 1, std::memory_order_relaxed);
  newest_.store(epoch, std::memory_order_release);
  return epoch;
}

void Epochs::unpin(Epoch epoch) {
  std::vector<Dead> free_now;
  {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(live_.begin(), live_.end(), [&](const Live& live) { return live.epoch == epoch; });
    KUBEXX_ASSERT(at != live_.end());
    if (--at->references > 0) return;
    free_now = std::move(at->dead);
    if (at != live_.begin()) {
      Live& older = *std::prev(at);
      const auto visible = [&](const Dead& dead) { return dead.born <= older.epoch; };
      const auto middle = std::partition(free_now.begin(), free_now.end(), [&](const Dead& d) { return !visible(d); });
      older.dead.insert(older.dead.end(), middle, free_now.end());
      free_now.erase(middle, free_now.end());
    }
    live_.erase(at);
    newest_.store(live_.empty() ? 0 : live_.back().epoch, std::memory_order_release);
  }
  for (const Dead& dead : free_now) {
    if (dead.block != nullptr) {
      free(dead.block);
    } else {
      static_cast<void>(dead.handle.take());
    }
  }
}

std::size_t Epochs::snapshots() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const Live& live : live_) count += live.references;
  return count;
}

Block* Epochs::allocate(std::size_t payload) {
  const std::size_t bytes = sizeof(Block) + payload;
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return ::new (::operator new(bytes)) Block{now(), static_cast<std::uint32_t>(bytes), 0};
}

Block* Epochs::clone(const Block* block, std::size_t payload) {
  Block* copy = allocate(payload);
  copy->count = block->count;
  std::memcpy(static_cast<void*>(copy + 1), block + 1, std::min(payload, block->bytes - sizeof(Block)));
  return copy;
}

void Epochs::discard(Block* block) noexcept {
  if (!owned(block->born) && keep({block->born, block, {}})) return;
  free(block);
}

meta::Object Epochs::discard(Handle handle, Epoch born) {
  if (!owned(born) && keep({born, nullptr, handle})) return {};
  return handle.take();
}

bool Epochs::keep(const Dead& dead) {
  const std::lock_guard lock(mutex_);
  if (live_.empty() || live_.back().epoch < dead.born) return false;
  live_.back().dead.push_back(dead);
  return true;
}

void Epochs::free(Block* block) noexcept {
  bytes_.fetch_sub(block->bytes, std::memory_order_relaxed);
  ::operator delete(static_cast<void*>(block));
}

}  // namespace kubexx::store
