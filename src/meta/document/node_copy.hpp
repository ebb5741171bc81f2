#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "meta/document/layout.hpp"

namespace kubexx::meta::detail {

/// How a node names a child, for those who learn by fields: a known name, or one of these.
inline constexpr std::uint32_t kItemStep = 0xfffe;
inline constexpr std::uint32_t kStrangerStep = 0xffff;
inline constexpr std::uint32_t step_of(Key key) noexcept {
  return is_stranger(key) ? kStrangerStep : key >> 1;
}

/// Copies values of one document behind each other, so that they stand alone, with offsets of their own. A node stands
/// before its children here. Equal values that were written by the same decoder become equal bytes.
class NodeCopy {
 public:
  /// Offsets count from `room` bytes before the first copy. A copy may be larger than what it is of, where a text
  /// stands once for many places there: past `limit` bytes it starts over, so that copying stays safe, and is worth
  /// nothing.
  void begin(const std::byte* from, std::size_t room, std::size_t limit) {
    from_ = from;
    size_ = 0;
    room_ = room;
    limit_ = room + limit;
    overflowed_ = false;
    has_fragments_ = false;
    reserve(room);
    size_ = room;
    if (++generation_ == 0) {
      texts_.fill({});
      generation_ = 1;
    }
  }
  /// The whole value.
  Word copy(Word word);
  /// A list or map that is not empty; `child(word, step)` copies what it names, or says what stands there instead. It
  /// is not asked for words that are values themselves.
  template <class Child>
  Word copy_node(Word word, const Child& child);
  std::uint32_t copy_text(std::uint32_t offset) {
    if (offset == 0) return 0;
    const Text& text = texts_[offset % texts_.size()];
    return text.generation == generation_ && text.from == offset ? text.to : append_text(offset);
  }

  std::byte* data() noexcept { return bytes_.get(); }
  std::size_t size() const noexcept { return size_; }
  bool overflowed() const noexcept { return overflowed_; }
  bool has_fragments() const noexcept { return has_fragments_; }
  /// Gives a large buffer back.
  void end() noexcept;

 private:
  struct Text {
    std::uint32_t from = 0;
    std::uint32_t generation = 0;
    std::uint32_t to = 0;
  };

  template <Tag kKind, class Child>
  Word copy_entries(Word word, const Child& child);
  std::byte* reserve(std::size_t count) {
    if (size_ + count > limit_) {
      overflowed_ = true;
      size_ = room_;
      if (++generation_ == 0) generation_ = 1;  // what was copied is gone
    }
    if (size_ + count > capacity_) grow(count);
    return bytes_.get() + size_;
  }
  void grow(std::size_t count);
  std::uint32_t append_text(std::uint32_t offset);

  const std::byte* from_ = nullptr;
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t room_ = 0;
  std::size_t limit_ = 0;
  bool overflowed_ = false;
  bool has_fragments_ = false;   // what was copied names some
  std::array<Text, 256> texts_;  // what was copied already, by its offset
  std::uint32_t generation_ = 0;
};

template <class Child>
Word NodeCopy::copy_node(Word word, const Child& child) {
  switch (tag_of(word)) {
    case Tag::List:
      return copy_entries<Tag::List>(word, child);
    case Tag::FieldMap:
      return copy_entries<Tag::FieldMap>(word, child);
    default:
      return copy_entries<Tag::NameMap>(word, child);
  }
}

template <Tag kKind, class Child>
Word NodeCopy::copy_entries(Word word, const Child& child) {
  constexpr std::size_t kEntry = kKind == Tag::List ? 4 : kKind == Tag::FieldMap ? MapNode::kField : MapNode::kName;
  const std::byte* const begin = from_ + payload_of(word);
  const std::byte* entries = begin;
  const std::size_t count = read_varint(entries);
  const auto head = static_cast<std::size_t>(entries - begin);
  const std::size_t bytes = head + count * (tag_of(word) == Tag::IndexedMap ? kEntry + 4 : kEntry);
  std::memcpy(reserve(bytes), begin, bytes);
  const std::size_t place = size_;  // not before: it may have started over
  size_ += bytes;
  std::size_t to = place + head;
  for (std::size_t i = 0; i < count; ++i, entries += kEntry, to += kEntry) {
    std::uint32_t step = kItemStep;
    if constexpr (kKind == Tag::FieldMap) {
      step = load<std::uint16_t>(entries);
    } else if constexpr (kKind == Tag::NameMap) {
      const Key key = load<Key>(entries);
      step = step_of(key);
      if (is_stranger(key)) {
        const Key copied = stranger_key(copy_text(key >> 1));
        std::memcpy(bytes_.get() + to, &copied, sizeof copied);
      }
    }
    const Word before = load<Word>(entries + kEntry - 4);
    const Tag tag = tag_of(before);
    if (tag <= Tag::Int || (payload_of(before) == 0 && tag != Tag::Shared)) continue;  // the word is the value
    const Word copied = child(before, step);
    std::memcpy(bytes_.get() + to + kEntry - 4, &copied, sizeof copied);
  }
  return word_of(tag_of(word), static_cast<std::uint32_t>(place));
}

}  // namespace kubexx::meta::detail
