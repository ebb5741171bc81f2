#include "informer/cluster_identity.hpp"
#include "informer/scope.hpp"
#include "kubexx/codec/resources.hpp"
#include "kubexx/informer/client_lister_watcher.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"

namespace kubexx::informer::detail {

std::shared_ptr<SharedIndexInformer> make_informer(const rest::Client& client,
                                                   const meta::GroupVersionResource& resource,
                                                   const meta::ResourceInfo* info, InformerOptions options) {
  if (info && !info->namespaced) options.scope.cluster_wide = true;
  ClientSourceOptions source;
  if (const auto* known = info ? info : codec::find_resource(resource)) source.kind = known->gvk();
  source.format = info && info->protobuf ? rest::Format::Protobuf : rest::Format::Json;
  SourceFunc make = [client, resource, source, tweak = options.tweak_list_options](const Scope& wanted,
                                                                                   const std::string& namespace_) {
    const WholeScope scope(wanted);
    auto own = source;
    own.namespace_ = namespace_;
    own.projection = scope.projection;
    own.metadata_only = scope.metadata_only;
    own.tweak = [scope, tweak](meta::ListOptions& query) {
      if (!scope.label_selector.empty()) query.label_selector = scope.label_selector;
      if (!scope.field_selector.empty()) query.field_selector = scope.field_selector;
      if (tweak) tweak(query);
    };
    return make_client_lister_watcher(client, resource, std::move(own));
  };
  options.resource = resource;
  if (!options.cache_directory.empty() && options.cluster.configured.empty()) {
    options.cluster = cluster_identity(client);
  }
  if (options.description.empty()) options.description = resource.group_resource().to_string();
  if (info && !options.expected_kind) options.expected_kind = info->gvk();
  if (!options.executor) options.executor = client.executor();
  if (!options.handlers) options.handlers = client.handlers();
  if (!options.metrics) options.metrics = client.metrics();
  if (client.tracer()) {
    if (!options.reflector) options.reflector.emplace();
    if (!options.reflector->tracer) options.reflector->tracer = client.tracer();
  }
  return SharedIndexInformer::create(std::move(make), std::move(options));
}

}  // namespace kubexx::informer::detail
