#include "meta/internal/packed_copy.hpp"

#include <algorithm>

#include "meta/document/layout.hpp"

namespace kubexx::meta::detail {
namespace {

template <class Function>
void for_bytes_of_fragments(const Object& object, const Function& function) {
  const Document* const document = Access::document(object);
  if (document == nullptr || (document->cut & kHasFragments) == 0) return;
  for_each_fragment(reinterpret_cast<const std::byte*>(document), document->root, [&](std::uint32_t number) {
    const Fragment& fragment = fragment_at(number);
    function(std::string_view(reinterpret_cast<const char*>(&fragment), fragment.size));
  });
}

}  // namespace

std::string packed_copy(const Object& object) {
  std::string copy(object.raw_bytes());
  for_bytes_of_fragments(object, [&copy](std::string_view bytes) { copy += bytes; });
  return copy;
}

bool equals_packed_copy(const Object& object, std::string_view copy) noexcept {
  // Only a document that is as it was can be walked.
  const std::string_view own = object.raw_bytes();
  if (copy.substr(0, own.size()) != own) return false;
  copy.remove_prefix(own.size());
  bool equal = true;
  for_bytes_of_fragments(object, [&](std::string_view bytes) {
    equal = equal && copy.substr(0, bytes.size()) == bytes;
    copy.remove_prefix(std::min(copy.size(), bytes.size()));
  });
  return equal;
}

}  // namespace kubexx::meta::detail
