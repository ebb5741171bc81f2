#include "meta/internal/document_writer.hpp"

#include <algorithm>
#include <new>
#include <numeric>

#include "base/internal/assert.hpp"
#include "kubexx/base/large_pages.hpp"
#include "meta/document/field_ids.hpp"

namespace kubexx::meta::detail {
namespace {

constexpr std::size_t kFirstEntries = 256;
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;  // larger buffers are given back after use

}  // namespace

DocumentWriter::DocumentWriter() : entries_(kFirstEntries), stamps_(name_count()) {
  grow(0);
}

void DocumentWriter::grow(std::size_t count) {
  if (size_ + count > kMaxDocument) {
    too_large_ = true;
    slots_.fill({});
    size_ = kFirstNode;
    if (size_ + count <= capacity_) return;
  }
  std::size_t capacity = std::max<std::size_t>(capacity_ * 2, 16384);
  while (capacity < size_ + count) capacity *= 2;
  auto* bytes = static_cast<std::byte*>(std::realloc(bytes_.get(), capacity));
  if (bytes == nullptr) throw std::bad_alloc();
  (void)bytes_.release();
  bytes_.reset(bytes);
  capacity_ = capacity;
}

Word DocumentWriter::eight_bytes(Tag tag, const void* value) {
  std::byte* at = reserve(8);
  const Word word = word_of(tag, static_cast<std::uint32_t>(size_));
  std::memcpy(at, value, 8);
  size_ += 8;
  return word;
}

void DocumentWriter::insert(std::size_t position, Key key, Word word) {
  push(0, 0);
  const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(position);
  std::copy_backward(at, entries_.begin() + static_cast<std::ptrdiff_t>(entry_count_ - 1),
                     entries_.begin() + static_cast<std::ptrdiff_t>(entry_count_));
  *at = {key, word};
}

bool DocumentWriter::contains(std::size_t first, Key key) const noexcept {
  return std::any_of(entries_.begin() + static_cast<std::ptrdiff_t>(first),
                     entries_.begin() + static_cast<std::ptrdiff_t>(entry_count_),
                     [key](const Entry& entry) { return entry.key == key; });
}

std::string_view DocumentWriter::text_of(std::size_t first, Key key) const noexcept {
  if (too_large_) return {};                            // what was written before is gone
  for (std::size_t i = entry_count_; i > first; --i) {  // the last of a key counts
    const Entry& entry = entries_[i - 1];
    if (entry.key != key) continue;
    return tag_of(entry.word) == Tag::String ? string_at(bytes_.get(), payload_of(entry.word)) : std::string_view();
  }
  return {};
}

void DocumentWriter::replace(std::size_t first, Key key, Word word) noexcept {
  for (std::size_t i = first; i < entry_count_; ++i) {
    if (entries_[i].key != key) continue;
    lost_value_ |= tag_of(entries_[i].word) != Tag::String;
    entries_[i].word = word;
  }
}

Word DocumentWriter::close_list(std::size_t first) {
  const std::size_t count = entry_count_ - first;
  if (count == 0) return word_of(Tag::List);
  std::byte* at = reserve(5 + 4 * count);
  const Word word = word_of(Tag::List, static_cast<std::uint32_t>(size_));
  std::byte* const begin = at;
  at += write_varint(at, static_cast<std::uint32_t>(count));
  const Entry* entries = entries_.data() + first;
  for (std::size_t i = 0; i < count; ++i) std::memcpy(at + 4 * i, &entries[i].word, 4);
  size_ += static_cast<std::size_t>(at - begin) + 4 * count;
  entry_count_ = first;
  return word;
}

Word DocumentWriter::close_map(std::size_t first) {
  const std::size_t count = entry_count_ - first;
  if (count == 0) return word_of(Tag::FieldMap);
  const Entry* entries = entries_.data() + first;
  if (++stamp_ == 0) {
    std::fill(stamps_.begin(), stamps_.end(), 0);
    stamp_ = 1;
  }
  std::byte* at = reserve(5 + MapNode::kField * count);
  std::byte* const begin = at;
  at += write_varint(at, static_cast<std::uint32_t>(count));
  bool twice = false;
  for (std::size_t i = 0; i < count; ++i, at += MapNode::kField) {
    const Key key = entries[i].key;
    if (is_stranger(key)) return close_name_map(first);
    const auto id = static_cast<std::uint16_t>(key >> 1);
    twice |= stamps_[id] == stamp_;
    stamps_[id] = stamp_;
    std::memcpy(at, &id, 2);
    std::memcpy(at + 2, &entries[i].word, 4);
  }
  if (twice) {
    drop_known_duplicates(first);
    return close_map(first);
  }
  const Word word = word_of(Tag::FieldMap, static_cast<std::uint32_t>(size_));
  size_ += static_cast<std::size_t>(at - begin);
  entry_count_ = first;
  return word;
}

Word DocumentWriter::close_distinct_map(std::size_t first) {
  const std::size_t count = entry_count_ - first;
  if (count == 0) return word_of(Tag::FieldMap);
  const Entry* entries = entries_.data() + first;
  std::byte* at = reserve(5 + MapNode::kField * count);
  std::byte* const begin = at;
  at += write_varint(at, static_cast<std::uint32_t>(count));
  Key strangers = 0;
  for (std::size_t i = 0; i < count; ++i, at += MapNode::kField) {
    strangers |= entries[i].key;
    const auto id = static_cast<std::uint16_t>(entries[i].key >> 1);
    std::memcpy(at, &id, 2);
    std::memcpy(at + 2, &entries[i].word, 4);
  }
  if (is_stranger(strangers)) return close_name_map(first);
  const Word word = word_of(Tag::FieldMap, static_cast<std::uint32_t>(size_));
  size_ += static_cast<std::size_t>(at - begin);
  entry_count_ = first;
  return word;
}

/// The later value takes the place of the earlier one; the later entry is marked by an absent word.
void DocumentWriter::merge_entry(std::size_t earlier, std::size_t later) {
  has_duplicate_ = true;
  lost_value_ = true;
  duplicate_ = entries_[later].key;
  entries_[earlier].word = entries_[later].word;
  entries_[later].word = kAbsent;
}

void DocumentWriter::drop_merged_entries(std::size_t first) {
  const auto end = std::remove_if(entries_.begin() + static_cast<std::ptrdiff_t>(first),
                                  entries_.begin() + static_cast<std::ptrdiff_t>(entry_count_),
                                  [](const Entry& entry) { return entry.word == kAbsent; });
  entry_count_ = static_cast<std::size_t>(end - entries_.begin());
}

void DocumentWriter::drop_known_duplicates(std::size_t first) {
  std::vector<std::size_t> seen(name_count(), SIZE_MAX);
  for (std::size_t i = first; i < entry_count_; ++i) {
    std::size_t& earlier = seen[entries_[i].key >> 1];
    if (earlier == SIZE_MAX) {
      earlier = i;
    } else {
      merge_entry(earlier, i);
    }
  }
  drop_merged_entries(first);
}

Word DocumentWriter::close_name_map(std::size_t first) {
  if (too_large_) {  // the keys have been written over
    entry_count_ = first;
    return word_of(Tag::FieldMap);
  }
  // Ascending keys, the order in which Go writes its maps, cannot repeat and need no index.
  bool ascending = true;
  std::string_view before = key_text(bytes_.get(), entries_[first].key);
  for (std::size_t i = first + 1; ascending && i < entry_count_; ++i) {
    const std::string_view text = key_text(bytes_.get(), entries_[i].key);
    ascending = before < text;
    before = text;
  }
  const bool many = entry_count_ - first >= kSearchFrom;
  if (ascending) return write_name_map(many ? Tag::SortedMap : Tag::NameMap, first, nullptr);
  if (sort_keys(first)) return close_name_map(first);  // once more without the duplicates
  return many ? write_name_map(Tag::IndexedMap, first, &positions_) : write_name_map(Tag::NameMap, first, nullptr);
}

/// Fills positions_; true when there were duplicates, which are gone then.
bool DocumentWriter::sort_keys(std::size_t first) {
  positions_.resize(entry_count_ - first);
  std::iota(positions_.begin(), positions_.end(), 0U);
  const auto text = [&](std::uint32_t position) { return key_text(bytes_.get(), entries_[first + position].key); };
  std::sort(positions_.begin(), positions_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int order = text(a).compare(text(b));
    return order < 0 || (order == 0 && a < b);
  });
  bool twice = false;
  std::uint32_t earlier = positions_.front();
  for (std::size_t i = 1; i < positions_.size(); ++i) {
    if (text(earlier) == text(positions_[i])) {
      merge_entry(first + earlier, first + positions_[i]);
      twice = true;
    } else {
      earlier = positions_[i];
    }
  }
  if (!twice) return false;
  drop_merged_entries(first);
  return true;
}

