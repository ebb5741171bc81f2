#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "store/epochs.hpp"

namespace kubexx::store {

/// A growing array in pages that snapshots share: a directory of pages of kPage elements; the first page starts small.
/// A value of two words; copying it makes a second reader, not a second array. Who writes also discards.
template <class T, std::size_t kPage = 512>
class CowArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const T& operator[](std::size_t index) const noexcept { return items(page(index / kPage))[index % kPage]; }
  std::size_t page_count() const noexcept { return (size_ + kPage - 1) / kPage; }
  const T* page_items(std::size_t number) const noexcept { return items(page(number)); }
  std::size_t page_size(std::size_t number) const noexcept { return std::min(kPage, size_ - number * kPage); }

  T& edit(std::size_t index, Epochs& epochs) {
    Block* at = page(index / kPage);
    if (!epochs.owned(at->born)) at = exchange_page(index / kPage, at, capacity(at), epochs);
    return items(at)[index % kPage];
  }

  void push_back(const T& value, Epochs& epochs) {
    const std::size_t number = size_ / kPage;
    if (size_ % kPage == 0) {
      own_directory(number + 1, epochs);
      pages(directory_)[number] = epochs.allocate((number == 0 ? kFirst : kPage) * sizeof(T));
    } else if (number == 0 && size_ == capacity(page(0))) {
      exchange_page(0, page(0), std::min(2 * size_, kPage), epochs);
    }
    ++size_;
    edit(size_ - 1, epochs) = value;
  }

  void pop_back(Epochs& epochs) {
    --size_;
    if (size_ % kPage != 0) return;
    epochs.discard(page(size_ / kPage));
    if (size_ == 0) {
      epochs.discard(directory_);
      directory_ = nullptr;
    }
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
  Block* page(std::size_t number) const noexcept { return pages(directory_)[number]; }

  void own_directory(std::size_t wanted, Epochs& epochs) {
    if (directory_ == nullptr) {
      directory_ = epochs.allocate(wanted * sizeof(Block*));
      return;
    }
    const std::size_t room = (directory_->bytes - sizeof(Block)) / sizeof(Block*);
    if (wanted <= room && epochs.owned(directory_->born)) return;
    Block* copy = epochs.clone(directory_, (wanted <= room ? room : 2 * wanted) * sizeof(Block*));
    epochs.discard(directory_);
    directory_ = copy;
  }

  Block* exchange_page(std::size_t number, Block* old, std::size_t room, Epochs& epochs) {
    own_directory(number + 1, epochs);
    Block* copy = epochs.clone(old, room * sizeof(T));
    pages(directory_)[number] = copy;
    epochs.discard(old);
    return copy;
  }

  Block* directory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kubexx::store
