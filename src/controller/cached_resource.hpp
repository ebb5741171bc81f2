#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "controller/write_memory.hpp"
#include "kubexx/controller/cached_client.hpp"

namespace kubexx::controller {

using InformerPtr = std::shared_ptr<informer::SharedIndexInformer>;

/// What the handles of one resource share.
struct KUBEXX_HIDDEN CachedResourceApi::Impl : std::enable_shared_from_this<Impl> {
  Impl(informer::SharedInformerFactory& factory, const CachedClientOptions& options,
       meta::GroupVersionResource resource, rest::Format format);

  /// What a read looks at: a key, or a namespace and everything in it.
  struct Which {
    std::optional<meta::ObjectKey> key;
    std::string namespace_;
  };

  /// The informer once it is as new as a read of these has to see it.
  Async<Result<InformerPtr>> fresh(Which which, informer::WaitOptions how);
  /// The same if nothing has to be waited for; null: something has.
  InformerPtr fresh_now(const Which& which);
  Result<InformerPtr> informer();
  void use(InformerPtr given);

  /// The write, which is remembered when it is answered; `removed`: what it removes.
  Async<Result<meta::Object>> write(Async<Result<meta::Object>> operation, bool dry_run,
                                    std::optional<meta::ObjectKey> removed = {});
  /// An Error: the cache is so far behind that no further write can be remembered.
  Result<void> room();
  void remember(const meta::Object& written);
  void remember_removal(const meta::ObjectKey& key, const meta::Object& answer);

  informer::SharedInformerFactory& factory;
  const CachedClientOptions options;
  const client::ResourceApi server;
  WriteMemory writes;

 private:
  void begin_read(const Which& which, const informer::WaitOptions& how, Async<Result<InformerPtr>>::Done done);
  std::vector<informer::Written> missing(const Which& which, const informer::SharedIndexInformer& informer);
  Result<InformerPtr> find_informer();
  Error late(const informer::SharedIndexInformer& informer, const std::vector<informer::Written>& writes,
             Duration waited) const;
  TimePoint now() const { return server.client().executor()->clock().now(); }

  mutable std::mutex mutex_;
  InformerPtr informer_;  // guarded by mutex_
  bool given_ = false;    // guarded by mutex_; by use()
};

/// A resource is made known when it is first named.
struct KUBEXX_HIDDEN CachedClient::Impl {
  Impl(informer::SharedInformerFactory& f, CachedClientOptions o) : factory(f), options(std::move(o)) {}
  std::shared_ptr<CachedResourceApi::Impl> find_or_make(const meta::GroupVersionResource& resource,
                                                        rest::Format format);

  informer::SharedInformerFactory& factory;
  const CachedClientOptions options;
  std::mutex mutex;
  std::map<meta::GroupVersionResource, std::shared_ptr<CachedResourceApi::Impl>> resources;  // guarded by mutex
};

}  // namespace kubexx::controller
