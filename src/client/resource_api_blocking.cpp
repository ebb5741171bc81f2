// The blocking forms of what resource_api.cpp and pod_logs.cpp do.
#include "client/internal/log_lines.hpp"
#include "client/mailbox.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/status.hpp"

namespace kubexx::client {
namespace {

constexpr std::size_t kWaitingEvents = 64;
constexpr std::size_t kWaitingPieces = 16;  // of at most 64 KB each

}  // namespace

Result<meta::Object> ResourceApi::create(const meta::Object& object, const WriteOptions& options) const {
  return create_async(object, options).wait();
}

Result<meta::Object> ResourceApi::get(std::string_view name, const GetOptions& options) const {
  return get_async(name, options).wait();
}

Result<ObjectList> ResourceApi::list(const ListOptions& options) const {
  return list_async(options).wait();
}

Result<ObjectList> ResourceApi::list_all(const ListOptions& options) const {
  return list_all_async(options).wait();
}

Result<meta::Object> ResourceApi::update(const meta::Object& object, const WriteOptions& options) const {
  return update_async(object, options).wait();
}

Result<meta::Object> ResourceApi::update_status(const meta::Object& object, const WriteOptions& options) const {
  return update_status_async(object, options).wait();
}

Result<meta::Object> ResourceApi::patch(std::string_view name, PatchType type, std::string_view body,
                                        const WriteOptions& options, std::string_view subresource) const {
  return patch_async(name, type, body, options, subresource).wait();
}

Result<meta::Object> ResourceApi::apply(const meta::Object& object, const WriteOptions& options,
                                        std::string_view subresource) const {
  return apply_async(object, options, subresource).wait();
}

Result<void> ResourceApi::remove(std::string_view name, const DeleteOptions& options) const {
  return remove_async(name, options).wait();
}

Result<void> ResourceApi::remove_collection(const ListOptions& which, const DeleteOptions& options) const {
  return remove_collection_async(which, options).wait();
}

Result<meta::Object> ResourceApi::get_subresource(std::string_view name, std::string_view subresource,
                                                  const GetOptions& options) const {
  return get_subresource_async(name, subresource, options).wait();
}

Result<meta::Object> ResourceApi::create_subresource(std::string_view name, std::string_view subresource,
                                                     const meta::Object& object, const WriteOptions& options) const {
  return create_subresource_async(name, subresource, object, options).wait();
}

Result<meta::Object> ResourceApi::update_subresource(std::string_view name, std::string_view subresource,
                                                     const meta::Object& object, const WriteOptions& options) const {
  return update_subresource_async(name, subresource, object, options).wait();
}

Result<std::string> ResourceApi::logs(std::string_view name, const LogOptions& options) const {
  return logs_async(name, options).wait();
}

Result<void> ResourceApi::watch(const ListOptions& options,
                                const std::function<bool(const meta::WatchEvent&)>& on_event) const {
  return read_stream<meta::WatchEvent>(
             client_, {options.stop, options.timeout}, kWaitingEvents,
             [api = *this, options](const Strand& strand, Mailbox<meta::WatchEvent>& box) {
               return api.start_watch(options, strand, std::make_shared<EventPutter>(box.weak_from_this()));
             },
             [&](const meta::WatchEvent& event) -> Result<bool> {
               if (event.type == meta::WatchEventType::Error) return meta::error_from_status(event.object);
               return on_event(event);
             })
      .context("watch " + resource_.group_resource().to_string());
}

Result<void> ResourceApi::stream_logs(std::string_view name, const LogOptions& options,
                                      const std::function<bool(std::string_view)>& on_bytes) const {
  return read_stream<std::string>(
      client_, {options.stop, options.timeout}, kWaitingPieces,
      [api = *this, name = std::string(name), options](const Strand& strand, Mailbox<std::string>& box) {
        rest::ByteCallbacks callbacks;
        callbacks.on_bytes = [weak = box.weak_from_this()](std::string_view bytes) {
          if (const auto to = weak.lock()) to->put(std::string(bytes));
        };
        callbacks.on_end = [weak = box.weak_from_this()](const Error* error) {
          if (const auto to = weak.lock()) to->end(error);
        };
        return api.start_logs(name, options, strand, std::move(callbacks));
      },
      [&](const std::string& bytes) -> Result<bool> { return on_bytes(bytes); });
}

Result<void> ResourceApi::stream_log_lines(std::string_view name, const LogOptions& options,
                                           const std::function<bool(std::string_view)>& on_line) const {
  LogLines lines;
  const auto take = [&](std::string_view line, bool) { return on_line(line); };
  auto read = stream_logs(name, options, [&](std::string_view bytes) { return lines.take(bytes, take); });
  if (read) lines.end(take);
  return read;
}

}  // namespace kubexx::client
