#include "transport/buffer_pool.hpp"

#include <algorithm>

namespace kubexx::transport {

Buffer BufferPool::take() {
  Buffer taken;
  {
    const std::lock_guard lock(mutex_);
    free_.reserve(kMost);  // giving back must not need memory
    if (!free_.empty()) {
      taken.bytes_ = std::move(free_.back());
      free_.pop_back();
    }
    kept_ = std::clamp(++in_use_, kept_, kMost);
  }
  taken.pool_ = shared_from_this();
  taken.bytes_.reserve(kBytes);
  return taken;
}

void BufferPool::put(std::string bytes) noexcept {
  const bool whole = bytes.capacity() >= kBytes && bytes.capacity() < 2 * kBytes;
  bytes.clear();
  const std::lock_guard lock(mutex_);
  --in_use_;
  if (whole && free_.size() + in_use_ < kept_) free_.push_back(std::move(bytes));
}

void BufferPool::trim() noexcept {
  const std::lock_guard lock(mutex_);
  kept_ = kFew;
  if (free_.size() > kFew) free_.resize(kFew);
}

void Buffer::give_back() noexcept {
  if (const auto pool = std::exchange(pool_, nullptr)) pool->put(std::move(bytes_));
}

}  // namespace kubexx::transport
