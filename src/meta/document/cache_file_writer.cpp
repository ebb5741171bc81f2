#include <unordered_map>
#include <utility>

#include "meta/document/cache_file_format.hpp"
#include "meta/document/layout.hpp"
#include "meta/internal/cache_file.hpp"

namespace kubexx::meta::detail {
namespace {

constexpr std::uint64_t kLargestText = std::uint64_t{1} << 20;  // of the header

template <class T>
std::string_view bytes_of(const T& value) noexcept {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

const std::byte* base_of(const Object& object) noexcept {
  return reinterpret_cast<const std::byte*>(Access::document(object));
}

/// Tells where the words stand that name a fragment, of the value whose word stands at `place`.
template <class Function>
void for_each_shared_word(const std::byte* base, std::size_t place, const Function& function) {
  const Word word = load<Word>(base + place);
  const Tag tag = tag_of(word);
  if (tag == Tag::Shared) return function(place, payload_of(word));
  if (payload_of(word) == 0 || (tag != Tag::List && !is_map_tag(tag))) return;
  const std::byte* at = base + payload_of(word);
  const std::size_t count = read_varint(at);
  const std::size_t entry = tag == Tag::List ? sizeof(Word) : tag == Tag::FieldMap ? MapNode::kField : MapNode::kName;
  const auto first = static_cast<std::size_t>(at - base) + entry - sizeof(Word);
  for (std::size_t i = 0; i < count; ++i) for_each_shared_word(base, first + entry * i, function);
}

/// Collects bytes to blocks, of which the checksum is.
class BlockWriter {
 public:
  explicit BlockWriter(const ByteSink& sink) : sink_(sink) { block_.reserve(kCacheFileBlock); }

  Result<void> add(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto piece = bytes.substr(0, kCacheFileBlock - block_.size());
      block_ += piece;
      bytes.remove_prefix(piece.size());
      if (block_.size() < kCacheFileBlock) continue;
      if (auto written = write_block(); !written) return written;
    }
    return {};
  }
  Result<void> finish() {
    if (auto written = write_block(); !written) return written;
    return sink_(bytes_of(checksum_));
  }

 private:
  Result<void> write_block() {
    if (block_.empty()) return {};
    checksum_ = kubexx::detail::hash_bytes(block_, checksum_);
    auto written = sink_(block_);
    block_.clear();
    return written;
  }

  const ByteSink& sink_;
  std::string block_;
  Checksum checksum_ = 0;
};

/// The fragments that objects name, in the order in which a file has them.
class NumberedFragments {
 public:
  void add(const Object& object) {
    if ((Access::document(object)->cut & kHasFragments) == 0) return;
    for_each_shared_word(base_of(object), kRootPlace, [this](std::size_t, std::uint32_t number) {
      const auto place = static_cast<std::uint32_t>(numbers_.size());
      if (!places_.emplace(number, place).second) return;
      numbers_.push_back(number);
      bytes_ += fragment_at(number).size;
    });
  }
  std::uint32_t place_of(std::uint32_t number) const { return places_.at(number); }
  const std::vector<std::uint32_t>& numbers() const noexcept { return numbers_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> places_;
  std::vector<std::uint32_t> numbers_;
  std::uint64_t bytes_ = 0;
};

/// The bytes of a document with the file's numbers of fragments.
std::string_view numbered(const Object& object, const NumberedFragments& fragments, std::string& scratch) {
  const std::string_view bytes = object.raw_bytes();
  const Document& document = *Access::document(object);
  if ((document.cut & kHasFragments) == 0) return bytes;
  scratch = bytes;
  const auto put = [&scratch](std::size_t place, Word word) {
    scratch.replace(place - kUncounted, sizeof word, bytes_of(word));
  };
  for_each_shared_word(base_of(object), kRootPlace, [&](std::size_t place, std::uint32_t number) {
    put(place, word_of(Tag::Shared, fragments.place_of(number)));
  });
  if (tag_of(document.metadata) == Tag::Shared) {
    put(kRootPlace + sizeof(Word), word_of(Tag::Shared, fragments.place_of(payload_of(document.metadata))));
  }
  return scratch;
}

Result<CacheFileHeader> header_of(const CacheFileHead& head, std::span<const Object> objects,
                                  NumberedFragments& fragments) {
  if (head.identity.size() > kLargestText || head.state.size() > kLargestText) {
    return Error::config("the texts of a cache file are too long");
  }
  CacheFileHeader header;
  header.names = static_cast<std::uint32_t>(name_count());
  header.names_hash = hash_of_names();
  header.identity_size = static_cast<std::uint32_t>(head.identity.size());
  header.state_size = static_cast<std::uint32_t>(head.state.size());
  for (const Object& object : objects) {
    if (!object) return Error::config("a null object cannot be written");
    header.document_bytes += object.byte_size() - kUncounted;
    fragments.add(object);
  }
  header.documents = objects.size();
  header.fragments = fragments.numbers().size();
  header.fragment_bytes = fragments.bytes();
  if (header.fragment_bytes + header.document_bytes > kLargestCacheFile / 2) {
    return Error::config("the cache is too large for a file");
  }
  return header;
}

}  // namespace

Result<void> write_cache_file(const CacheFileHead& head, std::span<const Object> objects, const ByteSink& sink) {
  NumberedFragments fragments;
  const auto header = header_of(head, objects, fragments);
  if (!header) return header.error();
  BlockWriter writer(sink);
  for (const std::string_view part :
       {bytes_of(*header), std::string_view(head.identity), std::string_view(head.state)}) {
    if (auto added = writer.add(part); !added) return added;
  }
  for (const std::uint32_t number : fragments.numbers()) {
    const Fragment& fragment = fragment_at(number);
    if (auto added = writer.add({reinterpret_cast<const char*>(&fragment), fragment.size}); !added) return added;
  }
  std::string scratch;
  for (const Object& object : objects) {
    if (auto added = writer.add(numbered(object, fragments, scratch)); !added) return added;
  }
  return writer.finish();
}

}  // namespace kubexx::meta::detail
