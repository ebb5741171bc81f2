#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/async.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/list_progress.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/watch_event.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::client {

using rest::CallOptions;

/// Of reading one object.
struct GetOptions {
  std::string resource_version = {};
  std::stop_token stop = {};
  std::optional<Duration> timeout = {};
};

/// One page of a list, or a watch; empty and absent fields are not sent.
struct ListOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
  std::int64_t limit = 0;
  std::string continue_token = {};
  meta::ListLimits limits = {};  ///< lists only: more, in one page or in all that a Pager reads, is an Error
  std::optional<std::int64_t> timeout_seconds = {};
  bool allow_watch_bookmarks = false;  ///< watches only
  std::string shard_selector = {};     ///< see meta::ListOptions, as the next
  std::vector<std::pair<std::string, std::string>> more = {};
  meta::Projection projection = meta::Projection::full();  ///< applied while decoding
  std::stop_token stop = {};
  std::optional<Duration> timeout = {};
};

/// Of writes.
struct WriteOptions {
  std::string field_manager = {};
  bool force = false;  ///< apply takes fields over from other managers
  bool dry_run = false;
  std::string field_validation = {};  ///< "", "Ignore", "Warn", "Strict"
  std::stop_token stop = {};
  std::optional<Duration> timeout = {};
};

/// Of deletions; preconditions make one fail that would hit another object.
struct DeleteOptions {
  std::optional<std::int64_t> grace_period_seconds = {};
  std::string propagation_policy = {};  ///< "", "Orphan", "Background", "Foreground"
  std::string uid = {};                 ///< only if it still has this uid
  std::string resource_version = {};    ///< only if it still has this version
  bool dry_run = false;
  std::stop_token stop = {};
  std::optional<Duration> timeout = {};
};

/// Of reading a container's log; fields are those of the API.
struct LogOptions {
  std::string container = {};
  bool follow = false;  ///< wait for what is still to be written
  bool previous = false;
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines = {};
  std::optional<std::int64_t> since_seconds = {};
  std::string since_time = {};  ///< RFC 3339
  std::optional<std::int64_t> limit_bytes = {};
  std::stop_token stop = {};
  std::optional<Duration> timeout = {};  ///< from the call to the last byte
};

/// How a patch is written.
enum class PatchType : std::uint8_t { Merge, Json, Strategic, Apply };

/// Objects of a list, the version that it is of, and how it goes on.
struct ObjectList {
  meta::ListMeta meta = {};
  std::vector<meta::Object> items = {};
};

/// The lines of a log, without their end; one of more than 1 MB comes in pieces.
struct LineCallbacks {
  Task on_open = {};
  UniqueFunction<void(std::string_view line)> on_line = {};
  UniqueFunction<void(const Error*)> on_end = {};  ///< once, last; null: the log ended
};

/// The calls of one resource in one namespace (or all, or cluster-wide) over untyped objects: what Api<T> and the
/// dynamic client are made of. A handle, cheap to copy.
///
/// Each verb has two forms: `get_async` makes an operation, and `get` blocks until the same operation has its answer.
///
/// Writes send JSON; answers are read as protobuf where asked for. An object that a projection or transform cut is
/// never sent as a whole: update() refuses it and says what cut it; patch it instead.
///
/// Threads: safe from any thread. Operations complete on the client's executor; see Async.
/// Stop: a stopped call ends with Canceled, a late one with Timeout.
/// Errors: what the server says, as rest::Client::send() returns it. What is refused before it is sent, an empty name
/// for example, comes the same way.
/// Example:
///
///     client::ResourceApi pods(client, {"", "v1", "pods"}, "default");
///     auto web = pods.get("web", {.timeout = 5s});
///     if (!web && web.error().is_not_found()) forget("default/web");
///     pods.list_async({.label_selector = "app=web"}).start([](const Result<client::ObjectList>& list) {
///       if (list) greet(list->items.size());
///     });
class KUBEXX_EXPORT ResourceApi {
 public:
  ResourceApi(rest::Client client, meta::GroupVersionResource resource, std::string namespace_ = {},
              rest::Format format = rest::Format::Json);

  /// Operations: nothing is sent before they are started. What is not there is Error::is_not_found(), what has another
  /// version by now Error::is_conflict().
  Async<Result<meta::Object>> create_async(const meta::Object& object,
                                           const WriteOptions& options = WriteOptions()) const;
  Async<Result<meta::Object>> get_async(std::string_view name, const GetOptions& options = GetOptions()) const;
  Async<Result<ObjectList>> list_async(const ListOptions& options = ListOptions()) const;
  /// Every page, as a Pager with its defaults reads them.
  Async<Result<ObjectList>> list_all_async(const ListOptions& options = ListOptions()) const;
  Async<Result<meta::Object>> update_async(const meta::Object& object,
                                           const WriteOptions& options = WriteOptions()) const;
  Async<Result<meta::Object>> update_status_async(const meta::Object& object,
                                                  const WriteOptions& options = WriteOptions()) const;
  Async<Result<meta::Object>> patch_async(std::string_view name, PatchType type, std::string_view body,
                                          const WriteOptions& options = WriteOptions(),
                                          std::string_view subresource = {}) const;
  /// Server-side apply; the field manager must be given. managedFields are left out.
  Async<Result<meta::Object>> apply_async(const meta::Object& object, const WriteOptions& options,
                                          std::string_view subresource = {}) const;
  Async<Result<void>> remove_async(std::string_view name, const DeleteOptions& options = DeleteOptions()) const;
  /// The same, with the server's answer: the object, marked for deletion or as it was at its end, or a Status that has
  /// its uid among its details.
  Async<Result<meta::Object>> remove_answered_async(std::string_view name,
                                                    const DeleteOptions& options = DeleteOptions()) const;
  Async<Result<void>> remove_collection_async(const ListOptions& which = ListOptions(),
                                              const DeleteOptions& options = DeleteOptions()) const;
  Async<Result<meta::Object>> get_subresource_async(std::string_view name, std::string_view subresource,
                                                    const GetOptions& options = GetOptions()) const;
  Async<Result<meta::Object>> create_subresource_async(std::string_view name, std::string_view subresource,
                                                       const meta::Object& object,
                                                       const WriteOptions& options = WriteOptions()) const;
  Async<Result<meta::Object>> update_subresource_async(std::string_view name, std::string_view subresource,
                                                       const meta::Object& object,
                                                       const WriteOptions& options = WriteOptions()) const;
  /// The log of a pod, whole.
  Async<Result<std::string>> logs_async(std::string_view name, const LogOptions& options = LogOptions()) const;

