#pragma once

#include <cstddef>
#include <new>

namespace kubexx {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// Tells the system that the range is worth large pages. `begin` is aligned to one.
void prefer_large_pages(void* begin, std::size_t bytes) noexcept;

/// For tables that are read at random: from the size of a large page on they ask for such pages, because a miss of the
/// translation cache costs more than the access itself.
template <class T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count * sizeof(T) < kLargePage) return static_cast<T*>(::operator new(count * sizeof(T)));
    void* memory = ::operator new(count * sizeof(T), std::align_val_t(kLargePage));
    prefer_large_pages(memory, count * sizeof(T));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count * sizeof(T) < kLargePage) return ::operator delete(memory);
    ::operator delete(memory, std::align_val_t(kLargePage));
  }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

}  // namespace kubexx