Word DocumentWriter::write_name_map(Tag tag, std::size_t first, const std::vector<std::uint32_t>* positions) {
  const std::size_t count = entry_count_ - first;
  const std::size_t bytes = MapNode::kName * count + (positions != nullptr ? 4 * count : 0);
  std::byte* at = reserve(5 + bytes);
  const Word word = word_of(tag, static_cast<std::uint32_t>(size_));
  const std::size_t head = write_varint(at, static_cast<std::uint32_t>(count));
  at += head;
  std::memcpy(at, entries_.data() + first, MapNode::kName * count);
  if (positions != nullptr) std::memcpy(at + MapNode::kName * count, positions->data(), 4 * count);
  size_ += head + bytes;
  entry_count_ = first;
  return word;
}

Word DocumentWriter::copy(Value value, int depth) {
  if (depth >= kMaxNesting && (value.is_list() || value.is_map())) {
    too_deep_ = true;
    return word_of(Tag::Null);
  }
  switch (value.type()) {
    case ValueType::Absent:
    case ValueType::Null:
      return word_of(Tag::Null);
    case ValueType::Bool:
      return word_of(Tag::Bool, value.bool_or(false) ? 1 : 0);
    case ValueType::Int:
      return integer(value.int_or(0));
    case ValueType::Double:
      return real(value.double_or(0));
    case ValueType::String:
      return string(value.string());
    case ValueType::List: {
      const std::size_t first = mark();
      for (const Value item : value.items()) push(0, copy(item, depth + 1));
      return close_list(first);
    }
    case ValueType::Map: {
      const std::size_t first = mark();
      for (const auto& [name, member] : value.entries()) {
        const Key written = key(name.data(), name.size());
        push(written, copy(member, depth + 1));
      }
      return close_map(first);
    }
  }
  return word_of(Tag::Null);
}

