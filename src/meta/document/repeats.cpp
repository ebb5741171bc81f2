#include "meta/document/repeats.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/internal/buffer.hpp"
#include "kubexx/base/detail/hash.hpp"
#include "kubexx/base/random.hpp"

namespace kubexx::meta::detail {

Repeats::Repeats() : seed_(Random::process().next()) {}

Repeats::~Repeats() {
  for (const Entry& entry : entries_) {
    if (entry.number_plus_one != 0) Fragments::process().release(entry.number_plus_one - 1);
  }
}

std::optional<Repeats::Found> Repeats::find(const PartPlace& place, std::string_view source) noexcept {
  const std::uint64_t hash = kubexx::detail::hash_bytes(source, seed_ ^ place.path);
  const Entry& entry = entry_of(hash);
  std::uint8_t& score = scores_[place.path % scores_.size()];
  const bool same = entry.number_plus_one != 0 && entry.hash == hash && entry.place == place && entry.source == source;
  if (!same) {
    score = static_cast<std::uint8_t>(score - (score > 0 ? 1 : 0));
    return std::nullopt;
  }
  score = std::min<std::uint8_t>(kMostScore, static_cast<std::uint8_t>(score + 1));
  const std::uint32_t number = entry.number_plus_one - 1;
  const std::uint32_t before = fragment_slot(number).references.fetch_add(1, std::memory_order_relaxed);
  return Found{number, before, entry.habit, entry.size};
}

void Repeats::shared(Word word, std::uint32_t number, bool again, Habit& habit, std::size_t size) {
  // Words of nodes ascend in the order in which they were written.
  const auto note = std::lower_bound(notes_.begin(), notes_.end(), payload_of(word),
                                     [](const Note& each, std::uint32_t at) { return payload_of(each.word) < at; });
  if (note == notes_.end() || note->word != word) return;
  std::uint8_t& score = scores_[note->place.path % scores_.size()];
  if (again) score = std::min<std::uint8_t>(kMostScore, static_cast<std::uint8_t>(score + 1));
  if (score == 0) return;
  const std::uint64_t hash = kubexx::detail::hash_bytes(note->source, seed_ ^ note->place.path);
  Entry& entry = entry_of(hash);
  entry.source.assign(note->source);  // first: if that throws, the entry is what it was
  entry.hash = hash;
  entry.place = note->place;
  entry.habit = &habit;
  entry.size = static_cast<std::uint32_t>(size);
  fragment_slot(number).references.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t before = std::exchange(entry.number_plus_one, number + 1);
  if (before != 0) Fragments::process().release(before - 1);
}

void Repeats::end_document() noexcept {
  notes_.clear();
  if (notes_.capacity() * sizeof(Note) > kKeptBuffer) std::vector<Note>().swap(notes_);
}

}  // namespace kubexx::meta::detail
