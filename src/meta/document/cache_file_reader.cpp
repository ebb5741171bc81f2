#include <algorithm>
#include <memory>
#include <new>

#include "kubexx/base/large_pages.hpp"
#include "meta/document/cache_file_format.hpp"
#include "meta/document/field_ids.hpp"
#include "meta/document/verifier.hpp"
#include "meta/internal/cache_file.hpp"

namespace kubexx::meta::detail {
namespace {

Error damaged(const std::string& how) {
  return Error::decode("the file is damaged: " + how);
}

/// The bytes of a file in order, as far as they are there, and their checksum.
class BlockReader {
 public:
  BlockReader(const ByteSource& source, std::uint64_t size) : source_(source), unread_(size), left_(size) {}

  /// The next bytes, until the next call.
  Result<std::string_view> take(std::uint64_t count) {
    if (count > left_) return damaged("it ends too early");
    while (end_ - begin_ < count) {
      if (auto read = read_block(); !read) return read.error();
    }
    const std::string_view bytes(buffer_.data() + begin_, count);
    begin_ += count;
    left_ -= count;
    return bytes;
  }
  /// The same without taking them: the size of what comes.
  Result<std::uint32_t> peek_size() {
    auto bytes = take(sizeof(std::uint32_t));
    if (!bytes) return bytes.error();
    begin_ -= bytes->size();
    left_ += bytes->size();
    return load<std::uint32_t>(reinterpret_cast<const std::byte*>(bytes->data()));
  }
  std::uint64_t left() const noexcept { return left_; }

  /// Nothing is left but the checksum.
  Result<void> finish() {
    Checksum stored = 0;
    auto read = fill({reinterpret_cast<char*>(&stored), sizeof stored});
    if (!read) return read;
    if (stored != checksum_) return damaged("its checksum is another");
    return {};
  }

 private:
  Result<void> read_block() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kCacheFileBlock, unread_));
    if (buffer_.size() < end_ + count) buffer_.resize(std::max(end_ + count, 2 * end_));
    const std::span<char> block(buffer_.data() + end_, count);
    if (auto read = fill(block); !read) return read;
    checksum_ = kubexx::detail::hash_bytes({block.data(), block.size()}, checksum_);
    end_ += count;
    unread_ -= count;
    return {};
  }
  Result<void> fill(std::span<char> into) {
    while (!into.empty()) {
      const auto count = source_(into);
      if (!count) return count.error();
      if (*count == 0 || *count > into.size()) return damaged("it ends too early");
      into = into.subspan(*count);
    }
    return {};
  }

  const ByteSource& source_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t unread_;  // of what the checksum is of
  std::uint64_t left_;
  Checksum checksum_ = 0;
};

/// The fragments of a file under the numbers of this process, held until the documents have their own references.
class HeldFragments {
 public:
  HeldFragments() = default;
  HeldFragments(const HeldFragments&) = delete;
  HeldFragments& operator=(const HeldFragments&) = delete;
  ~HeldFragments() {
    for (const std::uint32_t number : numbers_) Fragments::process().release(number);
  }
  void reserve(std::size_t count) {
    numbers_.reserve(count);
    levels_.reserve(count);
  }
  Result<void> add(std::string_view bytes, Verifier& verifier) {
    const auto* base = reinterpret_cast<const std::byte*>(bytes.data());
    const auto root = load<Word>(base + sizeof(std::uint32_t));
    if (!verifier.verify(base, bytes.size(), sizeof(Fragment), root, {})) {
      return damaged(std::string("a fragment has ") + verifier.fault());
    }
    const std::string_view nodes = bytes.substr(sizeof(Fragment));
    auto& all = Fragments::process();
    const auto taken = all.take(nodes, root, all.hash(nodes, root));
    if (!taken) throw std::bad_alloc();
    numbers_.push_back(taken->number);  // there is room
    levels_.push_back(static_cast<std::uint16_t>(verifier.levels()));
    return {};
  }
  std::span<const std::uint16_t> levels() const noexcept { return levels_; }
  /// A reference of a document's own.
  Word retain(std::uint32_t place) const noexcept {
    fragment_slot(numbers_[place]).references.fetch_add(1, std::memory_order_relaxed);
    return word_of(Tag::Shared, numbers_[place]);
  }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint16_t> levels_;
};

struct FreeDocument {
  void operator()(Document* document) const noexcept {
    const std::size_t bytes = document->size;
    document->~Document();
    free_on_large_pages(document, bytes);
  }
};

/// A document with the words of the file, whose fragments are not its own yet.
std::unique_ptr<Document, FreeDocument> copy_document(std::string_view bytes) {
  const std::size_t size = bytes.size() + kUncounted;
  auto* document = ::new (allocate_on_large_pages(size)) Document;
  const auto* from = reinterpret_cast<const std::byte*>(bytes.data());
  document->size = static_cast<std::uint32_t>(size);
  document->root = load<Word>(from + 4);
  document->metadata = load<Word>(from + 8);
  document->cut = load<Word>(from + 12);
  constexpr std::size_t kHead = sizeof(Document) - kUncounted;
  std::memcpy(reinterpret_cast<std::byte*>(document) + sizeof(Document), from + kHead, bytes.size() - kHead);
  return std::unique_ptr<Document, FreeDocument>(document);
}

