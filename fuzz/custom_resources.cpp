// layers: apiserver
// links: kubexx_generator
// A CustomResourceDefinition in YAML and, after a zero byte, an object of it: generator and server take or refuse both.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/yaml.hpp"
#include "model.hpp"
#include "support/fixture_executor.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kubexx;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto definition = text.substr(0, text.find('\0'));
  std::vector<gen::PackageModel> packages;
  static_cast<void>(gen::add_crd_packages(definition, "", packages));

  const auto objects = meta::parse_yaml(definition);
  if (!objects || objects->empty()) return 0;
  const FixtureExecutor executor;
  apiserver::Options options;
  options.seed = 7;
  options.executor = executor;
  apiserver::Core core(std::move(options));
  if (!core.seed(objects->front()) || definition.size() == text.size()) return 0;
  static_cast<void>(core.seed_json(text.substr(definition.size() + 1)));
  return 0;
}
