#include "delta/delta_fifo_items.hpp"

#include <utility>

namespace kubexx::delta {
namespace {

constexpr std::size_t kFirstSlots = 16;
constexpr std::size_t kKeptItems = 4096;  // what grew beyond it is given back when the queue is empty

}  // namespace

std::size_t DeltaFifoItems::slot_of(std::string_view key, std::uint64_t hash) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash & mask;
  while (table_[slot] != kNone) {
    const Item& item = slab_[table_[slot] - 1];
    if (item.hash == hash && item.key == key) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

DeltaFifoItems::Item* DeltaFifoItems::find(std::string_view key, std::uint64_t hash) {
  if (table_.empty()) return nullptr;
  const std::uint32_t number = table_[slot_of(key, hash)];
  return number == kNone ? nullptr : &slab_[number - 1];
}

DeltaFifoItems::Item& DeltaFifoItems::find_or_append(std::string_view key, std::uint64_t hash) {
  if (2 * (order_.size() + 1) > table_.size()) grow();
  std::uint32_t& place = table_[slot_of(key, hash)];
  if (place != kNone) return slab_[place - 1];
  std::uint32_t number = static_cast<std::uint32_t>(slab_.size());
  if (free_.empty()) {
    slab_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  place = number + 1;
  order_.push_back(number);
  Item& item = slab_[number];
  item.key = key;
  item.hash = hash;
  return item;
}

DeltaFifoItems::Item DeltaFifoItems::pop_front() {
  const std::uint32_t number = order_.front();
  order_.pop_front();
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = slab_[number].hash & mask;
  while (table_[slot] != number + 1) slot = (slot + 1) & mask;
  erase_slot(slot);
  Item item = std::move(slab_[number]);
  slab_[number] = Item{};
  free_.push_back(number);
  if (order_.empty() && slab_.size() > kKeptItems) *this = DeltaFifoItems();
  return item;
}

void DeltaFifoItems::grow() {
  table_.assign(table_.empty() ? kFirstSlots : 2 * table_.size(), kNone);
  const std::size_t mask = table_.size() - 1;
  for (const std::uint32_t number : order_) {
    std::size_t slot = slab_[number].hash & mask;
    while (table_[slot] != kNone) slot = (slot + 1) & mask;
    table_[slot] = number + 1;
  }
}

void DeltaFifoItems::erase_slot(std::size_t hole) {
  const std::size_t mask = table_.size() - 1;
  table_[hole] = kNone;
  for (std::size_t slot = (hole + 1) & mask; table_[slot] != kNone; slot = (slot + 1) & mask) {
    const std::size_t home = slab_[table_[slot] - 1].hash & mask;
    if (((slot - home) & mask) < ((slot - hole) & mask))
      continue;  // it sits between its home and here without the hole
    table_[hole] = std::exchange(table_[slot], kNone);
    hole = slot;
  }
}

}  // namespace kubexx::delta
