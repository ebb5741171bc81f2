#include "kubexx/controller/cached_client.hpp"

#include <stdexcept>

#include "controller/cached_resource.hpp"

namespace kubexx::controller {

std::shared_ptr<CachedResourceApi::Impl> CachedClient::Impl::find_or_make(const meta::GroupVersionResource& resource,
                                                                          rest::Format format) {
  const std::lock_guard lock(mutex);
  auto& found = resources[resource];
  if (!found) found = std::make_shared<CachedResourceApi::Impl>(factory, options, resource, format);
  return found;
}

CachedClient::CachedClient(informer::SharedInformerFactory& factory, CachedClientOptions options)
    : impl_(std::make_shared<Impl>(factory, std::move(options))) {
  if (impl_->options.max_writes == 0) throw std::logic_error("a cached client has to remember at least one write");
}

CachedResourceApi CachedClient::resource(const meta::GroupVersionResource& resource) const {
  return CachedResourceApi(impl_->find_or_make(resource, rest::Format::Json));
}

CachedResourceApi CachedClient::known(const meta::ResourceInfo& info) const {
  const meta::ResourceInfo* const one = &info;
  impl_->factory.know({&one, 1});
  return CachedResourceApi(
      impl_->find_or_make(info.gvr(), info.protobuf ? rest::Format::Protobuf : rest::Format::Json));
}

void CachedClient::use(const std::shared_ptr<informer::SharedIndexInformer>& informer) const {
  if (!informer) throw std::logic_error("there is no informer to read from");
  impl_->find_or_make(informer->resource(), rest::Format::Json)->use(informer);
}

}  // namespace kubexx::controller
