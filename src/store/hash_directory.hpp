#pragma once

#include <cstddef>
#include <cstdint>

#include "store/epochs.hpp"

namespace kubexx::store {

inline constexpr std::uint32_t kNoId = 0xffffffffU;

/// A hash table from 32-bit hashes to ids, shared with snapshots (extendible hashing). A directory, indexed by the
/// first bits of the hash, points to buckets of open addressing; a full bucket grows and then splits in two, so no
/// insert ever rehashes everything; an emptied one shrinks. What the ids mean, and whether two keys are equal, is the
/// caller's.
///
/// A value of one word; copying it makes a second reader, not a second table. Who writes also discards.
class HashDirectory {
 public:
  struct Slot {
    std::uint32_t hash;
    std::uint32_t id;  // kNoId: empty
  };

  /// The id with this hash that `is_it` confirms, or kNoId.
  template <class IsIt>
  std::uint32_t find(std::uint32_t hash, IsIt is_it) const {
    if (directory_ == nullptr) return kNoId;
    const Bucket bucket = bucket_of(hash);
    for (std::uint32_t at = bucket.home(hash);; at = bucket.next(at)) {
      const Slot slot = bucket.slots()[at];
      if (slot.id == kNoId) return kNoId;
      if (slot.hash == hash && is_it(slot.id)) return slot.id;
    }
  }

  void insert(std::uint32_t hash, std::uint32_t id, Epochs& epochs);                         ///< must not be there yet
  void erase(std::uint32_t hash, std::uint32_t id, Epochs& epochs);                          ///< must be there
  void change_id(std::uint32_t hash, std::uint32_t from, std::uint32_t to, Epochs& epochs);  ///< must be there
  void discard(Epochs& epochs);

 private:
  static constexpr unsigned kMaxDepth = 22;
  static constexpr std::uint32_t kFirstCapacity = 8;
  static constexpr std::uint32_t kMaxCapacity = 512;

  /// What the directory knows of a bucket, so that a lookup touches nothing of it but the slots. Its hashes share the
  /// first `depth` bits; the block's `count` is the number of used slots.
  struct Bucket {
    Block* block;
    std::uint32_t capacity;
    std::uint32_t depth;

    Slot* slots() const noexcept { return reinterpret_cast<Slot*>(block + 1); }
    std::uint32_t home(std::uint32_t hash) const noexcept {
      const std::uint64_t rest = static_cast<std::uint32_t>(hash << depth);
      return static_cast<std::uint32_t>((rest * capacity) >> 32);
    }
    std::uint32_t next(std::uint32_t at) const noexcept { return at + 1 == capacity ? 0 : at + 1; }
    std::uint32_t slot_of(std::uint32_t hash, std::uint32_t id) const noexcept;
    void put(Slot slot) const noexcept;
  };
  static Bucket* buckets(const Block* directory) noexcept {
    return reinterpret_cast<Bucket*>(const_cast<Block*>(directory) + 1);
  }
  unsigned depth() const noexcept { return directory_->count; }
  std::size_t place_of(std::uint32_t hash) const noexcept {
    return static_cast<std::size_t>(std::uint64_t{hash} >> (32 - depth()));
  }
  const Bucket& bucket_of(std::uint32_t hash) const noexcept { return buckets(directory_)[place_of(hash)]; }

  static Bucket new_bucket(std::uint32_t depth, std::uint32_t capacity, Epochs& epochs);
  Bucket own_bucket(std::uint32_t hash, Epochs& epochs);
  void own_directory(Epochs& epochs);
  void double_directory(Epochs& epochs);
  /// Lets every place of the directory that the bucket of this hash has name it.
  void point(std::uint32_t hash, const Bucket& bucket);
  void make_room(std::uint32_t hash, Epochs& epochs);
  void resize(std::uint32_t hash, std::uint32_t capacity, Epochs& epochs);
  void split(std::uint32_t hash, const Bucket& full, Epochs& epochs);

  Block* directory_ = nullptr;  // its `count` is the number of bits that choose a bucket
};

}  // namespace kubexx::store
