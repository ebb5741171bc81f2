#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"

/// Objects and what they share as the bytes of a file, as they are in memory:
/// docs/adr/0014-fragments-and-cache-files.md.
namespace kubexx::meta::detail {

/// What a file says beside its objects. Both are texts of lines "word rest".
struct CacheFileHead {
  std::string identity = {};  ///< what the objects are of; a file with another one is not read
  std::string state = {};     ///< at which point: versions
};

struct CacheFileContents {
  std::string state = {};
  std::vector<Object> objects = {};
};

/// Takes the bytes of a file in order.
using ByteSink = std::function<Result<void>(std::string_view bytes)>;
/// Gives some bytes of a file, at least one; 0 at its end.
using ByteSource = std::function<Result<std::size_t>(std::span<char> into)>;

/// Hands the file to the sink, in pieces. An Error of the sink ends it; so does a null object.
Result<void> write_cache_file(const CacheFileHead& head, std::span<const Object> objects, const ByteSink& sink);

/// Everything of a file of `size` bytes, if it is whole, of this program's layout and of this identity. The bytes are
/// from outside: whatever they are, the outcome is an Error or objects that can be read as any other. Of the memory
/// that it takes no more than a small multiple of the file's size; std::bad_alloc is an Error too.
Result<CacheFileContents> read_cache_file(std::string_view identity, std::uint64_t size, const ByteSource& source);

}  // namespace kubexx::meta::detail
