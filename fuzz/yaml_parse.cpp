// layers: meta
// Any text is refused, or becomes objects that print and read again as themselves.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kubexx/meta/yaml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kubexx::meta;
  const auto documents = parse_yaml(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!documents) return 0;
  for (const Object& object : *documents) {
    const auto again = parse_yaml_document(to_yaml(object));
    if (!again || !(*again == object)) std::abort();
  }
  return 0;
}
