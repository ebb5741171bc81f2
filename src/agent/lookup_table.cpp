#include "agent/lookup_table.hpp"

#include "kubexx/base/detail/hash.hpp"
#include "kubexx/base/random.hpp"
#include "store/internal/readers.hpp"

namespace kubexx::agent::detail {
namespace {

constexpr std::size_t kFewest = 64;  // slots; a power of two, as each number of them

}  // namespace

/// Open addressing, at most half full: a search ends at the first slot that was never used. Words are loaded and stored
/// in one order for all (the default): a reader that the writer did not see marked sees what the writer stored.
struct LookupTable::Slots {
  explicit Slots(std::size_t count) : mask(count - 1), words(std::make_unique<std::atomic<Entry*>[]>(count)) {}
  const std::size_t mask;
  const std::unique_ptr<std::atomic<Entry*>[]> words;
};

constinit LookupTable::Entry LookupTable::gone_;

LookupTable::LookupTable()
    : seed_(Random::process().next()), slots_(new Slots(kFewest)) {}  // NOLINT(cppcoreguidelines-owning-memory)

LookupTable::~LookupTable() {
  const std::unique_ptr<Slots> slots(slots_.load());
  for (std::size_t i = 0; i <= slots->mask; ++i) {
    if (Entry* const entry = slots->words[i].load(); entry != &gone_) delete entry;  // NOLINT
  }
}

std::uint64_t LookupTable::hash_of(KeyKind kind, std::string_view key) const noexcept {
  return kubexx::detail::hash_bytes(key, seed_ ^ static_cast<std::uint64_t>(kind));
}

LookupTable::Found LookupTable::seek(KeyKind kind, std::string_view key, std::uint64_t hash) const noexcept {
  const Slots& slots = *slots_.load();
  for (std::size_t i = hash & slots.mask;; i = (i + 1) & slots.mask) {
    Entry* const entry = slots.words[i].load();
    const bool same = entry != nullptr && entry->hash == hash && entry->kind == kind && entry->key == key;
    if (entry == nullptr || (same && entry != &gone_)) return {&slots.words[i], entry};
  }
}

template <class Use>
auto LookupTable::read(Use&& use) const noexcept {
  const store::Readers::Mark mark;
  if (mark) return use();
  const std::lock_guard lock(mutex_);  // more threads read at once than there are slots for marks
  return use();
}

Attribution LookupTable::find(KeyKind kind, std::string_view key) const noexcept {
  return read([&] {
    const Entry* const entry = peek(kind, key);
    return entry ? Attribution(entry->record, entry->container, entry->ended) : Attribution();
  });
}

bool LookupTable::has(KeyKind kind, std::string_view key) const noexcept {
  return read([&] { return peek(kind, key) != nullptr; });
}

const LookupTable::Entry* LookupTable::peek(KeyKind kind, std::string_view key) const noexcept {
  return seek(kind, key, hash_of(kind, key)).entry;
}

void LookupTable::put(Entry entry) {
  auto fresh = std::make_unique<Entry>(std::move(entry));
  if (fresh->key.empty()) fresh->key = bytes_of(fresh->address);
  fresh->hash = hash_of(fresh->kind, fresh->key);
  const std::lock_guard lock(mutex_);
  if (2 * (used_ + 1) > slots_.load()->mask + 1) grow();
  const Found found = seek(fresh->kind, fresh->key, fresh->hash);
  if (found.entry != nullptr) {
    replaced_.emplace_back(found.entry);
  } else {
    ++used_;
    ++live_;
  }
  found.word->store(fresh.release());
}

void LookupTable::erase(KeyKind kind, std::string_view key) {
  const std::lock_guard lock(mutex_);
  const Found found = seek(kind, key, hash_of(kind, key));
  if (found.entry != nullptr) {
    replaced_.emplace_back(found.entry);
    found.word->store(&gone_);
    --live_;
  }
}

/// New slots of a size for what is there, without those that are gone.
void LookupTable::grow() {
  std::size_t count = kFewest;
  while (count < 4 * (live_ + 1)) count *= 2;
  auto wider = std::make_unique<Slots>(count);
  outgrown_.reserve(outgrown_.size() + 1);
  const Slots& old = *slots_.load();
  for (std::size_t i = 0; i <= old.mask; ++i) {
    Entry* const entry = old.words[i].load();
    if (entry == nullptr || entry == &gone_) continue;
    std::size_t at = entry->hash & wider->mask;
    while (wider->words[at].load() != nullptr) at = (at + 1) & wider->mask;
    wider->words[at].store(entry);
  }
  used_ = live_;
  outgrown_.emplace_back(slots_.exchange(wider.release()));
}

void LookupTable::settle() {
  const std::lock_guard lock(mutex_);
  if (replaced_.empty() && outgrown_.empty()) return;
  store::Readers::wait();
  replaced_.clear();
  outgrown_.clear();
}

}  // namespace kubexx::agent::detail
