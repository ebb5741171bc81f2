#include "meta/document/verifier.hpp"

#include <algorithm>
#include <cmath>

#include "meta/internal/name_table.hpp"
#include "meta/json/json_text.hpp"

namespace kubexx::meta::detail {
namespace {

/// Most texts are ASCII, and are found to be so eight bytes at a time.
bool is_utf8(std::string_view text) noexcept {
  constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, at, 8);
    if ((eight & kHighBits) != 0) return find_invalid_utf8({at, left}) == std::string_view::npos;
  }
  return std::all_of(at, at + left, [](char c) { return static_cast<unsigned char>(c) < 0x80; }) ||
         find_invalid_utf8({at, left}) == std::string_view::npos;
}

/// Calls visit(word of bits, mask) for those that have the bits from `at` on.
template <class Visit>
void for_bits(std::vector<std::uint64_t>& bits, std::size_t at, std::size_t count, const Visit& visit) {
  std::size_t word = at / 64;
  for (std::size_t low = at % 64; count > 0; ++word, low = 0) {
    const std::size_t here = std::min(count, 64 - low);
    const std::uint64_t ones = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
    visit(bits[word], ones << low);
    count -= here;
  }
}

}  // namespace

Verifier::Verifier() : stamps_(name_count()) {}

bool Verifier::verify(const std::byte* base, std::size_t size, std::size_t head, Word root,
                      std::span<const std::uint16_t> levels) {
  base_ = base;
  size_ = size;
  head_ = head;
  fragment_levels_ = levels;
  levels_ = 0;
  shared_.clear();
  claimed_.assign(size / 64 + 1, 0);
  noted_.assign(size / 64 + 1, 0);
  if (tag_of(root) == Tag::Shared) return fail("a root that is a fragment");
  return value(0, root, 0) && apart();
}

bool Verifier::value(std::size_t place, Word word, int depth) {
  switch (tag_of(word)) {
    case Tag::Null:
      return payload_of(word) == 0 || fail("a null with a value");
    case Tag::Bool:
      return payload_of(word) <= 1 || fail("a bool that is neither");
    case Tag::Int:
      return true;
    case Tag::Int64:
    case Tag::Double:
      return eight_bytes(word);
    case Tag::String:
      return payload_of(word) == 0 || text(payload_of(word)).has_value();
    case Tag::List:
      return payload_of(word) == 0 || list(word, depth);
    case Tag::FieldMap:
    case Tag::NameMap:
    case Tag::SortedMap:
    case Tag::IndexedMap:
      return payload_of(word) == 0 || map(word, depth);
    case Tag::Shared:
      return name_shared(place, payload_of(word), depth);
    default:
      return fail("a word of an unknown kind");
  }
}

bool Verifier::name_shared(std::size_t place, std::uint32_t number, int depth) {
  if (number >= fragment_levels_.size()) return fail("a fragment that there is not");
  const int levels = depth + fragment_levels_[number];
  if (levels > kMaxNesting) return fail("nested too deep");
  levels_ = std::max(levels_, levels);
  shared_.push_back({static_cast<std::uint32_t>(place), number});
  return true;
}

bool Verifier::eight_bytes(Word word) {
  const std::size_t at = payload_of(word);
  if (at < head_ || at > size_ || size_ - at < 8) return fail("a number outside");
  if (tag_of(word) == Tag::Double && !std::isfinite(load<double>(base_ + at))) return fail("a number that is none");
  note(at, 8);
  return true;
}

/// A list or map whose entries have so many bytes, each with a place of its own.
std::optional<Verifier::Node> Verifier::node(Word word, std::size_t entry, int depth) {
  if (depth >= kMaxNesting) return fail("nested too deep"), std::nullopt;
  levels_ = std::max(levels_, depth + 1);
  const std::size_t begin = payload_of(word);
  std::size_t at = begin;
  std::uint32_t count = 0;
  if (begin < head_ || !varint(at, count)) return fail("a list or map outside"), std::nullopt;
  const std::size_t bytes = entry * count;
  if (bytes > size_ - at) return fail("a list or map that does not end"), std::nullopt;
  if (!claim(begin, at - begin + bytes)) return std::nullopt;
  return Node{at, count};
}

bool Verifier::list(Word word, int depth) {
  const auto items = node(word, sizeof(Word), depth);
  if (!items) return false;
  for (std::size_t i = 0; i < items->count; ++i) {
    const std::size_t place = items->entries + sizeof(Word) * i;
    if (!value(place, load<Word>(base_ + place), depth + 1)) return false;
  }
  return true;
}

