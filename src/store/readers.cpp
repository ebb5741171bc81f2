#include "store/internal/readers.hpp"

#include <algorithm>
#include <thread>

namespace kubexx::store {

constinit Readers::Slot Readers::slots_[kSlots];
constinit std::atomic<std::size_t> Readers::used_{0};

Readers::Slot* Readers::claim() noexcept {
  struct Owner {
    Slot* slot = nullptr;
    ~Owner() {
      refused_ = true;
      mine_ = nullptr;
      if (slot != nullptr) slot->taken.store(false, std::memory_order_release);
    }
  };
  if (refused_) return nullptr;
  thread_local Owner owner;
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (slots_[i].taken.load(std::memory_order_relaxed) || slots_[i].taken.exchange(true)) continue;
    std::size_t used = used_.load();
    while (used <= i && !used_.compare_exchange_weak(used, i + 1)) {
    }
    owner.slot = mine_ = &slots_[i];
    return mine_;
  }
  refused_ = true;
  return nullptr;
}

bool Readers::any() noexcept {
  const std::size_t used = used_.load();
  return std::any_of(slots_, slots_ + used, [](const Slot& slot) { return slot.reads.load() % 2 != 0; });
}

void Readers::look(UnderWay& into) {
  into.clear();
  const std::size_t used = used_.load();
  for (std::size_t i = 0; i < used; ++i) {
    if (const std::uint64_t reads = slots_[i].reads.load(); reads % 2 != 0) into.emplace_back(&slots_[i].reads, reads);
  }
}

bool Readers::ended(const UnderWay& reads) noexcept {
  return std::all_of(reads.begin(), reads.end(), [](const auto& read) { return read.first->load() != read.second; });
}

void Readers::wait() {
  UnderWay reads;
  for (look(reads); !ended(reads);) std::this_thread::yield();
}

}  // namespace kubexx::store
