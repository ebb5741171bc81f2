#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "kubexx/meta/fragment_memory.hpp"

/// What stands once for several documents; docs/adr/0014-fragments-and-cache-files.md.
namespace kubexx::meta::detail {

/// A value outside of documents: its nodes stand behind it, with offsets that count from its first byte.
struct Fragment {
  std::uint32_t size = 0;  // bytes, this header included
  std::uint32_t root = 0;  // a word, never one of a fragment

  const std::byte* base() const noexcept { return reinterpret_cast<const std::byte*>(this); }
  bool equals(std::string_view nodes, std::uint32_t other_root) const noexcept {
    return root == other_root && size == sizeof(Fragment) + nodes.size() &&
           std::memcmp(base() + sizeof(Fragment), nodes.data(), nodes.size()) == 0;
  }
};

/// Where the number of a fragment leads. Chunks never move while one of their slots is in use, so readers take no lock:
/// whoever reads holds a reference, directly or by its document.
struct FragmentSlot {
  const Fragment* fragment = nullptr;
  std::atomic<std::uint32_t> references{0};  // becomes 0 under the lock of its shard only
  std::uint32_t hash = 0;                    // of a free slot: the next free one of its chunk
};

struct FragmentChunk {
  static constexpr unsigned kBits = 10;
  static constexpr std::uint32_t kSlots = 1U << kBits;
  std::array<FragmentSlot, kSlots> slots;
};

inline constexpr unsigned kFragmentBits = 28;
extern std::array<std::atomic<FragmentChunk*>, (std::size_t{1} << kFragmentBits) / FragmentChunk::kSlots>
    fragment_chunks;

inline FragmentSlot& fragment_slot(std::uint32_t number) noexcept {
  FragmentChunk* chunk = fragment_chunks[number >> FragmentChunk::kBits].load(std::memory_order_acquire);
  return chunk->slots[number & (FragmentChunk::kSlots - 1)];
}
inline const Fragment& fragment_at(std::uint32_t number) noexcept {
  return *fragment_slot(number).fragment;
}

/// All fragments of the process.
class Fragments {
 public:
  struct Taken {
    std::uint32_t number = 0;
    std::uint32_t references_before = 0;  // 0: it is new
  };

  static Fragments& process() noexcept;

  /// A hash of contents, seeded once a process.
  std::uint32_t hash(std::string_view nodes, std::uint32_t root) const noexcept;
  /// The fragment with these contents, with one more reference; where there is none it is made. Without memory there is
  /// none.
  std::optional<Taken> take(std::string_view nodes, std::uint32_t root, std::uint32_t hash) noexcept;
  void release(std::uint32_t number) noexcept;
  FragmentMemory memory() const noexcept;

 private:
  /// Slots of a hash and a number plus one, in open addressing.
  struct Shard {
    mutable std::mutex mutex;
    std::vector<std::uint64_t> slots;
    std::size_t used = 0;

    std::size_t home(std::uint64_t slot) const noexcept {
      return static_cast<std::size_t>(slot >> 32) & (slots.size() - 1);
    }
    void insert(std::uint64_t slot) noexcept;
    void resize(std::size_t count);
    bool make_room() noexcept;
    void erase(std::uint32_t number, std::uint32_t hash) noexcept;
  };
  /// A chunk's slots that are free, and its neighbours among the chunks that have some.
  struct Chunk {
    std::uint32_t free_slot = 0;
    std::uint32_t used = FragmentChunk::kSlots;
    std::uint32_t before = kNone;
    std::uint32_t after = kNone;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kShards = 64;

  Fragments();
  Shard& shard_of(std::uint32_t hash) noexcept { return shards_[hash >> 26]; }
  std::optional<std::uint32_t> find(const Shard& shard, std::string_view nodes, std::uint32_t root,
                                    std::uint32_t hash) const noexcept;
  std::uint32_t make(Shard& shard, std::string_view nodes, std::uint32_t root, std::uint32_t hash);
  std::uint32_t take_number();
  void give_back_number(std::uint32_t number) noexcept;
  void add_chunk();
  void link(std::uint32_t chunk) noexcept;
  void unlink(std::uint32_t chunk) noexcept;

  const std::uint64_t seed_;
  std::array<Shard, kShards> shards_;
  std::atomic<std::size_t> count_{0};
  std::atomic<std::size_t> bytes_{0};
  std::mutex numbers_;  // taken behind a shard's
  std::vector<Chunk> chunks_;
  std::uint32_t with_free_ = kNone;           // the first chunk that has free slots
  std::vector<std::uint32_t> absent_chunks_;  // numbers of chunks that went
};

}  // namespace kubexx::meta::detail
