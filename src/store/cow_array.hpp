#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "store/epochs.hpp"
#include "store/shared_word.hpp"

namespace kubexx::store {

/// A growing array in pages that snapshots share: a directory of pages of kPage elements; the first page starts small.
/// A value of two words; copying it makes a second reader, not a second array. Who writes also discards.
/// Elements of a shared array are words that are also read while they are written: read_shared().
template <class T, std::size_t kPage = 512, bool kShared = false>
class CowArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const T& operator[](std::size_t index) const noexcept { return items(page(index / kPage))[index % kPage]; }
  std::size_t page_count() const noexcept { return (size_ + kPage - 1) / kPage; }
  const T* page_items(std::size_t number) const noexcept { return items(page(number)); }
  std::size_t page_size(std::size_t number) const noexcept { return std::min(kPage, size_ - number * kPage); }

  /// For a reader without a lock: the element, or T() where there is none (any more).
  T read_shared(std::size_t index) const noexcept
    requires kShared
  {
    const Block* directory = load_shared(directory_);
    if (directory == nullptr || index / kPage >= room(directory)) return T();
    const Block* at = load_shared(pages(directory)[index / kPage]);
    return at == nullptr || index % kPage >= capacity(at) ? T() : load_shared(items(at)[index % kPage]);
  }
  bool empty_shared() const noexcept { return load_shared(directory_) == nullptr; }

  void set(std::size_t index, const T& value, Epochs& epochs) {
    T& place = own(index, epochs);
    if constexpr (kShared) {
      store_shared(place, value);
    } else {
      place = value;
    }
  }
  T& edit(std::size_t index, Epochs& epochs)
    requires(!kShared)
  {
    return own(index, epochs);
  }

  void push_back(const T& value, Epochs& epochs) {
    const std::size_t number = size_ / kPage;
    if (size_ % kPage == 0) {
      own_directory(number + 1, epochs);
      store_shared(pages(directory_)[number], new_page(number == 0 ? kFirst : kPage, epochs));
    } else if (number == 0 && size_ == capacity(page(0))) {
      exchange_page(0, page(0), std::min(2 * size_, kPage), epochs);
    }
    ++size_;
    set(size_ - 1, value, epochs);
  }

  void pop_back(Epochs& epochs) {
    --size_;
    if (size_ % kPage != 0) return;
    Block* last = page(size_ / kPage);
    if (size_ == 0) {
      Block* directory = directory_;
      store_shared(directory_, static_cast<Block*>(nullptr));
      epochs.discard(directory);
    }
    epochs.discard(last);
  }

  void discard(Epochs& epochs) {
    for (std::size_t number = 0; number < page_count(); ++number) epochs.discard(page(number));
    if (directory_ != nullptr) epochs.discard(directory_);
    directory_ = nullptr;
    size_ = 0;
  }

 private:
  static constexpr std::size_t kFirst = 8;

  static Block** pages(const Block* directory) noexcept {
    return reinterpret_cast<Block**>(const_cast<Block*>(directory) + 1);
  }
  static T* items(const Block* block) noexcept { return reinterpret_cast<T*>(const_cast<Block*>(block) + 1); }
  static std::size_t capacity(const Block* block) noexcept { return (block->bytes - sizeof(Block)) / sizeof(T); }
  static std::size_t room(const Block* directory) noexcept {
    return (directory->bytes - sizeof(Block)) / sizeof(Block*);
  }
  Block* page(std::size_t number) const noexcept { return pages(directory_)[number]; }

  T& own(std::size_t index, Epochs& epochs) {
    Block* at = page(index / kPage);
    if (!epochs.owned(at->born)) at = exchange_page(index / kPage, at, capacity(at), epochs);
    return items(at)[index % kPage];
  }

  // What is not used yet is zero: a reader without a lock may come with an index that was removed meanwhile.
  static Block* cleared(Block* block, std::size_t from) noexcept {
    std::memset(reinterpret_cast<std::byte*>(block) + from, 0, block->bytes - from);
    return block;
  }
  static Block* new_page(std::size_t room, Epochs& epochs) {
    return cleared(epochs.allocate(room * sizeof(T)), sizeof(Block));
  }
  static Block* copy_of(const Block* block, std::size_t payload, Epochs& epochs) {
    return cleared(epochs.clone(block, payload), std::min<std::size_t>(block->bytes, sizeof(Block) + payload));
  }

  void own_directory(std::size_t wanted, Epochs& epochs) {
    if (directory_ == nullptr) {
      store_shared(directory_, cleared(epochs.allocate(wanted * sizeof(Block*)), sizeof(Block)));
      return;
    }
    const std::size_t there = room(directory_);
    if (wanted <= there && epochs.owned(directory_->born)) return;
    Block* old = directory_;
    store_shared(directory_, copy_of(old, (wanted <= there ? there : 2 * wanted) * sizeof(Block*), epochs));
    epochs.discard(old);
  }

  Block* exchange_page(std::size_t number, Block* old, std::size_t room, Epochs& epochs) {
    own_directory(number + 1, epochs);
    Block* copy = copy_of(old, room * sizeof(T), epochs);
    store_shared(pages(directory_)[number], copy);
    epochs.discard(old);
    return copy;
  }

  Block* directory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kubexx::store
