#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kubexx/base/detail/hash.hpp"
#include "kubexx/meta/name.hpp"
#include "meta/document/layout.hpp"

/// The parts of a cache file, in this order:
///
///   header      CacheFileHeader, then the texts of identity and state
///   fragments   the bytes of each, which begin with its size
///   documents   the bytes of each but for its count of references; they begin with its size
///   checksum    8 bytes, of everything before it
namespace kubexx::meta::detail {

struct CacheFileHeader {
  static constexpr std::uint64_t kMagic =
      0x0a46436b7878626bULL;  // "kbxxkCF\n"; another byte order reads another number
  static constexpr std::uint32_t kFormat = 1;

  std::uint64_t magic = kMagic;
  std::uint32_t format = kFormat;
  std::uint32_t names = 0;       // how many field names are known
  std::uint64_t names_hash = 0;  // over all of them
  std::uint32_t identity_size = 0;
  std::uint32_t state_size = 0;
  std::uint64_t fragments = 0;
  std::uint64_t fragment_bytes = 0;
  std::uint64_t documents = 0;
  std::uint64_t document_bytes = 0;
};
static_assert(sizeof(CacheFileHeader) == 64, "it is written as it is");

inline constexpr std::size_t kUncounted = sizeof(Document::references);  // of a document, not in the file
inline constexpr std::size_t kRootPlace = 8;
static_assert(sizeof(Document) == 20 && sizeof(Fragment) == 8 && kUncounted == 4, "documents are written as they are");

inline constexpr std::uint64_t kLargestCacheFile = std::uint64_t{8} << 30;  // so that no count of references overflows
inline constexpr std::size_t kCacheFileBlock = std::size_t{256} << 10;      // what the checksum takes at a time
using Checksum = std::uint64_t;

inline std::uint64_t hash_of_names() noexcept {
  std::uint64_t hash = name_count();
  for (std::size_t id = 0; id < name_count(); ++id) {
    hash = kubexx::detail::hash_bytes(name_text(static_cast<NameId>(id)), hash);
  }
  return hash;
}

}  // namespace kubexx::meta::detail
