// layers: rest
// Any text is refused with an Error or read; making a configuration of it never crashes. Files it names do not exist.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kubexx/rest/kubeconfig.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kubexx::rest;
  const auto config = KubeConfig::parse(std::string_view(reinterpret_cast<const char*>(data), size), "/nowhere/config");
  if (config) static_cast<void>(to_config(*config, {}));
  return 0;
}
