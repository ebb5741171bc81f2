#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "meta/document/cache_file_format.hpp"
#include "meta/internal/cache_file.hpp"

/// Cache files in memory, good and bad ones.
namespace kubexx::meta::detail {

inline constexpr std::string_view kIdentity = "cluster here\nresource pods\nscope everything\n";

inline std::string written(std::span<const Object> objects, std::string state = "version 7\n") {
  std::string bytes;
  const CacheFileHead head{std::string(kIdentity), std::move(state)};
  write_cache_file(head, objects, [&bytes](std::string_view piece) -> Result<void> {
    bytes += piece;
    return {};
  }).value();
  return bytes;
}

inline Result<CacheFileContents> read(std::string_view bytes, std::string_view identity = kIdentity) {
  std::size_t at = 0;
  return read_cache_file(identity, bytes.size(), [&](std::span<char> into) -> Result<std::size_t> {
    const std::string_view piece = bytes.substr(at, std::min<std::size_t>(into.size(), 1000));
    std::copy(piece.begin(), piece.end(), into.begin());
    at += piece.size();
    return piece.size();
  });
}

/// As whoever made these bytes on purpose would end them.
inline void sign(std::string& bytes) {
  if (bytes.size() < sizeof(Checksum)) return;
  std::string_view left(bytes.data(), bytes.size() - sizeof(Checksum));
  Checksum sum = 0;
  for (; !left.empty(); left.remove_prefix(std::min(left.size(), kCacheFileBlock))) {
    sum = kubexx::detail::hash_bytes(left.substr(0, kCacheFileBlock), sum);
  }
  std::memcpy(bytes.data() + bytes.size() - sizeof sum, &sum, sizeof sum);
}

template <class T>
std::string raw(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The nodes of a document or fragment, written by hand.
class Nodes {
 public:
  explicit Nodes(std::uint32_t head = sizeof(Document)) : head_(head) {}

  std::uint32_t here() const { return head_ + static_cast<std::uint32_t>(bytes.size()); }
  std::uint32_t put(std::string_view more) {
    const auto at = here();
    bytes += more;
    return at;
  }
  std::uint32_t text(const std::string& text) { return put(static_cast<char>(text.size()) + text); }
  Word string(const std::string& value) { return word_of(Tag::String, text(value)); }
  Word list(const std::vector<Word>& words) {
    std::string node(1, static_cast<char>(words.size()));
    for (const Word word : words) node += raw(word);
    return word_of(Tag::List, put(node));
  }
  Word fields(const std::vector<std::pair<std::uint16_t, Word>>& fields) {
    std::string node(1, static_cast<char>(fields.size()));
    for (const auto& [id, word] : fields) node += raw(id) + raw(word);
    return word_of(Tag::FieldMap, put(node));
  }
  Word names(Tag tag, const std::vector<std::pair<Key, Word>>& entries,
             const std::vector<std::uint32_t>& positions = {}) {
    std::string node(1, static_cast<char>(entries.size()));
    for (const auto& [key, word] : entries) node += raw(key) + raw(word);
    for (const auto position : positions) node += raw(position);
    return word_of(tag, put(node));
  }

  std::string bytes;

 private:
  std::uint32_t head_;
};

inline std::uint16_t id_of(std::string_view name) {
  return static_cast<std::uint16_t>(find_name(name).value());
}

inline std::string fragment_record(Word root, const std::string& nodes) {
  return raw(static_cast<std::uint32_t>(sizeof(Fragment) + nodes.size())) + raw(root) + nodes;
}

inline std::string document_record(Word root, Word metadata, Word cut, const std::string& nodes) {
  return raw(static_cast<std::uint32_t>(sizeof(Document) + nodes.size())) + raw(root) + raw(metadata) + raw(cut) +
         nodes;
}

inline std::string file_of(const std::vector<std::string>& fragments, const std::vector<std::string>& documents) {
  CacheFileHeader header;
  header.names = static_cast<std::uint32_t>(name_count());
  header.names_hash = hash_of_names();
  header.identity_size = static_cast<std::uint32_t>(kIdentity.size());
  header.fragments = fragments.size();
  header.documents = documents.size();
  for (const auto& each : fragments) header.fragment_bytes += each.size();
  for (const auto& each : documents) header.document_bytes += each.size();
  std::string bytes = raw(header) + std::string(kIdentity);
  for (const auto& each : fragments) bytes += each;
  for (const auto& each : documents) bytes += each;
  bytes += std::string(sizeof(Checksum), '\0');
  sign(bytes);
  return bytes;
}

}  // namespace kubexx::meta::detail
