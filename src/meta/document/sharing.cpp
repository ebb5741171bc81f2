#include "meta/document/sharing.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "meta/document/field_ids.hpp"
#include "meta/internal/name_table.hpp"

namespace kubexx::meta::detail {

constinit Habits known_habits;
constinit Seen recently_seen;

namespace {

constexpr std::size_t kLeastBytes = 32;  // of a list or map
constexpr std::size_t kLeastText = 24;
constexpr std::size_t kLargestKept = 4096;  // of the fragments that a decoder keeps alive
constexpr std::size_t kBudget = 4;          // times the size of a document
constexpr std::size_t kBulk = 32 << 10;     // a piece of so many bytes is one of many
constexpr std::size_t kTrickle = 8 << 10;   // and one of less is not
constexpr std::uint32_t kReadWhole = 64;    // of so many documents one is read without looking for repeats

std::uint32_t text_hash(std::string_view text) noexcept {
  return static_cast<std::uint32_t>(mix(text_bits(text.data(), text.size()), text.size()) >> 16);
}

std::string_view text_at(const std::byte* base, Word map, NameId field) noexcept {
  const Word word = find_field(base, map, field);
  return tag_of(word) == Tag::String ? string_at(base, payload_of(word)) : std::string_view();
}

/// 16 of 1,024 documents in a row: neighbours in a list are the likeliest to share.
bool is_curious() noexcept {
  static std::atomic<std::uint32_t> documents{0};
  return (documents.fetch_add(1, std::memory_order_relaxed) & 1023) < 16;
}

}  // namespace

bool Sharing::share(const std::byte* document, std::size_t size, Word& root, Word& cut) {
  release(held_);  // what a document left that could not be finished
  if (!is_map_tag(tag_of(root)) || payload_of(root) == 0) return false;
  const Word metadata = find_field(document, root, field::kMetadata);
  if (!is_map_tag(tag_of(metadata))) return false;
  const std::uint32_t habit = text_hash(text_at(document, root, field::kKind)) | 1;
  Habit& whole = known_habits[habit];
  const std::uint32_t barren = whole.barren.load(std::memory_order_relaxed);
  if (!curious() && barren >= kPatience) return false;
  const std::string_view uid = text_at(document, metadata, field::kUid);
  owner_ = text_hash(!uid.empty() ? uid : text_at(document, metadata, field::kName));
  from_ = document;
  budget_ = kBudget * size;
  own_.begin(document, sizeof(Document), size);
  size_ = size;
  met_ = 0;
  met_bytes_ = 0;
  const Word copied =
      own_.copy_node(root, [&](Word child, std::uint32_t step) { return visit(child, Habits::below(habit, step)); });
  const bool nothing = held_.empty() && met_ == 0;
  whole.barren.store(nothing ? std::min(barren + 1, kPatience) : 0, std::memory_order_relaxed);
  if (held_.empty()) return false;
  const Word copied_cut = own_.copy_text(payload_of(cut)) << kTagBits | (cut & 15) | kHasFragments;
  if (own_.overflowed()) {
    release(held_);  // it is not the copy that becomes the document
    return false;
  }
  root = copied;
  cut = copied_cut;
  return true;
}

Word Sharing::visit(Word word, std::uint32_t habit) {
  const Tag tag = tag_of(word);
  if (tag == Tag::Shared) {  // a part that was recognised
    ++met_;
    met_bytes_ += fragment_at(payload_of(word)).size;
    return word;
  }
  if (payload_of(word) == 0) return word;
  if (tag == Tag::String) return visit_text(word, known_habits[habit]);
  if (tag != Tag::List && !is_map_tag(tag)) return own_.copy(word);
  Habit& known = known_habits[habit];
  const Habit::Verdict verdict = known.verdict();
  if (verdict == Habit::Verdict::Shared && !curious() && budget_ > 0) {
    if (const auto shared = share_node(word, known)) return *shared;
  }
  const std::size_t size_before = own_.size();
  const std::uint32_t barren = known.barren.load(std::memory_order_relaxed);
  if (!curious() && barren >= kPatience) return own_.copy(word);
  const std::size_t held_before = held_.size();
  const std::size_t met_before = met_;
  const std::size_t met_bytes_before = met_bytes_;
  const Word copied =
      own_.copy_node(word, [&](Word child, std::uint32_t step) { return visit(child, Habits::below(habit, step)); });
  const bool nothing = held_.size() == held_before && met_ == met_before;
  known.barren.store(nothing ? std::min(barren + 1, kPatience) : 0, std::memory_order_relaxed);
  if ((verdict != Habit::Verdict::Alone || curious()) && budget_ > 0) {
    learn(word, known, own_.size() - size_before, met_bytes_ - met_bytes_before);
  }
  return copied;
}

/// Without a lock as long as a text is met the first time.
Word Sharing::visit_text(Word word, Habit& known) {
  const Habit::Verdict verdict = known.verdict();
  if (string_at(from_, payload_of(word)).size() < kLeastText) return own_.copy(word);
  if ((verdict == Habit::Verdict::Alone && !curious()) || budget_ == 0) return own_.copy(word);
  const Candidate candidate = make_candidate(word);
  if (candidate.nodes.empty()) return own_.copy(word);
  known.left.store(static_cast<std::uint32_t>(candidate.nodes.size()), std::memory_order_relaxed);
  const Seen::By by =
      verdict == Habit::Verdict::Shared ? Seen::By::Several : recently_seen.look(candidate.hash, owner_);
  if (by == Seen::By::Several || by == Seen::By::Another) {
    bool recent = false;
    if (const auto taken = take(candidate, known, recent)) return *taken;
  } else if (by == Seen::By::Nobody) {
    known.tried(false, candidate.nodes.size());
  }
  return own_.copy(word);
}

std::optional<Word> Sharing::share_node(Word word, Habit& known) {
  const Candidate candidate = make_candidate(word);
  if (candidate.nodes.size() < kLeastBytes || candidate_.has_fragments()) return std::nullopt;  // a fragment names none
  bool recent = false;
  const auto taken = take(candidate, known, recent);
  if (taken && repeats_) repeats_->shared(word, payload_of(*taken), recent, known, candidate.nodes.size());
  return taken;
}

/// Whether a node that was not shared as a whole would have been worth it; `left` bytes of it are the document's own,
/// and `recognised` ones those of parts that were recognised, which the node names: equal nodes name the same ones.
void Sharing::learn(Word word, Habit& known, std::size_t left, std::size_t recognised) {
  const Candidate candidate = make_candidate(word);
  const std::size_t size = candidate.nodes.size() + recognised;
  if (candidate.nodes.empty() || size < kLeastBytes) return;
  known.left.store(static_cast<std::uint32_t>(left), std::memory_order_relaxed);
  switch (recently_seen.look(candidate.hash, owner_)) {
    case Seen::By::Nobody:
      return known.tried(false, size);
    case Seen::By::Another:
      return known.tried(true, size);
    case Seen::By::Itself:
    case Seen::By::Several:
      return;
  }
}

Sharing::Candidate Sharing::make_candidate(Word word) {
  candidate_.begin(from_, sizeof(Fragment), size_);
  const Word root = candidate_.copy(word);
  const std::string_view nodes(reinterpret_cast<const char*>(candidate_.data()) + sizeof(Fragment),
                               candidate_.size() - sizeof(Fragment));
  budget_ -= std::min(budget_, nodes.size());
  if (candidate_.overflowed()) {
    budget_ = 0;
    return {};
  }
  return {nodes, root, Fragments::process().hash(nodes, root)};
}

std::optional<Word> Sharing::take(const Candidate& candidate, Habit& known, bool& recent) {
  if (held_.size() == held_.capacity()) held_.reserve(std::max<std::size_t>(16, 2 * held_.size()));
  auto taken = take_recent(candidate);
  recent = taken.has_value();
  if (!taken) {
    taken = Fragments::process().take(candidate.nodes, candidate.root, candidate.hash);
    if (!taken) return std::nullopt;
    remember(taken->number, candidate.hash);
  }
  if (taken->references_before == 0 || taken->references_before > own_references()) {
    known.tried(taken->references_before > 0, candidate.nodes.size());
  }
  held_.push_back(taken->number);
  return word_of(Tag::Shared, taken->number);
}

std::optional<Fragments::Taken> Sharing::take_recent(const Candidate& candidate) noexcept {
  const std::uint32_t recent = recent_[candidate.hash % recent_.size()];
  if (recent == 0) return std::nullopt;
  FragmentSlot& slot = fragment_slot(recent - 1);
  if (slot.hash != candidate.hash || !slot.fragment->equals(candidate.nodes, candidate.root)) return std::nullopt;
  return Fragments::Taken{recent - 1, slot.references.fetch_add(1, std::memory_order_relaxed)};
}

void Sharing::remember(std::uint32_t number, std::uint32_t hash) noexcept {
  if (fragment_at(number).size > kLargestKept) return;
  fragment_slot(number).references.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t before = std::exchange(recent_[hash % recent_.size()], number + 1);
  if (before != 0) Fragments::process().release(before - 1);
}

bool Sharing::curious() {
  if (!curious_) curious_ = is_curious();
  return *curious_;
}

void Sharing::expect_piece(std::size_t bytes) {
  if (bytes >= kBulk || bytes < kTrickle) recognise_repeats(bytes >= kBulk);
}

void Sharing::recognise_repeats(bool wanted) {
  if (wanted == recognises_repeats()) return;
  repeats_ = wanted ? std::make_unique<Repeats>() : nullptr;
}

std::optional<Word> Sharing::repeat(const PartPlace& place, std::string_view source) {
  if (repeated_.size() == repeated_.capacity()) repeated_.reserve(std::max<std::size_t>(16, 2 * repeated_.size()));
  const auto found = repeats_->find(place, source);
  if (!found) return std::nullopt;
  if (found->references_before > own_references()) found->habit->tried(true, found->size);
  repeated_.push_back(found->number);
  return word_of(Tag::Shared, found->number);
}

void Sharing::drop_lost(const std::byte* document, Word root) noexcept {
  // Two walks and no search: whoever wrote the document decides in which order it names how many.
  for_each_fragment(document, root, [](std::uint32_t number) {
    fragment_slot(number).references.fetch_add(1, std::memory_order_relaxed);
  });
  release(repeated_);
  for_each_fragment(document, root, [&](std::uint32_t number) { repeated_.push_back(number); });  // there is room
}

Sharing::~Sharing() {
  release();
  for (const std::uint32_t recent : recent_) {
    if (recent != 0) Fragments::process().release(recent - 1);
  }
}

void Sharing::end() noexcept {
  release();
  curious_.reset();
  look_ = ++documents_ % kReadWhole != 0;
  if (repeats_) repeats_->end_document();
  own_.end();
  candidate_.end();
}

void Sharing::release(std::vector<std::uint32_t>& numbers) noexcept {
  for (const std::uint32_t number : numbers) Fragments::process().release(number);
  numbers.clear();
}

void Sharing::release() noexcept {
  release(held_);
  release(repeated_);
}

}  // namespace kubexx::meta::detail
