#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "store/epochs.hpp"

namespace kubexx::store {

/// A sorted set of ids, shared with snapshots: one id in place, some in one chunk, many in a directory of chunks. Two
/// words; copying it makes a second reader, not a second set. Who writes also discards.
class IdSet {
 public:
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  /// Calls use(std::span<const std::uint32_t>) for the ids in ascending order; spans stay valid as long
  /// as the set's memory.
  template <class Use>
  void for_each_span(Use use) const {
    if (size_ == 0) return;
    if (levels_ == 0) {
      use(std::span<const std::uint32_t>(&data_.one, 1));
    } else if (levels_ == 1) {
      use(std::span<const std::uint32_t>(ids(block()), block()->count));
    } else {
      for (std::uint32_t i = 0; i < block()->count; ++i) {
        const Block* chunk = entries(block())[i].chunk;
        use(std::span<const std::uint32_t>(ids(chunk), chunk->count));
      }
    }
  }

  void insert(std::uint32_t id, Epochs& epochs);  ///< must not be there yet
  void erase(std::uint32_t id, Epochs& epochs);   ///< must be there
  void discard(Epochs& epochs);

 private:
  struct Entry {
    Block* chunk;
    std::uint32_t first;  // its smallest id when it was made; smaller ones are in the chunks before
  };
  static constexpr std::uint32_t kMaxChunk = 506;

  Block* block() const noexcept { return data_.block; }
  void set_block(Block* block) noexcept { data_.block = block; }
  static std::uint32_t* ids(const Block* chunk) noexcept {
    return reinterpret_cast<std::uint32_t*>(const_cast<Block*>(chunk) + 1);
  }
  static Entry* entries(const Block* directory) noexcept {
    return reinterpret_cast<Entry*>(const_cast<Block*>(directory) + 1);
  }
  static std::uint32_t room(const Block* chunk) noexcept {
    return (chunk->bytes - static_cast<std::uint32_t>(sizeof(Block))) / 4;
  }
  static Block* insert_into(Block* chunk, std::uint32_t id, Epochs& epochs);
  static Block* erase_from(Block* chunk, std::uint32_t id, Epochs& epochs);
  std::uint32_t entry_of(std::uint32_t id) const noexcept;
  void own_directory(Epochs& epochs, std::uint32_t wanted);
  void split(std::uint32_t at, std::uint32_t id, Epochs& epochs);

  std::uint32_t size_ = 0;
  std::uint32_t levels_ = 0;
  union {
    std::uint32_t one;  // no level
    Block* block;       // one level: a chunk; two: a directory
  } data_ = {0};
};

}  // namespace kubexx::store
