#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <new>

namespace kubexx {

/// First in, first out; what a burst made of it is given back when it is empty. A deque alone keeps a word for every
/// few items that it ever had. Not thread-safe.
template <class T>
class BurstQueue : private std::deque<T> {
  using Items = std::deque<T>;

 public:
  using Items::back;
  using Items::emplace_back;
  using Items::empty;
  using Items::front;
  using Items::push_back;
  using Items::size;
  using Items::operator[];

  void pop_front() noexcept {
    most_ = std::max(most_, size());
    Items::pop_front();
    if (!empty() || most_ <= kKept) return;
    most_ = 0;
    try {
      Items().swap(*this);
    } catch (const std::bad_alloc&) {  // then it stays as it is
    }
  }
  void swap(BurstQueue& other) noexcept {
    Items::swap(other);
    std::swap(most_, other.most_);
  }

 private:
  static constexpr std::size_t kKept = 4096;

  std::size_t most_ = 0;  // items since it was empty
};

}  // namespace kubexx
