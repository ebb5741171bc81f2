#include "resources.hpp"

#include "kubexx/client/resource_mapper.hpp"

namespace kubexx::app {

Result<NamedResource> resolve_resource(const rest::Client& client, const std::string& text) {
  client::ResourceMapper mapper(client);
  auto found = mapper.find(std::string_view(text));
  if (!found) return found.error();
  if (!found->can("list")) return Error::config(text + " cannot be listed");
  return NamedResource{found->resource, found->kind, found->namespaced};
}

}  // namespace kubexx::app
