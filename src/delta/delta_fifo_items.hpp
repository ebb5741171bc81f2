#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/delta/delta.hpp"

namespace kubexx::delta {

/// The queued keys of a DeltaFifo in order, each with its deltas: a slab of items, an open-addressing table of their
/// numbers and a queue of them. Not thread-safe.
class DeltaFifoItems {
 public:
  struct Item {
    std::string key;
    std::uint64_t hash = 0;
    Deltas deltas;
  };

  bool empty() const noexcept { return order_.empty(); }
  std::size_t size() const noexcept { return order_.size(); }
  Item* find(std::string_view key, std::uint64_t hash);
  Item& find_or_append(std::string_view key, std::uint64_t hash);
  Item pop_front();
  template <class F>
  void for_each(F function) {
    for (const std::uint32_t number : order_) function(slab_[number]);
  }

 private:
  static constexpr std::uint32_t kNone = 0;  // the table holds numbers plus one

  std::size_t slot_of(std::string_view key, std::uint64_t hash) const;
  void grow();
  void erase_slot(std::size_t slot);

  std::vector<Item> slab_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> table_;  // a power of two, at most half full
  std::deque<std::uint32_t> order_;
};

}  // namespace kubexx::delta
