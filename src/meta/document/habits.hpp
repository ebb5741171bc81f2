#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

/// What a process learns about the fields of objects while it decodes them: which are worth sharing. Threads may lose
/// each other's counts: it is statistics.
namespace kubexx::meta::detail {

inline constexpr std::uint32_t kFragmentCost = 48;  // slot, index, header and rounding, in bytes
inline constexpr std::uint32_t kTrial = 512;        // so often a field is tried before it may be left alone
inline constexpr std::uint32_t kLongTrial = 2048;   // after that it has to be worth half of its cost
inline constexpr std::uint32_t kMemory = 4096;      // so many tries are remembered, the older ones less
inline constexpr std::uint32_t kPatience = 256;     // so often nothing is found below a field before it is passed over

/// What is known of the values of one field of one kind.
///
/// A part that is found gains what would stand in the document otherwise: without what can be shared inside of it. One
/// that is not found costs a fragment, and once more what could have been shared inside.
struct Habit {
  enum class Verdict { Shared, Unknown, Alone };

  std::atomic<std::uint32_t> name{0};  // 0: nobody's
  std::atomic<std::uint32_t> tries{0};
  std::atomic<std::uint32_t> found{0};
  std::atomic<std::uint32_t> gain{0};    // bytes
  std::atomic<std::uint32_t> cost{0};    // bytes
  std::atomic<std::uint32_t> left{0};    // bytes of the last one that its parts did not share
  std::atomic<std::uint32_t> barren{0};  // visits since something below it was shared

  Verdict verdict() const noexcept {
    const std::uint32_t tried = tries.load(std::memory_order_relaxed);
    const std::uint64_t gained = gain.load(std::memory_order_relaxed);
    const std::uint64_t spent = cost.load(std::memory_order_relaxed);
    if (found.load(std::memory_order_relaxed) >= 4 && gained >= spent) return Verdict::Shared;
    const bool hopeless = tried >= kLongTrial ? gained * 2 < spent : tried >= kTrial && gained * 32 < spent;
    return hopeless ? Verdict::Alone : Verdict::Unknown;
  }
  void tried(bool hit, std::size_t size) noexcept {
    const auto own = std::min(static_cast<std::uint32_t>(size), left.load(std::memory_order_relaxed));
    add(tries, 1);
    if (hit) {
      add(found, 1);
      add(gain, own);
    } else {
      add(cost, kFragmentCost + static_cast<std::uint32_t>(size) - own);
    }
    if (tries.load(std::memory_order_relaxed) < kMemory) return;
    for (auto* count : {&tries, &found, &gain, &cost}) {
      count->store(count->load(std::memory_order_relaxed) / 2, std::memory_order_relaxed);
    }
  }

 private:
  static void add(std::atomic<std::uint32_t>& count, std::uint32_t more) noexcept {
    count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
};

/// The habits of a process. When there are too many, some learn together, which costs a little of what could be shared.
class Habits {
 public:
  /// The name of a habit is made of a kind and the steps from there.
  static std::uint32_t below(std::uint32_t name, std::uint32_t step) noexcept {
    return (name * 0x9e3779b1U + step + 1) * 0x85ebca6bU | 1;
  }
  Habit& operator[](std::uint32_t name) noexcept {
    std::size_t at = name >> 20;
    for (std::size_t tries = 0;; ++tries, at = (at + 1) % habits_.size()) {
      std::uint32_t owner = habits_[at].name.load(std::memory_order_relaxed);
      if (owner == name) return habits_[at];
      if (owner == 0 && habits_[at].name.compare_exchange_strong(owner, name, std::memory_order_relaxed)) {
        return habits_[at];
      }
      if (owner == name || tries == 7) return habits_[at];
    }
  }

 private:
  std::array<Habit, 4096> habits_{};
};

/// The contents that were met lately while it was not sure that they are worth it, and whose they were: what is met
/// again in another object is worth a fragment. An object's own next version is not: it takes the place of the one
/// before.
class Seen {
 public:
  enum class By {
    Nobody,
    Itself,
    Several,  // by itself now, and by another before: there may be a fragment
    Another,
  };

  By look(std::uint32_t hash, std::uint32_t owner) noexcept {
    auto& place = places_[hash % places_.size()];
    const std::uint64_t here = std::uint64_t{hash} << 32 | (owner & ~kSeveral);
    const std::uint64_t before = place.load(std::memory_order_relaxed);
    if (before >> 32 != hash) {
      place.store(here, std::memory_order_relaxed);
      return By::Nobody;
    }
    if ((before & ~std::uint64_t{kSeveral}) == here) return (before & kSeveral) != 0 ? By::Several : By::Itself;
    place.store(here | kSeveral, std::memory_order_relaxed);
    return By::Another;
  }

 private:
  static constexpr std::uint32_t kSeveral = 1;
  std::array<std::atomic<std::uint64_t>, 16384> places_{};
};

extern Habits known_habits;
extern Seen recently_seen;

}  // namespace kubexx::meta::detail
