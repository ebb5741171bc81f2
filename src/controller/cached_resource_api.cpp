#include "kubexx/controller/cached_resource_api.hpp"

#include "controller/cached_resource.hpp"
#include "kubexx/store/lister.hpp"

namespace kubexx::controller {
namespace {

using meta::Object;
using Objects = std::vector<Object>;

Result<Object> find(const InformerPtr& informer, const meta::ObjectKey& key) {
  auto object = informer->indexer()->find(key.to_string());
  if (!object) return store::not_found(informer->resource().group_resource(), key.name);
  return object;
}

Objects select(const InformerPtr& informer, const CachedListOptions& options) {
  return store::list_all_by_namespace(*informer->indexer(), options.namespace_, options.selector);
}

}  // namespace

CachedResourceApi::CachedResourceApi(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Async<Result<Object>> CachedResourceApi::get_async(const meta::ObjectKey& key,
                                                   const informer::WaitOptions& options) const {
  return impl_->fresh({key, {}}, options).map([key](const Result<InformerPtr>& informer) -> Result<Object> {
    if (!informer) return informer.error();
    return find(*informer, key);
  });
}

Async<Result<Objects>> CachedResourceApi::list_async(const CachedListOptions& options) const {
  return impl_->fresh({{}, options.namespace_}, {options.stop, options.timeout})
      .map([options](const Result<InformerPtr>& informer) -> Result<Objects> {
        if (!informer) return informer.error();
        return select(*informer, options);
      });
}

Async<Result<Object>> CachedResourceApi::create_async(const Object& object, const client::WriteOptions& options) const {
  return impl_->write(impl_->server.create_async(object, options), options.dry_run);
}

Async<Result<Object>> CachedResourceApi::update_async(const Object& object, const client::WriteOptions& options) const {
  return impl_->write(impl_->server.update_async(object, options), options.dry_run);
}

Async<Result<Object>> CachedResourceApi::update_status_async(const Object& object,
                                                             const client::WriteOptions& options) const {
  return impl_->write(impl_->server.update_status_async(object, options), options.dry_run);
}

Async<Result<Object>> CachedResourceApi::patch_async(const meta::ObjectKey& key, client::PatchType type,
                                                     std::string_view body, const client::WriteOptions& options,
                                                     std::string_view subresource) const {
  return impl_->write(server(key.namespace_).patch_async(key.name, type, body, options, subresource), options.dry_run);
}

Async<Result<Object>> CachedResourceApi::apply_async(const Object& object, const client::WriteOptions& options,
                                                     std::string_view subresource) const {
  return impl_->write(impl_->server.apply_async(object, options, subresource), options.dry_run);
}

Async<Result<void>> CachedResourceApi::remove_async(const meta::ObjectKey& key,
                                                    const client::DeleteOptions& options) const {
  auto removal = server(key.namespace_).remove_answered_async(key.name, options);
  return impl_->write(std::move(removal), options.dry_run, key).map([](const Result<Object>& answer) -> Result<void> {
    if (!answer) return answer.error();
    return {};
  });
}

Result<Object> CachedResourceApi::get(const meta::ObjectKey& key, const informer::WaitOptions& options) const {
  if (const auto informer = impl_->fresh_now({key, {}})) return find(informer, key);
  return get_async(key, options).wait();
}

Result<Objects> CachedResourceApi::list(const CachedListOptions& options) const {
  if (const auto informer = impl_->fresh_now({{}, options.namespace_})) return select(informer, options);
  return list_async(options).wait();
}

Result<Object> CachedResourceApi::create(const Object& object, const client::WriteOptions& options) const {
  return create_async(object, options).wait();
}

Result<Object> CachedResourceApi::update(const Object& object, const client::WriteOptions& options) const {
  return update_async(object, options).wait();
}

Result<Object> CachedResourceApi::update_status(const Object& object, const client::WriteOptions& options) const {
  return update_status_async(object, options).wait();
}

Result<Object> CachedResourceApi::patch(const meta::ObjectKey& key, client::PatchType type, std::string_view body,
                                        const client::WriteOptions& options, std::string_view subresource) const {
  return patch_async(key, type, body, options, subresource).wait();
}

Result<Object> CachedResourceApi::apply(const Object& object, const client::WriteOptions& options,
                                        std::string_view subresource) const {
  return apply_async(object, options, subresource).wait();
}

Result<void> CachedResourceApi::remove(const meta::ObjectKey& key, const client::DeleteOptions& options) const {
  return remove_async(key, options).wait();
}

void CachedResourceApi::remember(const Object& written) const {
  impl_->remember(written);
}

client::ResourceApi CachedResourceApi::server(std::string namespace_) const {
  return impl_->server.namespaced(std::move(namespace_));
}

std::size_t CachedResourceApi::remembered() const {
  return impl_->writes.size();
}

}  // namespace kubexx::controller
