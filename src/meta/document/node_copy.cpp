#include "meta/document/node_copy.hpp"

#include <algorithm>

namespace kubexx::meta::detail {
namespace {

constexpr std::size_t kKeptNodes = std::size_t{1} << 20;  // in bytes; larger buffers are given back after use

}  // namespace

Word NodeCopy::copy(Word word) {
  if (payload_of(word) == 0 && tag_of(word) != Tag::Shared) return word;
  switch (tag_of(word)) {
    case Tag::Shared:
      has_fragments_ = true;
      return word;
    case Tag::String:
      return word_of(Tag::String, copy_text(payload_of(word)));
    case Tag::List:
    case Tag::FieldMap:
    case Tag::NameMap:
    case Tag::SortedMap:
    case Tag::IndexedMap:
      return copy_node(word, [this](Word child, std::uint32_t) { return copy(child); });
    case Tag::Int64:
    case Tag::Double: {
      std::memcpy(reserve(8), from_ + payload_of(word), 8);
      size_ += 8;
      return word_of(tag_of(word), static_cast<std::uint32_t>(size_ - 8));
    }
    default:  // the word is the value
      return word;
  }
}

std::uint32_t NodeCopy::append_text(std::uint32_t offset) {
  const std::byte* const begin = from_ + offset;
  const std::byte* end = begin;
  end += read_varint(end);
  const auto count = static_cast<std::size_t>(end - begin);
  copy_bytes(reserve(count), begin, count);
  const auto place = static_cast<std::uint32_t>(size_);
  texts_[offset % texts_.size()] = {offset, generation_, place};
  size_ += count;
  return place;
}

void NodeCopy::grow(std::size_t count) {
  const std::size_t capacity = std::max({capacity_ * 2, size_ + count, std::size_t{4096}});
  auto bytes = std::make_unique_for_overwrite<std::byte[]>(capacity);
  if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

void NodeCopy::end() noexcept {
  if (capacity_ <= kKeptNodes) return;
  bytes_.reset();
  capacity_ = 0;
  size_ = 0;
}

}  // namespace kubexx::meta::detail
