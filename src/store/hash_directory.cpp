#include "store/hash_directory.hpp"

#include <algorithm>

#include "kubexx/base/assert.hpp"

namespace kubexx::store {
namespace {

bool too_full(std::uint32_t used, std::uint32_t capacity) {
  return 5 * used > 4 * capacity;
}

// 8, 16, 32, ..., 256, 384, 512: a bucket is between half and four fifths full most of the time.
std::uint32_t next_capacity(std::uint32_t capacity) {
  return capacity < 256 ? 2 * capacity : capacity + 128;
}

std::uint32_t fitting(std::uint32_t count, std::uint32_t least) {
  std::uint32_t capacity = least;
  while (too_full(count + 1, capacity)) capacity = next_capacity(capacity);
  return capacity;
}

}  // namespace

std::uint32_t HashDirectory::Bucket::slot_of(std::uint32_t hash, std::uint32_t id) const noexcept {
  std::uint32_t at = home(hash);
  while (slots()[at].id != id) {
    KUBEXX_ASSERT(slots()[at].id != kNoId);
    at = next(at);
  }
  return at;
}

void HashDirectory::Bucket::put(Slot slot) const noexcept {
  std::uint32_t at = home(slot.hash);
  while (slots()[at].id != kNoId) at = next(at);
  slots()[at] = slot;
  ++block->count;
}

HashDirectory::Bucket HashDirectory::new_bucket(std::uint32_t depth, std::uint32_t capacity, Epochs& epochs) {
  const Bucket bucket{epochs.allocate(capacity * sizeof(Slot)), capacity, depth};
  std::fill_n(bucket.slots(), capacity, Slot{0, kNoId});
  return bucket;
}

void HashDirectory::own_directory(Epochs& epochs) {
  if (epochs.owned(directory_->born)) return;
  Block* copy = epochs.clone(directory_, directory_->bytes - sizeof(Block));
  epochs.discard(directory_);
  directory_ = copy;
}

void HashDirectory::double_directory(Epochs& epochs) {
  Block* twice = epochs.allocate(2 * (directory_->bytes - sizeof(Block)));
  twice->count = depth() + 1;
  for (std::size_t i = std::size_t{1} << depth(); i-- > 0;) {
    buckets(twice)[2 * i] = buckets(twice)[2 * i + 1] = buckets(directory_)[i];
  }
  epochs.discard(directory_);
  directory_ = twice;
}

void HashDirectory::point(std::uint32_t hash, const Bucket& bucket) {
  const unsigned free_bits = depth() - bucket.depth;
  const std::size_t first = place_of(hash) >> free_bits << free_bits;
  std::fill_n(buckets(directory_) + first, std::size_t{1} << free_bits, bucket);
}

HashDirectory::Bucket HashDirectory::own_bucket(std::uint32_t hash, Epochs& epochs) {
  const Bucket bucket = bucket_of(hash);
  if (epochs.owned(bucket.block->born)) return bucket;
  own_directory(epochs);
  const Bucket copy{epochs.clone(bucket.block, bucket.block->bytes - sizeof(Block)), bucket.capacity, bucket.depth};
  point(hash, copy);
  epochs.discard(bucket.block);
  return copy;
}

void HashDirectory::resize(std::uint32_t hash, std::uint32_t capacity, Epochs& epochs) {
  own_directory(epochs);
  const Bucket old = bucket_of(hash);
  const Bucket resized = new_bucket(old.depth, capacity, epochs);
  for (std::uint32_t at = 0; at < old.capacity; ++at) {
    if (old.slots()[at].id != kNoId) resized.put(old.slots()[at]);
  }
  point(hash, resized);
  epochs.discard(old.block);
}

void HashDirectory::make_room(std::uint32_t hash, Epochs& epochs) {
  const Bucket full = bucket_of(hash);
  if (full.capacity < kMaxCapacity || full.depth == kMaxDepth) {
    resize(hash, next_capacity(full.capacity), epochs);
    return;
  }
  own_directory(epochs);
  split(hash, full, epochs);
  epochs.discard(full.block);
}

void HashDirectory::split(std::uint32_t hash, const Bucket& full, Epochs& epochs) {
  if (full.depth == depth()) double_directory(epochs);
  const std::uint32_t bit = std::uint32_t{1} << (31 - full.depth);
  const auto each_slot = [&](auto use) {
    for (std::uint32_t at = 0; at < full.capacity; ++at) {
      if (full.slots()[at].id != kNoId) use(full.slots()[at]);
    }
  };
  std::uint32_t ones = 0;
  each_slot([&](Slot slot) { ones += (slot.hash & bit) != 0 ? 1 : 0; });
  const Bucket low = new_bucket(full.depth + 1, fitting(full.block->count - ones, kFirstCapacity), epochs);
  const Bucket high = new_bucket(full.depth + 1, fitting(ones, kFirstCapacity), epochs);
  each_slot([&](Slot slot) { ((slot.hash & bit) != 0 ? high : low).put(slot); });
  point(hash & ~bit, low);
  point(hash | bit, high);
}

void HashDirectory::insert(std::uint32_t hash, std::uint32_t id, Epochs& epochs) {
  if (directory_ == nullptr) {
    directory_ = epochs.allocate(sizeof(Bucket));
    buckets(directory_)[0] = new_bucket(0, kFirstCapacity, epochs);
  }
  while (too_full(bucket_of(hash).block->count + 1, bucket_of(hash).capacity)) make_room(hash, epochs);
  own_bucket(hash, epochs).put({hash, id});
}

void HashDirectory::erase(std::uint32_t hash, std::uint32_t id, Epochs& epochs) {
  const Bucket bucket = own_bucket(hash, epochs);
  Slot* slots = bucket.slots();
  const auto distance = [&](std::uint32_t from, std::uint32_t to) {
    return to >= from ? to - from : to + bucket.capacity - from;
  };
  std::uint32_t hole = bucket.slot_of(hash, id);
  for (std::uint32_t at = bucket.next(hole); slots[at].id != kNoId; at = bucket.next(at)) {
    if (distance(bucket.home(slots[at].hash), at) < distance(hole, at)) continue;  // the hole is before its home
    slots[hole] = slots[at];
    hole = at;
  }
  slots[hole] = {0, kNoId};
  --bucket.block->count;
  if (bucket.capacity > kFirstCapacity && 6 * bucket.block->count < bucket.capacity) {
    resize(hash, fitting(2 * bucket.block->count, kFirstCapacity), epochs);
  }
}

void HashDirectory::change_id(std::uint32_t hash, std::uint32_t from, std::uint32_t to, Epochs& epochs) {
  const Bucket bucket = own_bucket(hash, epochs);
  bucket.slots()[bucket.slot_of(hash, from)].id = to;
}

void HashDirectory::discard(Epochs& epochs) {
  if (directory_ == nullptr) return;
  const std::size_t places = std::size_t{1} << depth();
  for (std::size_t i = 0; i < places;) {
    const Bucket bucket = buckets(directory_)[i];
    i += std::size_t{1} << (depth() - bucket.depth);
    epochs.discard(bucket.block);
  }
  epochs.discard(directory_);
  directory_ = nullptr;
}

}  // namespace kubexx::store
