#include "store/epochs.hpp"

#include <algorithm>
#include <utility>

#include "base/internal/assert.hpp"
#include "base/internal/insist.hpp"
#include "kubexx/base/large_pages.hpp"

namespace kubexx::store {
namespace {

/// Small blocks are of many sizes, to which malloc fits closer.
bool on_large_pages(std::size_t bytes) noexcept {
  return bytes >= 1024 && fits_large_pages(bytes);
}

}  // namespace

Epochs::~Epochs() {
  for (const Dead& dead : waiting_) free(dead);
  for (const Dead& dead : next_) free(dead);
}

Epoch Epochs::pin() {
  const std::lock_guard lock(mutex_);
  if (!live_.empty() && written_ <= live_.back().epoch) {
    ++live_.back().references;
    return live_.back().epoch;
  }
  const Epoch epoch = now();
  insist([&] { live_.push_back({epoch, 1, {}}); });
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
      insist([&] { older.dead.insert(older.dead.end(), middle, free_now.end()); });
      free_now.erase(middle, free_now.end());
    }
    live_.erase(at);
    newest_.store(live_.empty() ? 0 : live_.back().epoch, std::memory_order_release);
  }
  if (free_now.empty()) return;
  if (Readers::any()) {
    retire(free_now.data(), free_now.size());
  } else {
    for (const Dead& dead : free_now) free(dead);
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
  void* memory = nullptr;  // a change that is left in the middle cannot be taken back
  insist([&] { memory = on_large_pages(bytes) ? allocate_on_large_pages(bytes) : ::operator new(bytes); });
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return ::new (memory) Block{now(), static_cast<std::uint32_t>(bytes), 0};
}

Block* Epochs::clone(const Block* block, std::size_t payload) {
  Block* copy = allocate(payload);
  copy->count = block->count;
  std::memcpy(static_cast<void*>(copy + 1), block + 1, std::min(payload, block->bytes - sizeof(Block)));
  return copy;
}

void Epochs::discard(Block* block) noexcept {
  const Dead dead{block->born, block, {}};
  if (!owned(block->born) && keep(dead)) return;
  if (Readers::any()) {
    retire(&dead, 1);
  } else {
    free(dead);
  }
}

meta::Object Epochs::discard(Handle handle, Epoch born) {
  const Dead dead{born, nullptr, handle};
  if (!owned(born) && keep(dead)) return {};
  if (!Readers::any()) return handle.take();
  retire(&dead, 1);
  return {};
}

bool Epochs::keep(const Dead& dead) {
  const std::lock_guard lock(mutex_);
  if (live_.empty() || live_.back().epoch < dead.born) return false;
  insist([&] { live_.back().dead.push_back(dead); });
  return true;
}

void Epochs::retire(const Dead* first, std::size_t count) {
  std::size_t waiting = 0;
  {
    const std::lock_guard lock(limbo_mutex_);
    insist([&] { next_.insert(next_.end(), first, first + count); });
    waiting = next_.size();
    in_limbo_.fetch_add(count, std::memory_order_relaxed);
  }
  if (waiting / kLimboBatch != (waiting - count) / kLimboBatch) empty_limbo();
}

void Epochs::empty_limbo() {
  std::vector<Dead> free_now;
  {
    const std::lock_guard lock(limbo_mutex_);
    if (!waiting_.empty() && !Readers::ended(under_way_)) return;
    free_now.swap(waiting_);
    waiting_.swap(next_);
    insist([&] { Readers::look(under_way_); });
    if (under_way_.empty()) {
      insist([&] { free_now.insert(free_now.end(), waiting_.begin(), waiting_.end()); });
      waiting_.clear();
    }
    in_limbo_.fetch_sub(free_now.size(), std::memory_order_relaxed);
  }
  for (const Dead& dead : free_now) free(dead);
}

void Epochs::free(const Dead& dead) noexcept {
  if (dead.block == nullptr) {
    static_cast<void>(dead.handle.take());
    return;
  }
  const std::size_t bytes = dead.block->bytes;
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  if (on_large_pages(bytes)) return free_on_large_pages(dead.block, bytes);
  ::operator delete(static_cast<void*>(dead.block));
}

}  // namespace kubexx::store