/// What is wrong with it; null: nothing.
const char* fault_of(const Document& document, const HeldFragments& fragments, Verifier& verifier) {
  const auto* base = reinterpret_cast<const std::byte*>(&document);
  if (!is_map_tag(tag_of(document.root))) return "no map as its root";
  if (!verifier.verify(base, document.size, sizeof(Document), document.root, fragments.levels()))
    return verifier.fault();
  if (document.metadata != find_field(base, document.root, field::kMetadata)) return "metadata elsewhere";
  if ((document.cut & 7) > static_cast<Word>(Completeness::Transformed)) return "an unknown completeness";
  if (((document.cut & kHasFragments) != 0) == verifier.shared().empty()) return "fragments, and says otherwise";
  if (!verifier.verify_text(payload_of(document.cut))) return verifier.fault();
  return nullptr;
}

Result<Object> make_document(std::string_view bytes, const HeldFragments& fragments, Verifier& verifier) {
  auto document = copy_document(bytes);
  if (const char* fault = fault_of(*document, fragments, verifier)) {
    return damaged(std::string("a document has ") + fault);
  }
  auto* base = reinterpret_cast<std::byte*>(document.get());
  for (const Verifier::Shared& each : verifier.shared()) {
    const Word word = fragments.retain(each.number);
    std::memcpy(base + each.place, &word, sizeof word);
  }
  if (tag_of(document->metadata) == Tag::Shared) {
    document->metadata = find_field(base, document->root, field::kMetadata);
  }
  return Access::object(document.release());
}

/// Each begins with its size, `uncounted` bytes more than it has in the file.
template <class Use>
Result<void> for_each_record(BlockReader& reader, std::uint64_t count, std::uint64_t bytes, std::size_t head,
                             std::size_t uncounted, const Use& use) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto size = reader.peek_size();
    if (!size) return size.error();
    if (*size < head || *size > kMaxDocument || *size - uncounted > bytes) return damaged("a size that cannot be");
    bytes -= *size - uncounted;
    auto record = reader.take(*size - uncounted);
    if (!record) return record.error();
    if (auto used = use(*record); !used) return used;
  }
  if (bytes != 0) return damaged("bytes that belong to nothing");
  return {};
}

Result<CacheFileHeader> read_header(BlockReader& reader) {
  auto bytes = reader.take(sizeof(CacheFileHeader));
  if (!bytes) return bytes.error();
  CacheFileHeader header;
  std::memcpy(&header, bytes->data(), sizeof header);
  if (header.magic != CacheFileHeader::kMagic) return Error::decode("the file is no cache file of this machine");
  if (header.format != CacheFileHeader::kFormat) {
    return Error::decode("the file has the format " + std::to_string(header.format));
  }
  if (header.names != name_count() || header.names_hash != hash_of_names()) {
    return Error::decode("the file was written with other field names");
  }
  // One after the other, so that no sum overflows.
  std::uint64_t left = reader.left();
  for (const std::uint64_t part : {std::uint64_t{header.identity_size}, std::uint64_t{header.state_size},
                                   header.fragment_bytes, header.document_bytes}) {
    if (part > left) return damaged("its parts are larger than it is");
    left -= part;
  }
  if (left != 0) return damaged("its parts are smaller than it is");
  if (header.fragments > header.fragment_bytes / sizeof(Fragment) || header.fragments > (1U << kFragmentBits) ||
      header.documents > header.document_bytes / (sizeof(Document) - kUncounted)) {
    return damaged("it has more parts than there is room for");
  }
  return header;
}

/// The word of the first line that differs.
std::string first_difference(std::string_view ours, std::string_view theirs) {
  while (!ours.empty()) {
    const std::string_view line = ours.substr(0, ours.find('\n') + 1);
    if (line.empty() || !theirs.starts_with(line)) break;
    ours.remove_prefix(line.size());
    theirs.remove_prefix(line.size());
  }
  return std::string(ours.substr(0, ours.find_first_of(" \n")));
}

Result<CacheFileContents> read_parts(BlockReader& reader, std::string_view identity) {
  const auto header = read_header(reader);
  if (!header) return header.error();
  const auto theirs = reader.take(header->identity_size);
  if (!theirs) return theirs.error();
  if (*theirs != identity) return Error::config("the file is of another " + first_difference(identity, *theirs));
  const auto state = reader.take(header->state_size);
  if (!state) return state.error();

  CacheFileContents contents;
  contents.state = *state;
  Verifier verifier;
  HeldFragments fragments;
  fragments.reserve(header->fragments);
  const auto add = [&](std::string_view bytes) { return fragments.add(bytes, verifier); };
  if (auto read = for_each_record(reader, header->fragments, header->fragment_bytes, sizeof(Fragment), 0, add); !read) {
    return read.error();
  }
  contents.objects.reserve(header->documents);
  const auto make = [&](std::string_view bytes) -> Result<void> {
    auto object = make_document(bytes, fragments, verifier);
    if (!object) return object.error();
    contents.objects.push_back(std::move(*object));
    return {};
  };
  auto read = for_each_record(reader, header->documents, header->document_bytes, sizeof(Document), kUncounted, make);
  if (!read) return read.error();
  if (auto whole = reader.finish(); !whole) return whole.error();
  return contents;
}

}  // namespace

Result<CacheFileContents> read_cache_file(std::string_view identity, std::uint64_t size, const ByteSource& source) {
  if (size < sizeof(CacheFileHeader) + sizeof(Checksum)) return damaged("it is too short");
  if (size > kLargestCacheFile) return damaged("it is too large");
  try {
    BlockReader reader(source, size - sizeof(Checksum));
    return read_parts(reader, identity);
  } catch (const std::bad_alloc&) {
    return Error::config("there is not enough memory for the file");
  }
}

}  // namespace kubexx::meta::detail
