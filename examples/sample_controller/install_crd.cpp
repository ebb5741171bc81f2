#include "foo_crd_text.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/conditions.hpp"
#include "kubexx/meta/yaml.hpp"
#include "sample.hpp"

namespace sample {

using namespace kubexx;
using namespace std::chrono_literals;

Result<void> install_crd(const rest::Client& client, std::stop_token stop) {
  const client::ResourceApi definitions(client, {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  const auto documents = meta::parse_yaml(kFooCrd);
  if (!documents) return documents.error();
  const meta::Object& definition = documents->front();
  const auto created = definitions.create(definition, {.stop = stop});
  if (!created && !created.error().is_already_exists()) return created.error().with_context("install Foo");
  while (true) {
    const auto now = definitions.get(definition.name(), {.stop = stop});
    if (!now) return now.error().with_context("install Foo");
    if (meta::is_condition_true(*now, "Established")) return {};
    if (wait_for_stop(stop, 100ms)) return Error::canceled("stopped while Foo was installed");
  }
}

}  // namespace sample
