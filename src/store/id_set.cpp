#include "store/id_set.hpp"

#include <algorithm>
#include <cstring>

#include "base/internal/assert.hpp"

namespace kubexx::store {
namespace {

// 2, 6, 10, 14, 22, 30, 46, ...: with header and malloc's own word, multiples of 16 bytes.
std::uint32_t fitting(std::uint32_t count, std::uint32_t most) {
  std::uint32_t capacity = 2;
  while (capacity < count) capacity += std::max<std::uint32_t>(4, (capacity / 2 + 2) / 4 * 4);
  return std::min(capacity, most);
}

}  // namespace

Block* IdSet::insert_into(Block* chunk, std::uint32_t id, Epochs& epochs) {
  Block* target = chunk;
  if (chunk->count == room(chunk)) {
    target = epochs.clone(chunk, fitting(chunk->count + 1, kMaxChunk) * 4);
  } else if (!epochs.owned(chunk->born)) {
    target = epochs.clone(chunk, chunk->bytes - sizeof(Block));
  }
  if (target != chunk) epochs.discard(chunk);
  std::uint32_t* begin = ids(target);
  std::uint32_t* end = begin + target->count;
  std::uint32_t* at = target->count == 0 || end[-1] < id ? end : std::lower_bound(begin, end, id);
  std::memmove(at + 1, at, static_cast<std::size_t>(end - at) * 4);
  *at = id;
  ++target->count;
  return target;
}

Block* IdSet::erase_from(Block* chunk, std::uint32_t id, Epochs& epochs) {
  Block* target = chunk;
  if (chunk->count > 8 && chunk->count < room(chunk) / 4) {
    target = epochs.allocate(fitting(chunk->count, kMaxChunk) * 4);
    target->count = chunk->count;
    std::memcpy(ids(target), ids(chunk), std::size_t{chunk->count} * 4);
  } else if (!epochs.owned(chunk->born)) {
    target = epochs.clone(chunk, chunk->bytes - sizeof(Block));
  }
  if (target != chunk) epochs.discard(chunk);
  std::uint32_t* end = ids(target) + target->count;
  std::uint32_t* at = std::lower_bound(ids(target), end, id);
  KUBEXX_ASSERT(at != end && *at == id);
  std::memmove(at, at + 1, static_cast<std::size_t>(end - at - 1) * 4);
  --target->count;
  return target;
}

std::uint32_t IdSet::entry_of(std::uint32_t id) const noexcept {
  const Entry* begin = entries(block());
  const Entry* end = begin + block()->count;
  const Entry* at =
      std::upper_bound(begin, end, id, [](std::uint32_t value, const Entry& p) { return value < p.first; });
  return at == begin ? 0 : static_cast<std::uint32_t>(at - begin - 1);
}

void IdSet::own_directory(Epochs& epochs, std::uint32_t wanted) {
  Block* old = block();
  const auto capacity = static_cast<std::uint32_t>((old->bytes - sizeof(Block)) / sizeof(Entry));
  if (wanted <= capacity && epochs.owned(old->born)) return;
  set_block(epochs.clone(old, (wanted <= capacity ? capacity : 2 * wanted) * sizeof(Entry)));
  epochs.discard(old);
}

void IdSet::split(std::uint32_t at, std::uint32_t id, Epochs& epochs) {
  own_directory(epochs, block()->count + 1);
  Entry* begin = entries(block());
  Block* full = begin[at].chunk;
  // Ids mostly come in ascending order: then the full chunk stays full.
  const std::uint32_t left = id > ids(full)[full->count - 1] ? full->count : full->count / 2;
  const std::uint32_t right = full->count - left;
  Block* after = epochs.allocate(fitting(right + 1, kMaxChunk) * 4);
  after->count = right;
  std::memcpy(ids(after), ids(full) + left, std::size_t{right} * 4);
  if (right != 0) {
    Block* before = epochs.allocate(fitting(left + 1, kMaxChunk) * 4);
    before->count = left;
    std::memcpy(ids(before), ids(full), std::size_t{left} * 4);
    begin[at].chunk = before;
    epochs.discard(full);
  }
  std::move_backward(begin + at + 1, begin + block()->count, begin + block()->count + 1);
  begin[at + 1] = {after, right != 0 ? ids(after)[0] : id};
  ++block()->count;
}

void IdSet::insert(std::uint32_t id, Epochs& epochs) {
  ++size_;
  if (size_ == 1) {
    levels_ = 0;
    data_.one = id;
    return;
  }
  if (levels_ == 0) {
    Block* chunk = epochs.allocate(fitting(2, kMaxChunk) * 4);
    ids(chunk)[0] = data_.one;
    chunk->count = 1;
    set_block(chunk);
    levels_ = 1;
  }
  if (levels_ == 1) {
    if (block()->count < kMaxChunk) {
      set_block(insert_into(block(), id, epochs));
      return;
    }
    Block* chunk = block();
    set_block(epochs.allocate(4 * sizeof(Entry)));
    block()->count = 1;
    entries(block())[0] = {chunk, ids(chunk)[0]};
    levels_ = 2;
  }
  std::uint32_t at = entry_of(id);
  if (entries(block())[at].chunk->count == kMaxChunk) {
    split(at, id, epochs);
    at = entry_of(id);
  }
  Block* chunk = entries(block())[at].chunk;
  if (Block* changed = insert_into(chunk, id, epochs); changed != chunk) {
    own_directory(epochs, 0);
    entries(block())[at].chunk = changed;
  }
}

void IdSet::erase(std::uint32_t id, Epochs& epochs) {
  --size_;
  if (levels_ == 0) return;
  if (levels_ == 1) {
    set_block(erase_from(block(), id, epochs));
    if (size_ > 1) return;
    Block* chunk = block();
    data_.one = ids(chunk)[0];
    levels_ = 0;
    epochs.discard(chunk);
    return;
  }
  const std::uint32_t at = entry_of(id);
  Block* chunk = entries(block())[at].chunk;
  Block* changed = erase_from(chunk, id, epochs);
  if (changed != chunk || changed->count == 0) own_directory(epochs, 0);
  Entry* begin = entries(block());
  if (changed != chunk) begin[at].chunk = changed;
  if (changed->count != 0) return;
  epochs.discard(changed);
  std::move(begin + at + 1, begin + block()->count, begin + at);
  if (--block()->count > 1) return;
  Block* directory = block();
  set_block(begin[0].chunk);
  levels_ = 1;
  epochs.discard(directory);
  if (size_ == 1) {
    Block* last = block();
    data_.one = ids(last)[0];
    levels_ = 0;
    epochs.discard(last);
  }
}

void IdSet::discard(Epochs& epochs) {
  if (levels_ == 2) {
    for (std::uint32_t i = 0; i < block()->count; ++i) epochs.discard(entries(block())[i].chunk);
  }
  if (levels_ != 0) epochs.discard(block());
  *this = IdSet();
}

}  // namespace kubexx::store
