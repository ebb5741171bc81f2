#include "kubexx/base/large_pages.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

/// There in a program that was compiled with AddressSanitizer, whether this library was or not.
extern "C" void __asan_init() __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)

namespace kubexx {
namespace {

/// The sanitizer sees what malloc gave and got back, so that a view of an object that is gone is found.
std::size_t largest() noexcept {
  return __asan_init != nullptr ? 0 : 8192;
}

constexpr std::size_t kChunkBytes = std::size_t{2} << 20;  // a large page
constexpr std::size_t kSpanBytes = std::size_t{64} << 10;
constexpr std::size_t kSpans = kChunkBytes / kSpanBytes;
constexpr std::size_t kHeader = 128;     // at the beginning of a span
constexpr std::size_t kPlainChunks = 2;  // a program with a small cache does without large pages
constexpr std::size_t kSpareChunks = 1;  // empty ones that are not given back

/// `begin` is that of a large page.
void prefer_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  // Whole pages only: the rest of the last one may belong to somebody else. A refusal changes nothing but speed.
  ::madvise(begin, bytes - bytes % kChunkBytes, MADV_HUGEPAGE);
#endif
}

// Sizes are multiples of 16 up to 256, and then eight between one power of two and the next.
constexpr std::size_t kClasses = 8 + 6 * 8;
constexpr std::size_t class_of(std::size_t bytes) {
  if (bytes <= 128) return bytes == 0 ? 0 : (bytes - 1) / 16;
  const auto power = static_cast<unsigned>(std::bit_width(bytes - 1) - 1);
  return 8 * (power - 6) + ((bytes - 1 - (std::size_t{1} << power)) >> (power - 3));
}
constexpr std::size_t size_of(std::size_t size_class) {
  if (size_class < 8) return 16 * (size_class + 1);
  const auto power = static_cast<unsigned>(size_class / 8 + 6);
  return (std::size_t{1} << power) + ((size_class % 8 + 1) << (power - 3));
}
static_assert([] {
  for (std::size_t bytes = 1; bytes <= 8192; ++bytes) {
    const std::size_t at = class_of(bytes);
    if (at >= kClasses || size_of(at) < bytes || size_of(at) % 16 != 0) return false;
    if (at > 0 && size_of(at - 1) >= bytes) return false;
  }
  return true;
}());

struct Links {
  Links* previous = this;
  Links* next = this;

  bool alone() const noexcept { return next == this; }
  void insert_behind(Links& other) noexcept {
    previous = &other;
    next = other.next;
    next->previous = this;
    other.next = this;
  }
  void remove() noexcept {
    previous->next = next;
    next->previous = previous;
    previous = next = this;
  }
};

/// The beginning of a large page. In the list of the heap while it has free spans.
struct Chunk : Links {
  std::uint32_t free = ~std::uint32_t{0};  // a bit for each span
};
static_assert(kSpans == 32);

/// A row of blocks of one size. In the list of its class while it has room.
struct Span : Links {
  struct Block {
    Block* next;
  };
  Block* given_back = nullptr;
  std::uint32_t used = 0;       // blocks
  std::uint32_t untouched = 0;  // offset of the first block that was never used
  std::uint32_t size_class = 0;

  bool full() const noexcept { return given_back == nullptr && untouched + size_of(size_class) > kSpanBytes; }
};
static_assert(sizeof(Chunk) + sizeof(Span) <= kHeader);

/// Hands out spans, and chunks come and go with them.
class SpanHeap {
 public:
  Span* take(std::size_t size_class) {
    std::byte* at = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (with_free_spans_.alone()) add_chunk();
      auto& chunk = static_cast<Chunk&>(*with_free_spans_.next);
      if (chunk.free == ~std::uint32_t{0}) --empty_;
      const auto index = static_cast<unsigned>(std::countr_zero(chunk.free));
      chunk.free &= chunk.free - 1;
      if (chunk.free == 0) chunk.remove();
      at = reinterpret_cast<std::byte*>(&chunk) + index * kSpanBytes;
    }
    auto* span = ::new (static_cast<void*>(at + sizeof(Chunk))) Span;
    span->untouched = kHeader;
    span->size_class = static_cast<std::uint32_t>(size_class);
    return span;
  }

