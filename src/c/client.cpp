#include "c/client.hpp"

#include "c/boundary.hpp"
#include "c/config.hpp"
#include "c/options.hpp"

namespace kubexx::c {

meta::GroupVersionResource parse_resource(const char* text) {
  const std::string resource = needed_text(text, "resource");
  const auto first = resource.find('/');
  const auto last = resource.rfind('/');
  meta::GroupVersionResource parsed;
  if (first != std::string::npos) {
    parsed.resource = resource.substr(last + 1);
    parsed.version = first == last ? resource.substr(0, first) : resource.substr(first + 1, last - first - 1);
    if (first != last) parsed.group = resource.substr(0, first);
  }
  const bool well = !parsed.resource.empty() && !parsed.version.empty() &&
                    parsed.version.find('/') == std::string::npos && (first == last || !parsed.group.empty());
  if (!well) invalid("a resource is written v1/pods or apps/v1/deployments, not \"" + resource + "\"");
  return parsed;
}

}  // namespace kubexx::c

kubexx_status kubexx_client_new(const kubexx_config* config, const kubexx_options* options, kubexx_loop* loop,
                                kubexx_client** client, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(client, "client");
    const auto& wanted = kubexx::c::needed(config, "config").config;
    const kubexx::c::Given none(options, {});
    kubexx::rest::ClientOptions how;
    std::shared_ptr<kubexx::c::LoopUse> use;
    if (loop) {
      use = loop->use;
      how.executor = use->executor();
    }
    auto made = kubexx::rest::Client::create(wanted, std::move(how)).value();
    *client = new kubexx_client{std::move(use), std::move(made)};
  });
}

void kubexx_client_free(kubexx_client* client) {
  kubexx::c::ending("kubexx_client_free", [&] { delete client; });
}
