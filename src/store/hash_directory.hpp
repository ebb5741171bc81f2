#pragma once

#include <cstddef>
#include <cstdint>

#include "kubexx/base/detail/prefetch.hpp"
#include "store/epochs.hpp"
#include "store/shared_word.hpp"

namespace kubexx::store {

inline constexpr std::uint32_t kNoId = 0xffffffffU;

/// A hash table from 32-bit hashes to ids, shared with snapshots (extendible hashing). A directory, indexed by the
/// first bits of the hash, points to buckets of open addressing; a full bucket grows and then splits in two, so no
/// insert ever rehashes everything; an emptied one shrinks. What the ids mean, and whether two keys are equal, is the
/// caller's. KeyDirectory also keeps each object's handle beside its slot: a lookup finds it without going by the id.
///
/// A value of one word; copying it makes a second reader, not a second table. Who writes also discards.
///
/// Threads: find() may run while one thread writes, if the writer's memory is kept for it (Readers). It finds what was
/// there all the time, unless something was erased or changed its id meanwhile: then it may miss other things too.
template <bool kWithHandles>
class BasicHashDirectory {
 public:
  struct alignas(8) Slot {
    std::uint32_t hash;
    std::uint32_t id;  // kNoId: empty
  };

  /// The id with this hash that `is_it` confirms, or kNoId. It is called with the id, and the handle if there is one.
  template <class IsIt>
  std::uint32_t find(std::uint32_t hash, IsIt is_it) const {
    const Block* directory = load_shared(directory_);
    if (directory == nullptr) return kNoId;
    const Bucket bucket(load_shared(entries(directory)[place_of(hash, directory)]));
    const std::uint32_t home = bucket.home(hash);
    if constexpr (kWithHandles) kubexx::prefetch(&bucket.handles()[home]);
    std::uint32_t at = home;
    do {
      const Slot slot = load_shared(bucket.slots()[at]);
      if (slot.id == kNoId) return kNoId;
      if (slot.hash == hash) {
        if constexpr (kWithHandles) {
          if (is_it(slot.id, load_shared(bucket.handles()[at]))) return slot.id;
        } else {
          if (is_it(slot.id)) return slot.id;
        }
      }
      at = bucket.next(at);
    } while (at != home);  // a bucket is never full, but may look so while it changes
    return kNoId;
  }
  /// Asks for the memory that find() will need. May run while one thread writes, as that.
  void prefetch_to_find(std::uint32_t hash) const noexcept {
    const Block* directory = load_shared(directory_);
    if (directory == nullptr) return;
    const Bucket bucket(load_shared(entries(directory)[place_of(hash, directory)]));
    const std::uint32_t home = bucket.home(hash);
    kubexx::prefetch(&bucket.slots()[home]);
    if constexpr (kWithHandles) kubexx::prefetch(&bucket.handles()[home]);
  }
  /// Asks for the memory that a write will need.
  void prefetch(std::uint32_t hash) const noexcept {
    if (directory_ == nullptr) return;
    const Bucket bucket = bucket_of(hash);
    prefetch_to_write(&bucket.slots()[bucket.home(hash)]);
    if constexpr (kWithHandles) prefetch_to_write(&bucket.handles()[bucket.home(hash)]);
  }

  /// Must not be there yet.
  void insert(std::uint32_t hash, std::uint32_t id, Epochs& epochs)
    requires(!kWithHandles)
  {
    add({hash, id}, Handle{}, epochs);
  }
  void insert(std::uint32_t hash, std::uint32_t id, Handle handle, Epochs& epochs)
    requires kWithHandles
  {
    add({hash, id}, handle, epochs);
  }
  void set_handle(std::uint32_t hash, std::uint32_t id, Handle handle, Epochs& epochs)  ///< must be there
    requires kWithHandles
  {
    const Bucket bucket = own_bucket(hash, epochs);
    store_shared(bucket.handles()[bucket.slot_of(hash, id)], handle);
  }
  void erase(std::uint32_t hash, std::uint32_t id, Epochs& epochs);                          ///< must be there
  void change_id(std::uint32_t hash, std::uint32_t from, std::uint32_t to, Epochs& epochs);  ///< must be there
  void discard(Epochs& epochs);

 private:
  static constexpr unsigned kMaxDepth = 22;
  static constexpr std::uint32_t kFirstCapacity = 8;
  static constexpr std::uint32_t kMaxCapacity = 511;  // unless the directory cannot grow any more
  // From 71 on, with handles, the sizes of blocks on large pages.
  static constexpr std::uint32_t kCapacities[16] = {8,   17,   35,   71,   143,  287,   383,   511,
                                                    767, 1024, 2048, 4096, 8192, 16384, 32768, 65536};

  /// A place of the directory: the address of a bucket's block and, in its free low bits, which of the capacities it
  /// has. One word, so that a reader gets both at once and touches nothing of the bucket but the slots.
  using Entry = std::uint64_t;

  /// The hashes of a bucket share its first `depth` bits. The block's `count` has the depth in its highest byte, and
  /// the number of used slots.
  struct Bucket {
    Block* block;
    std::uint32_t capacity;

    explicit Bucket(Entry entry) noexcept
        : block(reinterpret_cast<Block*>(entry & ~Entry{15})), capacity(kCapacities[entry & 15]) {}
    Bucket(std::uint32_t depth, std::uint32_t wanted, Epochs& epochs);
    Entry entry() const noexcept;

    Slot* slots() const noexcept { return reinterpret_cast<Slot*>(block + 1); }
    Handle* handles() const noexcept { return reinterpret_cast<Handle*>(slots() + capacity); }  // if there are any
    std::uint32_t depth() const noexcept { return block->count >> 24; }
    std::uint32_t used() const noexcept { return block->count & 0xffffffU; }
    // The first bits chose the bucket, so the home comes from the others.
    std::uint32_t home(std::uint32_t hash) const noexcept {
      return static_cast<std::uint32_t>((std::uint64_t{hash * 0x9e3779b1U} * capacity) >> 32);
    }
    std::uint32_t next(std::uint32_t at) const noexcept { return at + 1 == capacity ? 0 : at + 1; }
    std::uint32_t slot_of(std::uint32_t hash, std::uint32_t id) const noexcept;
    std::uint32_t free_slot(std::uint32_t hash) const noexcept;
    void put(const Bucket& from, std::uint32_t at) const noexcept;  ///< while no reader knows this bucket
  };
  static Entry* entries(const Block* directory) noexcept {
    return reinterpret_cast<Entry*>(const_cast<Block*>(directory) + 1);
  }
  unsigned depth() const noexcept { return directory_->count; }
  static std::size_t place_of(std::uint32_t hash, const Block* directory) noexcept {
    return static_cast<std::size_t>(std::uint64_t{hash} >> (32 - directory->count));
  }
  Bucket bucket_of(std::uint32_t hash) const noexcept {
    return Bucket(entries(directory_)[place_of(hash, directory_)]);
  }

  void add(Slot slot, Handle handle, Epochs& epochs);
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

using HashDirectory = BasicHashDirectory<false>;
using KeyDirectory = BasicHashDirectory<true>;
extern template class BasicHashDirectory<false>;
extern template class BasicHashDirectory<true>;

}  // namespace kubexx::store
