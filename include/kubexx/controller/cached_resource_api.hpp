#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/async.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/meta/label_selector.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::controller {

/// What a cached list is of, and how long it may wait.
struct CachedListOptions {
  std::string namespace_ = {};  ///< empty: all that the cache has
  meta::LabelSelector selector = {};
  std::stop_token stop = {};
  std::optional<Duration> timeout = {};  ///< absent: the client's deadline
};

/// The calls of one resource over untyped objects, reads from its informer and writes to the server: what CachedApi<T>
/// is a shell of. CachedClient says what a read waits for, and makes these. A handle, cheap to copy.
///
/// Threads: safe from any thread. Operations complete on the client's executor; the forms without the suffix block, but
/// for reads that need not wait.
/// Stop: by the stop and timeout of the options, with Canceled and Timeout.
/// Errors: reads: is_not_found(); a cache that has not synced, or has not got what was written, within the deadline is
/// a Timeout; an informer that the client may not start is of kind Config. Writes: as those of client::ResourceApi.
/// Example:
///
///     controller::CachedClient cached(factory);
///     auto maps = cached.resource({"", "v1", "configmaps"});
///     auto made = maps.create(testkit::make_config_map("default/settings"));
///     auto seen = maps.get({"default", "settings"});  // waits until the cache has it
///     if (!seen) complain(seen.error());
class KUBEXX_EXPORT CachedResourceApi {
 public:
  /// Operations: nothing is sent before they are started. What is not there is Error::is_not_found(), what has another
  /// version by now Error::is_conflict().
  Async<Result<meta::Object>> get_async(const meta::ObjectKey& key,
                                        const informer::WaitOptions& options = informer::WaitOptions()) const;
  /// In no order.
  Async<Result<std::vector<meta::Object>>> list_async(const CachedListOptions& options = CachedListOptions()) const;
  Async<Result<meta::Object>> create_async(const meta::Object& object,
                                           const client::WriteOptions& options = client::WriteOptions()) const;
  Async<Result<meta::Object>> update_async(const meta::Object& object,
                                           const client::WriteOptions& options = client::WriteOptions()) const;
  Async<Result<meta::Object>> update_status_async(const meta::Object& object,
                                                  const client::WriteOptions& options = client::WriteOptions()) const;
  Async<Result<meta::Object>> patch_async(const meta::ObjectKey& key, client::PatchType type, std::string_view body,
                                          const client::WriteOptions& options = client::WriteOptions(),
                                          std::string_view subresource = {}) const;
  Async<Result<meta::Object>> apply_async(const meta::Object& object, const client::WriteOptions& options,
                                          std::string_view subresource = {}) const;
  Async<Result<void>> remove_async(const meta::ObjectKey& key,
                                   const client::DeleteOptions& options = client::DeleteOptions()) const;

  /// The same, blocking.
  Result<meta::Object> get(const meta::ObjectKey& key, const informer::WaitOptions& options = {}) const;
  Result<std::vector<meta::Object>> list(const CachedListOptions& options = {}) const;
  Result<meta::Object> create(const meta::Object& object, const client::WriteOptions& options = {}) const;
  Result<meta::Object> update(const meta::Object& object, const client::WriteOptions& options = {}) const;
  Result<meta::Object> update_status(const meta::Object& object, const client::WriteOptions& options = {}) const;
  Result<meta::Object> patch(const meta::ObjectKey& key, client::PatchType type, std::string_view body,
                             const client::WriteOptions& options = {}, std::string_view subresource = {}) const;
  Result<meta::Object> apply(const meta::Object& object, const client::WriteOptions& options,
                             std::string_view subresource = {}) const;
  Result<void> remove(const meta::ObjectKey& key, const client::DeleteOptions& options = {}) const;

  /// An answer to a write that was made in another way, such as finalize() with server(): later reads see it too.
  void remember(const meta::Object& written) const;
  /// Reads and writes past the cache, in this namespace ("": by that of the objects).
  client::ResourceApi server(std::string namespace_ = {}) const;
  std::size_t remembered() const;  ///< writes that the cache had not got when it was last asked

  struct Impl;  // src/controller/cached_resource.hpp
  explicit CachedResourceApi(std::shared_ptr<Impl> impl);

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::controller
