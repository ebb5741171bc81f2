#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "kubexx/meta/name.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/value.hpp"
#include "meta/document/fragments.hpp"

/// The packed document: one allocation, a header and then nodes without padding, in any order, a small root right
/// behind the header. What several documents have is a fragment, which a word names by its number. See
/// docs/adr/0003-object-layout.md and docs/adr/0014-fragments-and-cache-files.md.
///
///   string      size, bytes
///   list        count, words
///   field map   count, entries of a u16 id and a word          every key is a known name
///   name map    count, entries of a u32 key and a word         few keys, in any order
///   sorted map  the same                                       keys ascend, so they are searched
///   indexed map the same, then u32 positions                   positions in the order of the keys
///
/// Sizes and counts are varints. An offset of 0 is an empty string, list or map.
namespace kubexx::meta::detail {

using Word = std::uint32_t;

enum class Tag : Word {
  Null,
  Bool,    // payload 0 or 1
  Int,     // payload is the value
  Int64,   // offset of 8 bytes
  Double,  // offset of 8 bytes
  String,
  List,
  FieldMap,
  NameMap,
  SortedMap,
  IndexedMap,
  Shared = 14,  // the number of a fragment: a value that stands once for several documents
  Absent = 15,  // never in a node; "no such field" in the header
};

inline constexpr unsigned kTagBits = 4;
inline constexpr std::size_t kMaxDocument = std::size_t{1} << 28;
inline constexpr std::int64_t kMaxInlineInt = (std::int64_t{1} << 27) - 1;
inline constexpr std::int64_t kMinInlineInt = -(std::int64_t{1} << 27);
inline constexpr std::size_t kSearchFrom = 17;  // maps with strangers and this many keys are sorted or indexed
inline constexpr int kMaxNesting = 1000;        // of any document; readers recurse

inline constexpr Word word_of(Tag tag, std::uint32_t payload = 0) noexcept {
  return static_cast<Word>(tag) | payload << kTagBits;
}
inline constexpr Tag tag_of(Word word) noexcept {
  return static_cast<Tag>(word & 15);
}
inline constexpr std::uint32_t payload_of(Word word) noexcept {
  return word >> kTagBits;
}
inline constexpr Word kAbsent = word_of(Tag::Absent);

struct Document {
  mutable std::atomic<std::uint32_t> references{1};
  std::uint32_t size = 0;  // bytes, header included
  Word root = 0;
  Word metadata = kAbsent;  // root["metadata"]
  Word cut = 0;             // Completeness in the tag bits, kHasFragments, offset of the projection's name
};
inline constexpr Word kHasFragments = 8;

template <class T>
T load(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

inline std::uint32_t read_varint(const std::byte*& at) noexcept {
  auto byte = static_cast<std::uint32_t>(*at++);
  if (byte < 128) return byte;
  std::uint32_t value = byte & 127;
  for (unsigned shift = 7;; shift += 7) {
    byte = static_cast<std::uint32_t>(*at++);
    value |= (byte & 127) << shift;
    if (byte < 128) return value;
  }
}

/// memcpy of a text; of most without a call: the parts overlap.
inline void copy_bytes(std::byte* to, const void* from, std::size_t size) noexcept {
  if (size < 8 || size > 32) {
    std::memcpy(to, from, size);
    return;
  }
  const auto* begin = static_cast<const std::byte*>(from);
  std::memcpy(to, begin, 8);
  if (size > 16) {
    std::memcpy(to + 8, begin + 8, 8);
    std::memcpy(to + size - 16, begin + size - 16, 8);
  }
  std::memcpy(to + size - 8, begin + size - 8, 8);
}

inline std::string_view string_at(const std::byte* base, std::uint32_t offset) noexcept {
  if (offset == 0) return {"", 0};
  const std::byte* at = base + offset;
  const std::uint32_t size = read_varint(at);
  return {reinterpret_cast<const char*>(at), size};
}

/// A key of a map with strangers: a known id (bit 0 clear) or the offset of a string (bit 0 set).
using Key = std::uint32_t;
inline constexpr Key known_key(std::uint32_t id) noexcept {
  return id << 1;
}
inline constexpr Key stranger_key(std::uint32_t offset) noexcept {
  return offset << 1 | 1;
}
inline constexpr bool is_stranger(Key key) noexcept {
  return (key & 1) != 0;
}
inline std::string_view key_text(const std::byte* base, Key key) noexcept {
  return is_stranger(key) ? string_at(base, key >> 1) : name_text(static_cast<NameId>(key >> 1));
}

inline constexpr bool is_map_tag(Tag tag) noexcept {
  return tag >= Tag::FieldMap && tag <= Tag::IndexedMap;
}

/// The parts of a map node. A key stands beside its word, so that reading a field touches one place.
struct MapNode {
  static constexpr std::size_t kField = 2 + 4;  // bytes of an entry of a field map
  static constexpr std::size_t kName = 4 + 4;   // and of the others

  const std::byte* entries = nullptr;
  std::uint32_t count = 0;

  MapNode(const std::byte* base, Word word) noexcept {
    if (payload_of(word) == 0) return;
    entries = base + payload_of(word);
    count = read_varint(entries);
  }
  // Of a field map.
  std::uint16_t id(std::size_t index) const noexcept { return load<std::uint16_t>(entries + kField * index); }
  Word field(std::size_t index) const noexcept { return load<Word>(entries + kField * index + 2); }
  // Of the others.
  Key key(std::size_t index) const noexcept { return load<Key>(entries + kName * index); }
  Word value(std::size_t index) const noexcept { return load<Word>(entries + kName * index + 4); }
  std::uint32_t position(std::size_t rank) const noexcept {
    return load<std::uint32_t>(entries + kName * count + 4 * rank);
  }
};

/// The word of a field, or kAbsent.
Word find_field(const std::byte* base, Word map, NameId id) noexcept;
Word find_field(const std::byte* base, Word map, std::string_view key) noexcept;

/// Tells the number of each fragment that the value names.
template <class Function>
void for_each_fragment(const std::byte* base, Word word, const Function& function) {
  const Tag tag = tag_of(word);
  if (tag == Tag::Shared) {
    function(payload_of(word));
    return;
  }
  if (tag == Tag::List && payload_of(word) != 0) {
    const std::byte* at = base + payload_of(word);
    const std::uint32_t count = read_varint(at);
    for (std::size_t i = 0; i < count; ++i) for_each_fragment(base, load<Word>(at + 4 * i), function);
  } else if (is_map_tag(tag)) {
    const MapNode node(base, word);
    for (std::size_t i = 0; i < node.count; ++i) {
      for_each_fragment(base, tag == Tag::FieldMap ? node.field(i) : node.value(i), function);
    }
  }
}

/// Opens what Value and Object keep to themselves to the other files of this layer.
struct Access {
  /// The value of a word that a document or a fragment has. Values never have a word of a fragment's number.
  static Value value(const std::byte* base, Word word) noexcept {
    if (tag_of(word) == Tag::Shared) {
      const Fragment& fragment = fragment_at(payload_of(word));
      return Value(fragment.base(), fragment.root);
    }
    return word == kAbsent ? Value() : Value(base, word);
  }
  static const std::byte* base(Value value) noexcept { return value.base_; }
  static Word word(Value value) noexcept { return value.word_; }
  static Object object(const Document* document) noexcept { return Object(document); }
  static const Document* document(const Object& object) noexcept { return object.document_; }
};

}  // namespace kubexx::meta::detail
