// layers: meta
// Any bytes with a good checksum are refused, or are objects that print, and go into a file and come out of it as
// themselves.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "unit/meta/cache_file_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kubexx::meta;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  detail::sign(bytes);

  const auto contents = detail::read(bytes);
  if (!contents) return 0;
  const auto again = detail::read(detail::written(contents->objects, contents->state));
  if (!again || again->objects.size() != contents->objects.size()) std::abort();
  for (std::size_t i = 0; i < contents->objects.size(); ++i) {
    const Object& object = contents->objects[i];
    if (to_json(object) != to_json(again->objects[i])) std::abort();
    if (!(object == object.edit().to_object())) std::abort();
  }
  return 0;
}
