// layers: meta
// Any bytes decode to an Error, or to a document that prints and reads again as itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kubexx/meta/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kubexx::meta;
  static JsonDecoder full;
  static JsonDecoder cut({.projection = Projection::paths({"spec.containers.name", "status"}).value()});
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const auto object = full.decode(text);
  const auto part = cut.decode(text);
  if (!object) return 0;
  if (!part) std::abort();
  const std::string printed = to_json(*object);
  const auto again = full.decode(printed);
  if (!again || !(*again == *object) || to_json(*again) != printed) std::abort();
  if (!diff_paths(object->root(), again->root()).empty()) std::abort();
  return 0;
}
