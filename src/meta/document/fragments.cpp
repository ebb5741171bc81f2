#include "meta/document/fragments.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "kubexx/base/detail/hash.hpp"
#include "kubexx/base/large_pages.hpp"
#include "kubexx/base/random.hpp"

namespace kubexx::meta {
namespace detail {

constinit std::array<std::atomic<FragmentChunk*>, (std::size_t{1} << kFragmentBits) / FragmentChunk::kSlots>
    fragment_chunks{};

namespace {

constexpr std::size_t kFewestSlots = 16;  // of a shard

std::uint32_t number_of(std::uint64_t slot) noexcept {
  return static_cast<std::uint32_t>(slot) - 1;
}

std::uint64_t index_slot(std::uint32_t number, std::uint32_t hash) noexcept {
  return std::uint64_t{hash} << 32 | (number + 1);
}

struct FreeFragment {
  void operator()(Fragment* fragment) const noexcept { free_on_large_pages(fragment, fragment->size); }
};

std::unique_ptr<Fragment, FreeFragment> new_fragment(std::string_view nodes, std::uint32_t root) {
  const std::size_t bytes = sizeof(Fragment) + nodes.size();
  auto* fragment = ::new (allocate_on_large_pages(bytes)) Fragment{static_cast<std::uint32_t>(bytes), root};
  std::memcpy(reinterpret_cast<char*>(fragment + 1), nodes.data(), nodes.size());
  return std::unique_ptr<Fragment, FreeFragment>(fragment);
}

}  // namespace

// Objects may outlive every static of the program, so this one is never destroyed.
Fragments& Fragments::process() noexcept {
  static Fragments& fragments = *new Fragments;
  return fragments;
}

Fragments::Fragments() : seed_(Random::process().next()) {}

std::uint32_t Fragments::hash(std::string_view nodes, std::uint32_t root) const noexcept {
  return static_cast<std::uint32_t>(kubexx::detail::hash_bytes(nodes, seed_ ^ root) >> 32);
}

std::optional<Fragments::Taken> Fragments::take(std::string_view nodes, std::uint32_t root,
                                                std::uint32_t hash) noexcept {
  Shard& shard = shard_of(hash);
  const std::lock_guard lock(shard.mutex);
  if (const auto number = find(shard, nodes, root, hash)) {
    return Taken{*number, fragment_slot(*number).references.fetch_add(1, std::memory_order_relaxed)};
  }
  if (!shard.make_room()) return std::nullopt;
  try {
    return Taken{make(shard, nodes, root, hash), 0};
  } catch (const std::bad_alloc&) {
    return std::nullopt;  // sharing is never needed
  }
}

std::optional<std::uint32_t> Fragments::find(const Shard& shard, std::string_view nodes, std::uint32_t root,
                                             std::uint32_t hash) const noexcept {
  if (shard.slots.empty()) return std::nullopt;
  const std::size_t mask = shard.slots.size() - 1;
  for (std::size_t at = hash & mask; shard.slots[at] != 0; at = (at + 1) & mask) {
    if (static_cast<std::uint32_t>(shard.slots[at] >> 32) != hash) continue;
    if (fragment_at(number_of(shard.slots[at])).equals(nodes, root)) return number_of(shard.slots[at]);
  }
  return std::nullopt;
}

std::uint32_t Fragments::make(Shard& shard, std::string_view nodes, std::uint32_t root, std::uint32_t hash) {
  auto fragment = new_fragment(nodes, root);
  const std::uint32_t number = take_number();
  FragmentSlot& slot = fragment_slot(number);
  slot.hash = hash;
  slot.references.store(1, std::memory_order_relaxed);
  bytes_.fetch_add(fragment->size, std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_relaxed);
  slot.fragment = fragment.release();
  shard.insert(index_slot(number, hash));
  return number;
}

void Fragments::release(std::uint32_t number) noexcept {
  FragmentSlot& slot = fragment_slot(number);
  std::uint32_t references = slot.references.load(std::memory_order_relaxed);
  while (references > 1) {
    if (slot.references.compare_exchange_weak(references, references - 1, std::memory_order_acq_rel)) return;
  }
  std::unique_ptr<Fragment, FreeFragment> gone;
  {
    // A decoder may find it again until the lock is taken; then it stays.
    Shard& shard = shard_of(slot.hash);
    const std::lock_guard lock(shard.mutex);
    if (slot.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    shard.erase(number, slot.hash);
    gone.reset(const_cast<Fragment*>(slot.fragment));
    give_back_number(number);
  }
  bytes_.fetch_sub(gone->size, std::memory_order_relaxed);
  count_.fetch_sub(1, std::memory_order_relaxed);
}

FragmentMemory Fragments::memory() const noexcept {
  return {count_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed)};
}

void Fragments::Shard::insert(std::uint64_t slot) noexcept {
  std::size_t at = home(slot);
  while (slots[at] != 0) at = (at + 1) & (slots.size() - 1);
  slots[at] = slot;
  ++used;
}

void Fragments::Shard::resize(std::size_t count) {
  std::vector<std::uint64_t> before(count);
  before.swap(slots);
  used = 0;
  for (const std::uint64_t slot : before) {
    if (slot != 0) insert(slot);
  }
}

/// For one more; one slot always stays free, or a search would not end.
bool Fragments::Shard::make_room() noexcept {
  if ((used + 1) * 4 <= slots.size() * 3) return true;
  try {
    resize(std::max(kFewestSlots, slots.size() * 2));
    return true;
  } catch (const std::bad_alloc&) {
    return used + 1 < slots.size();
  }
}

void Fragments::Shard::erase(std::uint32_t number, std::uint32_t hash) noexcept {
  const std::size_t mask = slots.size() - 1;
  const std::uint64_t wanted = index_slot(number, hash);
  std::size_t hole = hash & mask;
  while (slots[hole] != wanted) hole = (hole + 1) & mask;
  // What follows moves up, unless that would put it before its home.
  for (std::size_t at = (hole + 1) & mask; slots[at] != 0; at = (at + 1) & mask) {
    if (((at - home(slots[at])) & mask) < ((at - hole) & mask)) continue;
    slots[hole] = slots[at];
    hole = at;
  }
  slots[hole] = 0;
  --used;
  if (slots.size() <= kFewestSlots || used * 8 > slots.size()) return;
  try {
    resize(slots.size() / 2);
  } catch (const std::bad_alloc&) {  // it stays as large as it is
  }
}

std::uint32_t Fragments::take_number() {
  const std::lock_guard lock(numbers_);
  if (with_free_ == kNone) add_chunk();
  const std::uint32_t index = with_free_;
  Chunk& chunk = chunks_[index];
  const std::uint32_t number = index << FragmentChunk::kBits | chunk.free_slot;
  chunk.free_slot = fragment_slot(number).hash;
  if (++chunk.used == FragmentChunk::kSlots) unlink(index);
  return number;
}

void Fragments::give_back_number(std::uint32_t number) noexcept {
  const std::lock_guard lock(numbers_);
  const std::uint32_t index = number >> FragmentChunk::kBits;
  Chunk& chunk = chunks_[index];
  FragmentSlot& slot = fragment_slot(number);
  slot.fragment = nullptr;
  slot.hash = chunk.free_slot;
  chunk.free_slot = number & (FragmentChunk::kSlots - 1);
  if (chunk.used-- == FragmentChunk::kSlots) link(index);
  const bool only = with_free_ == index && chunk.after == kNone;
  if (chunk.used > 0 || only) return;
  unlink(index);
  delete fragment_chunks[index].exchange(nullptr, std::memory_order_acq_rel);
  absent_chunks_.push_back(index);  // there is room: add_chunk() saw to it
}

void Fragments::add_chunk() {
  auto slots = std::make_unique<FragmentChunk>();
  for (std::uint32_t i = 0; i < FragmentChunk::kSlots; ++i) slots->slots[i].hash = i + 1;
  if (absent_chunks_.empty()) {
    if (chunks_.size() == fragment_chunks.size()) throw std::bad_alloc();  // no more numbers
    absent_chunks_.reserve(chunks_.size() + 1);
    chunks_.emplace_back();
    absent_chunks_.push_back(static_cast<std::uint32_t>(chunks_.size() - 1));
  }
  const std::uint32_t index = absent_chunks_.back();
  absent_chunks_.pop_back();
  chunks_[index] = {.free_slot = 0, .used = 0};
  fragment_chunks[index].store(slots.release(), std::memory_order_release);
  link(index);
}

void Fragments::link(std::uint32_t chunk) noexcept {
  chunks_[chunk].before = kNone;
  chunks_[chunk].after = with_free_;
  if (with_free_ != kNone) chunks_[with_free_].before = chunk;
  with_free_ = chunk;
}

void Fragments::unlink(std::uint32_t chunk) noexcept {
  const Chunk& at = chunks_[chunk];
  if (at.before != kNone) {
    chunks_[at.before].after = at.after;
  } else {
    with_free_ = at.after;
  }
  if (at.after != kNone) chunks_[at.after].before = at.before;
}

}  // namespace detail

FragmentMemory fragment_memory() noexcept {
  return detail::Fragments::process().memory();
}

}  // namespace kubexx::meta