bool Verifier::map(Word word, int depth) {
  const Tag tag = tag_of(word);
  const std::size_t entry = tag == Tag::FieldMap ? MapNode::kField : MapNode::kName;
  const auto fields = node(word, tag == Tag::IndexedMap ? entry + sizeof(std::uint32_t) : entry, depth);
  if (!fields) return false;
  if (!(tag == Tag::FieldMap ? field_keys(*fields) : name_keys(*fields))) return false;
  if (tag == Tag::NameMap && !distinct(*fields)) return fail("a key that is there twice");
  if ((tag == Tag::SortedMap || tag == Tag::IndexedMap) && !ascending(*fields, tag == Tag::IndexedMap)) return false;
  for (std::size_t i = 0; i < fields->count; ++i) {
    const std::size_t place = fields->entries + entry * (i + 1) - sizeof(Word);
    if (!value(place, load<Word>(base_ + place), depth + 1)) return false;
  }
  return true;
}

bool Verifier::known(std::uint32_t id) noexcept {
  if (id >= stamps_.size()) return fail("a field name that there is not");
  if (stamps_[id] == stamp_) return fail("a key that is there twice");
  stamps_[id] = stamp_;
  return true;
}

bool Verifier::field_keys(const Node& map) {
  if (++stamp_ == 0) {
    std::fill(stamps_.begin(), stamps_.end(), 0);
    stamp_ = 1;
  }
  for (std::size_t i = 0; i < map.count; ++i) {
    if (!known(load<std::uint16_t>(base_ + map.entries + MapNode::kField * i))) return false;
  }
  return true;
}

bool Verifier::name_keys(const Node& map) {
  field_keys({});  // a stamp of its own
  for (std::size_t i = 0; i < map.count; ++i) {
    const Key key = key_at(map, i);
    if (!is_stranger(key)) {
      if (!known(key >> 1)) return false;
      continue;
    }
    const auto name = key >> 1 == 0 ? std::optional<std::string_view>("") : text(key >> 1);
    if (!name) return false;
    if (find_name_id(name->data(), name->size()) >= 0) return fail("a known field name as a text");
  }
  return true;
}

/// Few keys, and most of them ascend; known names were compared already.
bool Verifier::distinct(const Node& map) const noexcept {
  if (map.count >= kSearchFrom) return false;  // the writer sorts so many, so that they are searched
  for (std::size_t i = 1; i < map.count; ++i) {
    const std::string_view here = key_text(base_, key_at(map, i));
    if (key_text(base_, key_at(map, i - 1)) < here) continue;
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (key_text(base_, key_at(map, earlier)) == here) return false;
    }
  }
  return true;
}

/// In their order, or in that of the positions, which are each another then.
bool Verifier::ascending(const Node& map, bool indexed) {
  std::string_view before;
  for (std::size_t rank = 0; rank < map.count; ++rank) {
    std::size_t at = rank;
    if (indexed) at = load<std::uint32_t>(base_ + map.entries + MapNode::kName * map.count + 4 * rank);
    if (at >= map.count) return fail("a position outside of its map");
    const std::string_view here = key_text(base_, key_at(map, at));
    if (rank > 0 && before >= here) return fail("keys that do not ascend");
    before = here;
  }
  return true;
}

std::optional<std::string_view> Verifier::text(std::uint32_t offset) {
  std::size_t at = offset;
  std::uint32_t count = 0;
  if (at < head_ || !varint(at, count) || count > size_ - at) return fail("a text outside"), std::nullopt;
  const std::string_view found(reinterpret_cast<const char*>(base_) + at, count);
  if (!is_utf8(found)) return fail("a text that is not UTF-8"), std::nullopt;
  note(offset, at - offset + count);
  return found;
}

/// At most five bytes, and inside; `at` is not beyond the end then.
bool Verifier::varint(std::size_t& at, std::uint32_t& read) noexcept {
  read = 0;
  for (unsigned shift = 0; shift < 35 && at < size_; shift += 7) {
    const auto byte = static_cast<std::uint32_t>(base_[at++]);
    if (shift == 28 && byte > 15) return false;
    read |= (byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

bool Verifier::claim(std::size_t at, std::size_t bytes) {
  bool taken = false;
  for_bits(claimed_, at, bytes, [&taken](std::uint64_t& word, std::uint64_t mask) {
    taken |= (word & mask) != 0;
    word |= mask;
  });
  return !taken || fail("lists or maps on the same bytes");
}

void Verifier::note(std::size_t at, std::size_t bytes) {
  for_bits(noted_, at, bytes, [](std::uint64_t& word, std::uint64_t mask) { word |= mask; });
}

bool Verifier::apart() noexcept {
  for (std::size_t i = 0; i < claimed_.size(); ++i) {
    if ((claimed_[i] & noted_[i]) != 0) return fail("a text on the bytes of a list or map");
  }
  return true;
}

}  // namespace kubexx::meta::detail
