#include "store/hash_directory.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "base/internal/assert.hpp"

namespace kubexx::store {
namespace {

bool too_full(std::uint32_t used, std::uint32_t capacity) {
  return 5 * used > 4 * capacity;
}

/// The least capacity in which so many and one more have room.
std::uint32_t fitting(std::uint32_t count) {
  return (5 * (count + 1) + 3) / 4;
}

}  // namespace

template <bool kWithHandles>
BasicHashDirectory<kWithHandles>::Bucket::Bucket(std::uint32_t depth, std::uint32_t wanted, Epochs& epochs)
    : block(nullptr), capacity(0) {
  for (const std::uint32_t each : kCapacities) {
    if (each < wanted) continue;
    capacity = each;
    break;
  }
  if (capacity == 0) throw std::length_error("too many keys of a store have nearly the same hash");
  block = epochs.allocate(capacity * (sizeof(Slot) + (kWithHandles ? sizeof(Handle) : 0)));
  block->count = depth << 24;
  std::fill_n(slots(), capacity, Slot{0, kNoId});
}

template <bool kWithHandles>
typename BasicHashDirectory<kWithHandles>::Entry BasicHashDirectory<kWithHandles>::Bucket::entry() const noexcept {
  const auto* at = std::find(std::begin(kCapacities), std::end(kCapacities), capacity);
  return reinterpret_cast<Entry>(block) | static_cast<Entry>(at - kCapacities);
}

template <bool kWithHandles>
std::uint32_t BasicHashDirectory<kWithHandles>::Bucket::slot_of(std::uint32_t hash, std::uint32_t id) const noexcept {
  std::uint32_t at = home(hash);
  while (slots()[at].id != id) {
    KUBEXX_ASSERT(slots()[at].id != kNoId);
    at = next(at);
  }
  return at;
}

template <bool kWithHandles>
std::uint32_t BasicHashDirectory<kWithHandles>::Bucket::free_slot(std::uint32_t hash) const noexcept {
  std::uint32_t at = home(hash);
  while (slots()[at].id != kNoId) at = next(at);
  return at;
}

template <bool kWithHandles>
void BasicHashDirectory<kWithHandles>::Bucket::put(const Bucket& from, std::uint32_t at) const noexcept {
  const Slot slot = from.slots()[at];
  const std::uint32_t to = free_slot(slot.hash);
  slots()[to] = slot;
  if constexpr (kWithHandles) handles()[to] = from.handles()[at];
  ++block->count;
}

template <bool kWithHandles>
void BasicHashDirectory<kWithHandles>::own_directory(Epochs& epochs) {
  if (epochs.owned(directory_->born)) return;
  Block* old = directory_;
  store_shared(directory_, epochs.clone(old, old->bytes - sizeof(Block)));
  epochs.discard(old);
}

template <bool kWithHandles>
void BasicHashDirectory<kWithHandles>::double_directory(Epochs& epochs) {
  Block* old = directory_;
  Block* twice = epochs.allocate(2 * (old->bytes - sizeof(Block)));
  twice->count = depth() + 1;
  for (std::size_t i = std::size_t{1} << depth(); i-- > 0;) {
    entries(twice)[2 * i] = entries(twice)[2 * i + 1] = entries(old)[i];
  }
  store_shared(directory_, twice);
  epochs.discard(old);
}

template <bool kWithHandles>
void BasicHashDirectory<kWithHandles>::point(std::uint32_t hash, const Bucket& bucket) {
  const unsigned free_bits = depth() - bucket.depth();
  const std::size_t first = place_of(hash, directory_) >> free_bits << free_bits;
  const Entry entry = bucket.entry();
  for (std::size_t i = 0; i < std::size_t{1} << free_bits; ++i) store_shared(entries(directory_)[first + i], entry);
}

template <bool kWithHandles>
typename BasicHashDirectory<kWithHandles>::Bucket BasicHashDirectory<kWithHandles>::own_bucket(std::uint32_t hash,
                                                                                               Epochs& epochs) {
  const Bucket bucket = bucket_of(hash);
  if (epochs.owned(bucket.block->born)) return bucket;
  own_directory(epochs);
  Bucket copy = bucket;
  copy.block = epochs.clone(bucket.block, bucket.block->bytes - sizeof(Block));
  point(hash, copy);
  epochs.discard(bucket.block);
  return copy;
}

template <bool kWithHandles>
void BasicHashDirectory<kWithHandles>::resize(std::uint32_t hash, std::uint32_t capacity, Epochs& epochs) {
  own_directory(epochs);
  const Bucket old = bucket_of(hash);
  const Bucket resized(old.depth(), capacity, epochs);
  for (std::uint32_t at = 0; at < old.capacity; ++at) {
    if (old.slots()[at].id != kNoId) resized.put(old, at);
  }
  point(hash, resized);
  epochs.discard(old.block);
}

template <bool kWithHandles>
void BasicHashDirectory<kWithHandles>::make_room(std::uint32_t hash, Epochs& epochs) {
  const Bucket full = bucket_of(hash);
  if (full.capacity < kMaxCapacity || full.depth() == kMaxDepth) {
    resize(hash, full.capacity + 1, epochs);
    return;
  }
  own_directory(epochs);
  split(hash, full, epochs);
  epochs.discard(full.block);
}

template <bool kWithHandles>
void BasicHashDirectory<kWithHandles>::split(std::uint32_t hash, const Bucket& full, Epochs& epochs) {
  if (full.depth() == depth()) double_directory(epochs);
  const std::uint32_t bit = std::uint32_t{1} << (31 - full.depth());
  const auto each_slot = [&](auto use) {
    for (std::uint32_t at = 0; at < full.capacity; ++at) {
      if (full.slots()[at].id != kNoId) use(at, (full.slots()[at].hash & bit) != 0);
    }
  };
  std::uint32_t ones = 0;
  each_slot([&](std::uint32_t, bool one) { ones += one ? 1 : 0; });
  const Bucket low(full.depth() + 1, fitting(full.used() - ones), epochs);
  const Bucket high(full.depth() + 1, fitting(ones), epochs);
  each_slot([&](std::uint32_t at, bool one) { (one ? high : low).put(full, at); });
  point(hash & ~bit, low);
  point(hash | bit, high);
}

template <bool kWithHandles>
void BasicHashDirectory<kWithHandles>::add(Slot slot, Handle handle, Epochs& epochs) {
  const std::uint32_t hash = slot.hash;
  if (directory_ == nullptr) {
    Block* first = epochs.allocate(sizeof(Entry));
    entries(first)[0] = Bucket(0, kFirstCapacity, epochs).entry();
    store_shared(directory_, first);
  }
  while (too_full(bucket_of(hash).used() + 1, bucket_of(hash).capacity)) make_room(hash, epochs);
  const Bucket bucket = own_bucket(hash, epochs);
  const std::uint32_t at = bucket.free_slot(hash);
  if constexpr (kWithHandles) store_shared(bucket.handles()[at], handle);  // before the slot that leads to it
  store_shared(bucket.slots()[at], slot);
  ++bucket.block->count;
}

template <bool kWithHandles>
void BasicHashDirectory<kWithHandles>::erase(std::uint32_t hash, std::uint32_t id, Epochs& epochs) {
  const Bucket bucket = own_bucket(hash, epochs);
  Slot* slots = bucket.slots();
  const auto distance = [&](std::uint32_t from, std::uint32_t to) {
    return to >= from ? to - from : to + bucket.capacity - from;
  };
  std::uint32_t hole = bucket.slot_of(hash, id);
  for (std::uint32_t at = bucket.next(hole); slots[at].id != kNoId; at = bucket.next(at)) {
    if (distance(bucket.home(slots[at].hash), at) < distance(hole, at)) continue;  // the hole is before its home
    if constexpr (kWithHandles) store_shared(bucket.handles()[hole], bucket.handles()[at]);
    store_shared(slots[hole], slots[at]);
    hole = at;
  }
  store_shared(slots[hole], Slot{0, kNoId});
  --bucket.block->count;
  if (bucket.capacity > kFirstCapacity && 6 * bucket.used() < bucket.capacity) {
    resize(hash, fitting(2 * bucket.used()), epochs);
  }
}

template <bool kWithHandles>
void BasicHashDirectory<kWithHandles>::change_id(std::uint32_t hash, std::uint32_t from, std::uint32_t to,
                                                 Epochs& epochs) {
  const Bucket bucket = own_bucket(hash, epochs);
  store_shared(bucket.slots()[bucket.slot_of(hash, from)], Slot{hash, to});
}

template <bool kWithHandles>
void BasicHashDirectory<kWithHandles>::discard(Epochs& epochs) {
  if (directory_ == nullptr) return;
  const std::size_t places = std::size_t{1} << depth();
  for (std::size_t i = 0; i < places;) {
    const Bucket bucket(entries(directory_)[i]);
    i += std::size_t{1} << (depth() - bucket.depth());
    epochs.discard(bucket.block);
  }
  epochs.discard(directory_);
  directory_ = nullptr;
}

template class BasicHashDirectory<false>;
template class BasicHashDirectory<true>;

}  // namespace kubexx::store
