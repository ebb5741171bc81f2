#include "apiserver/http/frame_cache.hpp"

#include <algorithm>

namespace kubexx::apiserver {

struct FrameCache::Counted {
  Counted(std::string b, std::shared_ptr<std::atomic<std::size_t>> h) : bytes(std::move(b)), held(std::move(h)) {
    *held += bytes.capacity();
  }
  ~Counted() { *held -= bytes.capacity(); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  const std::string bytes;
  const std::shared_ptr<std::atomic<std::size_t>> held;
};

std::size_t FrameCache::Hash::operator()(const Key& key) const noexcept {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;
  std::uint64_t hash = key.version * kSpread ^ key.shape;
  hash = (hash ^ (hash >> 32)) * kSpread ^ static_cast<std::uint64_t>(key.moment);
  return hash ^ (hash >> 29);
}

SharedBytes FrameCache::count(std::string bytes) const {
  const auto counted = std::make_shared<const Counted>(std::move(bytes), held_);
  return {counted, &counted->bytes};
}

// As often as the living have doubled: constant time for each.
void FrameCache::sweep() {
  std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
  sweep_at_ = std::max(kFirstSweep, 2 * known_.size());
}

void FrameCache::clear() {
  decltype(known_)().swap(known_);
  sweep_at_ = kFirstSweep;
}

}  // namespace kubexx::apiserver
