#pragma once

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/result.hpp"
#include "meta/document/layout.hpp"
#include "meta/document/sharing.hpp"
#include "meta/internal/name_table.hpp"

namespace kubexx::meta::detail {

/// Writes the nodes of one document. Entries of open lists and maps wait on a stack; closing one writes its node behind
/// those of its children. finish() copies the bytes into one allocation of the exact size, without the parts that
/// it shares with other documents, and keeps the buffers.
///
/// The caller remembers where the entries of a container begin: `first = mark()`, push..., `close_map(first)`.
class DocumentWriter {
 public:
  DocumentWriter();

  Word integer(std::int64_t value) {
    if (value >= kMinInlineInt && value <= kMaxInlineInt) {
      return static_cast<Word>(Tag::Int) | static_cast<Word>(static_cast<std::uint64_t>(value) << kTagBits);
    }
    return eight_bytes(Tag::Int64, &value);
  }
  Word real(double value) { return eight_bytes(Tag::Double, &value); }
  Word string(const char* text, std::size_t size) {
    return size == 0 ? word_of(Tag::String) : word_of(Tag::String, store_text(text, size));
  }
  Word string(std::string_view text) { return string(text.data(), text.size()); }
  Key key(const char* text, std::size_t size) {
    const int id = find_name_id(text, size);
    if (id >= 0) return known_key(static_cast<std::uint32_t>(id));
    return stranger_key(size == 0 ? 0 : store_text(text, size));
  }

  std::size_t mark() const noexcept { return entry_count_; }
  [[gnu::always_inline]] void push(Key key, Word word) {
    if (entry_count_ == entries_.size()) entries_.resize(entries_.size() * 2);
    entries_[entry_count_++] = {key, word};
  }
  void insert(std::size_t position, Key key, Word word);
  bool contains(std::size_t first, Key key) const noexcept;
  /// The string at a key among the entries since `first`; empty when there is none.
  std::string_view text_of(std::size_t first, Key key) const noexcept;
  void replace(std::size_t first, Key key, Word word) noexcept;
  Word close_list(std::size_t first);
  Word close_map(std::size_t first);
  /// The same for a caller that knows that no key is there twice.
  Word close_distinct_map(std::size_t first);

  /// Whether a map closed since the last finish() had a key twice, and which. The last value won.
  bool has_duplicate() const noexcept { return has_duplicate_; }
  std::string duplicate() const { return std::string(key_text(bytes_.get(), duplicate_)); }

  /// Parts that come again in a stream; what reads it asks before it reads one, and tells what it has read.
  Sharing& sharing() noexcept { return sharing_; }

  std::size_t size() const noexcept { return size_; }
  /// A value of another document that will stand inside `depth` lists and maps.
  Word copy(Value value, int depth);
  void fail_too_deep() noexcept { too_deep_ = true; }
  void set_cut(Completeness completeness, std::string_view name);
  Result<Object> finish(Word root);
  void clear() noexcept;

 private:
  struct Entry {  // as it stands in a name map
    Key key;
    Word word;
  };
  static_assert(sizeof(Entry) == MapNode::kName);
  struct Slot {
    std::uint32_t check = 0;
    std::uint32_t offset = 0;
  };
  struct Free {
    void operator()(std::byte* bytes) const noexcept { std::free(bytes); }
  };
  static constexpr std::size_t kSlots = 512;
  // Room behind the header for a root of five fields (apiVersion, kind, metadata, spec, status): it is written last,
  // but read first, and there it shares a cache line with the header.
  static constexpr std::size_t kRootRoom = 1 + 5 * MapNode::kField;
  static constexpr std::size_t kFirstNode = sizeof(Document) + kRootRoom;

  /// Room for `count` more bytes. Past the limit of the layout it starts over, so that writing stays safe until
  /// finish() refuses the document.
  std::byte* reserve(std::size_t count) {
    if (size_ + count > capacity_) grow(count);
    return bytes_.get() + size_;
  }
  void grow(std::size_t count);
  Word eight_bytes(Tag tag, const void* value);
  std::uint32_t store_text(const char* text, std::size_t size);
  std::uint32_t append_text(const char* text, std::size_t size);
  static std::size_t write_varint(std::byte* at, std::uint32_t value) noexcept {
    std::size_t count = 0;
    for (; value >= 128; value >>= 7) at[count++] = static_cast<std::byte>(value | 128);
    at[count++] = static_cast<std::byte>(value);
    return count;
  }
  void drop_known_duplicates(std::size_t first);
  Word close_name_map(std::size_t first);
  Word move_root(Word root) noexcept;
  Word write_name_map(Tag tag, std::size_t first, const std::vector<std::uint32_t>* positions);
  bool sort_keys(std::size_t first);
  void merge_entry(std::size_t earlier, std::size_t later);
  void drop_merged_entries(std::size_t first);

  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_ = kFirstNode;
  std::size_t capacity_ = 0;
  std::vector<Entry> entries_;
  std::size_t entry_count_ = 0;
  std::array<Slot, kSlots> slots_;     // where texts of this document stand, by their mix
  std::vector<std::uint32_t> stamps_;  // by name id: the map that had it last
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> positions_;  // scratch of sort_keys
  Sharing sharing_;
  Word cut_ = 0;
  Key duplicate_ = 0;
  bool has_duplicate_ = false;
  bool lost_value_ = false;  // another took its place: it may have named fragments
  bool too_large_ = false;
  bool too_deep_ = false;
};

inline std::uint32_t DocumentWriter::store_text(const char* text, std::size_t size) {
  const TextBits bits = text_bits(text, size);
  const std::uint64_t hash = mix(bits, size);
  Slot& slot = slots_[hash % kSlots];
  const auto check = static_cast<std::uint32_t>(hash >> 32);
  if (slot.check == check && slot.offset != 0) {
    const std::string_view stored = string_at(bytes_.get(), slot.offset);
    if (stored.size() == size && text_bits(stored.data(), size) == bits &&
        (size <= 16 || std::memcmp(stored.data() + 8, text + 8, size - 16) == 0)) {
      return slot.offset;
    }
  }
  const std::uint32_t offset = append_text(text, size);
  slot = {check, offset};
  return offset;
}

inline std::uint32_t DocumentWriter::append_text(const char* text, std::size_t size) {
  if (size > kMaxDocument) {
    too_large_ = true;
    size = 0;
  }
  std::byte* at = reserve(size + 5);
  const auto offset = static_cast<std::uint32_t>(size_);
  const std::size_t head = write_varint(at, static_cast<std::uint32_t>(size));
  at += head;
  size_ += head + size;
  copy_bytes(at, text, size);
  return offset;
}

}  // namespace kubexx::meta::detail