void DocumentWriter::set_cut(Completeness completeness, std::string_view name) {
  cut_ = payload_of(string(name)) << kTagBits | static_cast<Word>(completeness);
}

Word DocumentWriter::move_root(Word root) noexcept {
  std::byte* const room = bytes_.get() + sizeof(Document);
  std::size_t used = 0;
  if (tag_of(root) == Tag::FieldMap && payload_of(root) != 0) {
    const MapNode node(bytes_.get(), root);
    const std::byte* const begin = bytes_.get() + payload_of(root);
    const std::byte* const end = node.entries + MapNode::kField * node.count;
    const bool last = end == bytes_.get() + size_;
    if (last && end - begin <= static_cast<std::ptrdiff_t>(kRootRoom)) {
      used = static_cast<std::size_t>(end - begin);
      std::memcpy(room, begin, used);
      size_ = payload_of(root);
      root = word_of(Tag::FieldMap, sizeof(Document));
    }
  }
  std::memset(room + used, 0, kRootRoom - used);
  return root;
}

Result<Object> DocumentWriter::finish(Word root) {
  if (too_deep_) {
    clear();
    return Error::decode("the object is nested deeper than " + std::to_string(kMaxNesting));
  }
  if (too_large_) {
    clear();
    return Error::decode("the object is larger than " + std::to_string(kMaxDocument >> 20) + " MB");
  }
  KUBEXX_ASSERT(entry_count_ == 0);
  std::byte* from = bytes_.get();
  std::size_t size = 0;
  Word cut = cut_;
  if (lost_value_ && sharing_.has_repeats()) sharing_.drop_lost(from, root);
  if (sharing_.share(from, size_, root, cut)) {
    from = sharing_.copy().data();
    size = sharing_.copy().size();
  } else {
    root = move_root(root);
    size = size_;
    if (sharing_.has_repeats()) cut |= kHasFragments;
  }
  auto* bytes = static_cast<std::byte*>(allocate_on_large_pages(size));
  auto* document = ::new (static_cast<void*>(bytes)) Document;
  document->size = static_cast<std::uint32_t>(size);
  document->root = root;
  document->metadata = find_field(from, root, field::kMetadata);
  document->cut = cut;
  std::memcpy(bytes + sizeof(Document), from + sizeof(Document), size - sizeof(Document));
  sharing_.hand_over();
  clear();
  return Access::object(document);
}

void DocumentWriter::clear() noexcept {
  size_ = kFirstNode;
  entry_count_ = 0;
  slots_.fill({});
  sharing_.end();
  cut_ = 0;
  has_duplicate_ = false;
  lost_value_ = false;
  too_large_ = false;
  too_deep_ = false;
  if (capacity_ > kKeptBytes) {
    if (auto* smaller = static_cast<std::byte*>(std::realloc(bytes_.get(), kKeptBytes))) {
      (void)bytes_.release();
      bytes_.reset(smaller);
      capacity_ = kKeptBytes;
    }
  }
  if (entries_.size() * sizeof(Entry) > kKeptBytes) {
    entries_.resize(kKeptBytes / sizeof(Entry));
    entries_.shrink_to_fit();
  }
  if (positions_.capacity() * sizeof(std::uint32_t) > kKeptBytes) std::vector<std::uint32_t>().swap(positions_);
}

}  // namespace kubexx::meta::detail
