#include "delta/delta_fifo_items.hpp"

#include <utility>

namespace kubexx::delta {
namespace {

constexpr std::size_t kFirstSlots = 16;
constexpr std::size_t kKeptSlots = 8192;  // a table that grew beyond it is given back when the queue is empty
constexpr std::size_t kFirstMany = 4;
constexpr std::uint32_t kItemsAhead = 6;  // items whose memory is asked for before they are popped

}  // namespace

void DeltaFifoItems::Item::push(Delta delta) {
  if (many_.empty()) {
    many_.reserve(kFirstMany);
    many_.push_back(first_);
  }
  many_.push_back(std::move(delta));
}

/// Where the key stands, or the free slot where it belongs.
std::size_t DeltaFifoItems::slot_of(const meta::Key& key) {
  const std::size_t mask = table_.size() - 1;
  const std::uint32_t mark = mark_of(key.hash());
  std::size_t slot = home_of(mark);
  while (table_[slot].mark != 0) {
    if (table_[slot].mark == mark && at(table_[slot].number).key() == key) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

DeltaFifoItems::Item* DeltaFifoItems::find(const meta::Key& key) {
  if (table_.empty()) return nullptr;
  const Slot& slot = table_[slot_of(key)];
  return slot.mark == 0 ? nullptr : &at(slot.number);
}

DeltaFifoItems::Item* DeltaFifoItems::find_or_append(Delta&& delta) {
  if (2 * (size() + 1) > table_.size()) grow_table();
  Slot& slot = table_[slot_of(delta.key())];
  if (slot.mark != 0) return &at(slot.number);
  Item& item = append_item();  // before the slot: it may find no memory
  slot = {next_ - 1, mark_of(delta.key().hash())};
  item.first_ = std::move(delta);
  return nullptr;
}

void DeltaFifoItems::append(Deltas deltas) {
  find_or_append(std::move(deltas.front()));
  Item& item = at(next_ - 1);
  for (std::size_t i = 1; i < deltas.size(); ++i) item.push(std::move(deltas[i]));
}

void DeltaFifoItems::pop_front(Deltas& into) {
  const std::uint32_t number = first_++;
  Item& item = at(number);
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = home_of(mark_of(item.key().hash()));
  while (table_[slot].mark == 0 || table_[slot].number != number) slot = (slot + 1) & mask;
  erase_slot(slot);

  if (item.many_.empty()) {
    into.push_back(std::move(item.first_));
  } else {
    into = std::exchange(item.many_, {});
    item.first_ = Delta(DeltaType::Added, {}, {});
  }
  if (empty() && table_.size() > kKeptSlots) {
    *this = DeltaFifoItems();
  } else if ((first_ & (kChunk - 1)) == 0) {
    spare_ = std::move(chunks_[(number >> kChunkBits) & (chunks_.size() - 1)]);
  }
  prefetch_front();
}

/// What pop_front will need a few calls later.
void DeltaFifoItems::prefetch_front() const noexcept {
  if (size() <= 2 * kItemsAhead) return;
  const Item& later = at(first_ + 2 * kItemsAhead);
  prefetch(&later);
  prefetch(&later.many_);
  const Item& soon = at(first_ + kItemsAhead);
  prefetch_slot(soon.key());
  prefetch_document(soon.newest().object());
}

DeltaFifoItems::Item& DeltaFifoItems::append_item() {
  if ((next_ & (kChunk - 1)) == 0 || chunks_.empty()) make_room();
  return at(next_++);
}

/// A chunk for the next number.
void DeltaFifoItems::make_room() {
  const std::uint32_t wanted = next_ >> kChunkBits;
  const std::uint32_t used = (next_ - (first_ & ~(kChunk - 1))) >> kChunkBits;
  if (chunks_.empty()) chunks_.resize(4);
  if (used == chunks_.size()) {
    std::vector<std::unique_ptr<Item[]>> ring(2 * chunks_.size());
    for (std::uint32_t chunk = wanted - used; chunk != wanted; ++chunk) {
      ring[chunk & (ring.size() - 1)] = std::move(chunks_[chunk & (chunks_.size() - 1)]);
    }
    chunks_ = std::move(ring);
  }
  auto& place = chunks_[wanted & (chunks_.size() - 1)];
  place = spare_ ? std::move(spare_) : std::make_unique<Item[]>(kChunk);
}

void DeltaFifoItems::grow_table() {
  const Table old = std::exchange(table_, {});
  table_.resize(old.empty() ? kFirstSlots : 2 * old.size());
  const std::size_t mask = table_.size() - 1;
  for (const Slot& each : old) {
    if (each.mark == 0) continue;
    std::size_t slot = home_of(each.mark);
    while (table_[slot].mark != 0) slot = (slot + 1) & mask;
    table_[slot] = each;
  }
}

void DeltaFifoItems::erase_slot(std::size_t hole) {
  const std::size_t mask = table_.size() - 1;
  table_[hole] = {};
  for (std::size_t slot = (hole + 1) & mask; table_[slot].mark != 0; slot = (slot + 1) & mask) {
    const std::size_t home = home_of(table_[slot].mark);
    if (((slot - home) & mask) < ((slot - hole) & mask))
      continue;  // it sits between its home and here without the hole
    table_[hole] = std::exchange(table_[slot], {});
    hole = slot;
  }
}

}  // namespace kubexx::delta
