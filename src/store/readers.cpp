#include "store/internal/readers.hpp"

#include <algorithm>
#include <thread>

#include "base/internal/insist.hpp"

namespace kubexx::store {

constinit Readers::Slot Readers::slots_[kSlots];
constinit std::atomic<std::size_t> Readers::used_{0};

// A key of the thread library, and no object of the thread: a destructor of one is registered with memory, and where
// there is none the C library ends the process.
pthread_key_t* Readers::end_of_thread() noexcept {
  static pthread_key_t key;
  static const bool made = pthread_key_create(&key, [](void* slot) {
                             refused_ = true;
                             mine_ = nullptr;
                             static_cast<Slot*>(slot)->taken.store(false, std::memory_order_release);
                           }) == 0;
  return made ? &key : nullptr;
}

Readers::Slot* Readers::claim() noexcept {
  if (refused_) return nullptr;
  const pthread_key_t* key = end_of_thread();
  if (key == nullptr) return nullptr;
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (slots_[i].taken.load(std::memory_order_relaxed) || slots_[i].taken.exchange(true)) continue;
    std::size_t used = used_.load();
    while (used <= i && !used_.compare_exchange_weak(used, i + 1)) {
    }
    if (pthread_setspecific(*key, &slots_[i]) != 0) {  // no memory for it: perhaps at the next read
      slots_[i].taken.store(false, std::memory_order_release);
      return nullptr;
    }
    mine_ = &slots_[i];
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
  insist([&] { look(reads); });
  while (!ended(reads)) std::this_thread::yield();
}

}  // namespace kubexx::store