  /// A watch, and the log of a pod while it is written, on a strand of the caller's. ERROR events come as they are;
  /// `stop` and `timeout` of the options do not apply: destroying the call ends it.
  std::unique_ptr<meta::Call> start_watch(const ListOptions& options, const Strand& strand,
                                          std::shared_ptr<meta::StreamSink> sink) const;
  std::unique_ptr<meta::Call> start_logs(std::string_view name, const LogOptions& options, const Strand& strand,
                                         rest::ByteCallbacks callbacks) const;
  std::unique_ptr<meta::Call> start_log_lines(std::string_view name, const LogOptions& options, const Strand& strand,
                                              LineCallbacks callbacks) const;

  /// The same, blocking.
  Result<meta::Object> create(const meta::Object& object, const WriteOptions& options = {}) const;
  Result<meta::Object> get(std::string_view name, const GetOptions& options = {}) const;
  Result<ObjectList> list(const ListOptions& options = {}) const;
  Result<ObjectList> list_all(const ListOptions& options = {}) const;
  Result<meta::Object> update(const meta::Object& object, const WriteOptions& options = {}) const;
  Result<meta::Object> update_status(const meta::Object& object, const WriteOptions& options = {}) const;
  Result<meta::Object> patch(std::string_view name, PatchType type, std::string_view body,
                             const WriteOptions& options = {}, std::string_view subresource = {}) const;
  Result<meta::Object> apply(const meta::Object& object, const WriteOptions& options,
                             std::string_view subresource = {}) const;
  Result<void> remove(std::string_view name, const DeleteOptions& options = {}) const;
  Result<void> remove_collection(const ListOptions& which = {}, const DeleteOptions& options = {}) const;
  Result<meta::Object> get_subresource(std::string_view name, std::string_view subresource,
                                       const GetOptions& options = {}) const;
  Result<meta::Object> create_subresource(std::string_view name, std::string_view subresource,
                                          const meta::Object& object, const WriteOptions& options = {}) const;
  Result<meta::Object> update_subresource(std::string_view name, std::string_view subresource,
                                          const meta::Object& object, const WriteOptions& options = {}) const;
  Result<std::string> logs(std::string_view name, const LogOptions& options = {}) const;
  /// Calls `on_event` on this thread until it returns false (success), the server ends the watch (success), an error,
  /// stop or timeout. ERROR events end it with their Status as the Error.
  Result<void> watch(const ListOptions& options, const std::function<bool(const meta::WatchEvent&)>& on_event) const;
  /// The log as it arrives: the callback gets pieces of any size, or lines as start_log_lines() gives them, on this
  /// thread, until it returns false (success) or the log ends.
  Result<void> stream_logs(std::string_view name, const LogOptions& options,
                           const std::function<bool(std::string_view bytes)>& on_bytes) const;
  Result<void> stream_log_lines(std::string_view name, const LogOptions& options,
                                const std::function<bool(std::string_view line)>& on_line) const;

  /// The same in this namespace.
  ResourceApi namespaced(std::string namespace_) const;
  const rest::Client& client() const noexcept { return client_; }
  /// What it is for; an empty namespace is all of them, or none for what has none.
  const meta::GroupVersionResource& resource() const noexcept { return resource_; }
  const std::string& namespace_() const noexcept { return namespace_name_; }

 private:
  rest::Request request(std::string method, std::string_view name, std::string_view subresource,
                        std::string_view namespace_) const;
  Async<Result<meta::Object>> write(rest::Request request, const WriteOptions& options) const;
  Async<Result<meta::Object>> put(const meta::Object& object, std::string_view name, std::string_view subresource,
                                  const WriteOptions& options) const;
  Async<Result<rest::Response>> erase(rest::Request request, const DeleteOptions& options) const;
  rest::ResourcePath path() const { return {resource_, namespace_name_, {}, {}}; }
  rest::ReadOptions reading(const ListOptions& options) const;
  rest::Request log_request(std::string_view name, const LogOptions& options) const;

  rest::Client client_;
  meta::GroupVersionResource resource_;
  std::string namespace_name_;
  rest::Format format_;
};

}  // namespace kubexx::client
