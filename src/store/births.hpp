#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/internal/insist.hpp"
#include "store/epochs.hpp"

namespace kubexx::store {

/// The epoch in which each object of a table was born, by id, in pages: one epoch for all, and where they differ, how
/// much later each one was born. Only living snapshots ask, so a write while there is none forgets all differences: the
/// next snapshot will see every object anyway.
///
/// An epoch may be given as earlier than it was, never as later: then an object is kept too long, and never freed
/// early.
class Births {
 public:
  Epoch operator[](std::size_t id) const noexcept {
    const Page& page = pages_[id / kPage];
    return page.first + (page.later == nullptr ? 0 : (*page.later)[id % kPage]);
  }

  void set(std::size_t id, Epoch born, bool snapshots) {
    Page& page = pages_[id / kPage];
    if (!snapshots) {
      forget_differences();
      page.first = std::max(page.first, born);
      return;
    }
    if (page.later == nullptr) {
      if (born == page.first) return;
      insist([&] { page.later = std::make_unique<std::array<Later, kPage>>(); });
      ++differing_;
    }
    if (born < page.first) {
      const Epoch shift = page.first - born;
      for (Later& later : *page.later) later = clamped(later + shift);
      page.first = born;
    }
    (*page.later)[id % kPage] = clamped(born - page.first);
  }

  void push_back(Epoch born, bool snapshots) {
    if (size_ % kPage == 0) insist([&] { pages_.push_back({born, nullptr}); });
    set(size_++, born, snapshots);
  }

  void pop_back() {
    if (--size_ % kPage != 0) return;
    if (pages_.back().later != nullptr) --differing_;
    pages_.pop_back();
  }

  std::size_t bytes() const noexcept { return pages_.size() * sizeof(Page) + differing_ * sizeof(Later) * kPage; }

 private:
  using Later = std::uint16_t;
  static constexpr std::size_t kPage = 512;
  struct Page {
    Epoch first;
    std::unique_ptr<std::array<Later, kPage>> later;  // null: none was born later
  };
  void forget_differences() noexcept {
    if (differing_ == 0) return;
    for (Page& page : pages_) page.later.reset();
    differing_ = 0;
  }
  static Later clamped(Epoch later) noexcept {
    return static_cast<Later>(std::min<Epoch>(later, std::numeric_limits<Later>::max()));
  }

  std::vector<Page> pages_;
  std::size_t size_ = 0;
  std::size_t differing_ = 0;  // pages with differences
};

}  // namespace kubexx::store
