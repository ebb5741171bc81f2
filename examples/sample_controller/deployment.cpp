#include "deployment.hpp"

#include <chrono>

namespace sample {

using kubexx::workqueue::RateLimiter;
using namespace std::chrono_literals;

// [begin limiter]
RateLimiter rate_limiter(const Options& options) {
  return RateLimiter::max_of(
      {RateLimiter::exponential(5ms, options.longest_retry), RateLimiter::token_bucket(50, 300)});
}
// [end limiter]

// [begin deployment]
std::int32_t wanted_replicas(const Foo& foo) {
  return foo.spec().has_replicas() ? static_cast<std::int32_t>(foo.spec().replicas()) : 1;
}

void fill_deployment(const Foo& foo, DeploymentDraft& deployment) {
  auto spec = deployment.spec();
  spec.set_replicas(wanted_replicas(foo));
  for (auto labels : {spec.selector().match_labels(), spec.template_().metadata().labels()}) {
    labels.set("app", "nginx");
    labels.set("controller", foo.name());
  }
  auto container = spec.template_().spec().containers().append();
  container.set_name("nginx");
  container.set_image("nginx:latest");
}
// [end deployment]

std::string exists_message(const Foo& foo) {
  return "Deployment " + std::string(foo.spec().deployment_name()) + " exists and is not controlled by this Foo";
}

}  // namespace sample