  void give_back(Span* span) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(span);
    auto* chunk = reinterpret_cast<Chunk*>(address & ~(kChunkBytes - 1));
    const auto index = (address & (kChunkBytes - 1)) / kSpanBytes;
    span->~Span();
    const std::lock_guard lock(mutex_);
    if (chunk->free == 0) chunk->insert_behind(with_free_spans_);
    chunk->free |= std::uint32_t{1} << index;
    if (chunk->free != ~std::uint32_t{0}) return;
    chunk->remove();
    if (++empty_ <= kSpareChunks) {
      chunk->insert_behind(*with_free_spans_.previous);  // last: what is used already comes first
      return;
    }
    --empty_;
    mapped_.fetch_sub(kChunkBytes, std::memory_order_relaxed);
    chunk->~Chunk();
    ::munmap(static_cast<void*>(chunk), kChunkBytes);
  }

  std::size_t mapped() const noexcept { return mapped_.load(std::memory_order_relaxed); }

 private:
  void add_chunk() {
    // A large page begins at a multiple of its size, and mmap cannot be asked for that.
    void* memory = ::mmap(nullptr, 2 * kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    auto* begin = static_cast<std::byte*>(memory);
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) & (kChunkBytes - 1);
    if (before != 0) ::munmap(begin, before);
    ::munmap(begin + before + kChunkBytes, kChunkBytes - before);
    if (mapped() >= kPlainChunks * kChunkBytes) prefer_large_pages(begin + before, kChunkBytes);
    auto* chunk = ::new (static_cast<void*>(begin + before)) Chunk;
    chunk->insert_behind(with_free_spans_);
    ++empty_;
    mapped_.fetch_add(kChunkBytes, std::memory_order_relaxed);
  }

  std::mutex mutex_;
  Links with_free_spans_;
  std::size_t empty_ = 0;  // chunks without a used span
  std::atomic<std::size_t> mapped_{0};
};

/// The blocks of one size.
class SizeClass {
 public:
  void* take(std::size_t size_class, SpanHeap& spans) {
    const std::lock_guard lock(mutex_);
    if (with_room_.alone()) spans.take(size_class)->insert_behind(with_room_);
    auto& span = static_cast<Span&>(*with_room_.next);
    void* block = span.given_back;
    if (block != nullptr) {
      span.given_back = span.given_back->next;
    } else {
      block = reinterpret_cast<std::byte*>(&span) - sizeof(Chunk) + span.untouched;
      span.untouched += static_cast<std::uint32_t>(size_of(size_class));
    }
    ++span.used;
    if (span.full()) span.remove();
    return block;
  }

  void give_back(void* memory, Span* span, SpanHeap& spans) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (span->full()) span->insert_behind(with_room_);
      span->given_back = ::new (memory) Span::Block{span->given_back};
      if (--span->used > 0) return;
      span->remove();
    }
    spans.give_back(span);
  }

 private:
  std::mutex mutex_;
  Links with_room_;
};

class LargePageHeap {
 public:
  void* take(std::size_t bytes) {
    const std::size_t size_class = class_of(bytes);
    void* block = classes_[size_class].take(size_class, spans_);
    used_.fetch_add(size_of(size_class), std::memory_order_relaxed);
    return block;
  }
  void give_back(void* memory) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory) & ~(kSpanBytes - 1);
    auto* span = reinterpret_cast<Span*>(begin + sizeof(Chunk));
    const std::size_t size_class = span->size_class;
    classes_[size_class].give_back(memory, span, spans_);
    used_.fetch_sub(size_of(size_class), std::memory_order_relaxed);
  }
  LargePageMemory memory() const noexcept { return {used_.load(std::memory_order_relaxed), spans_.mapped()}; }

 private:
  SpanHeap spans_;
  std::array<SizeClass, kClasses> classes_;
  std::atomic<std::size_t> used_{0};
};

/// Never destroyed: what is in static variables may go after it would.
LargePageHeap& heap() {
  alignas(LargePageHeap) static std::byte room[sizeof(LargePageHeap)];
  static LargePageHeap* const only = ::new (static_cast<void*>(room)) LargePageHeap;
  return *only;
}

void* allocate_or_null(std::size_t bytes) noexcept {
  if (bytes >= kChunkBytes) {
    void* memory = nullptr;
    if (::posix_memalign(&memory, kChunkBytes, bytes) != 0) return nullptr;
    prefer_large_pages(memory, bytes);
    return memory;
  }
  if (bytes > largest()) return std::malloc(bytes);
  try {
    return heap().take(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

void* allocate_on_large_pages(std::size_t bytes) {
  while (true) {
    if (void* memory = allocate_or_null(bytes)) return memory;
    const auto handler = std::get_new_handler();  // as operator new does
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

void free_on_large_pages(void* memory, std::size_t bytes) noexcept {
  if (bytes <= largest()) return heap().give_back(memory);
  std::free(memory);
}

bool fits_large_pages(std::size_t bytes) noexcept {
  return bytes <= largest() && size_of(class_of(bytes)) - bytes <= bytes / 32;
}

LargePageMemory large_page_memory() noexcept {
  return heap().memory();
}

}  // namespace kubexx
