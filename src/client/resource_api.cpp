#include "kubexx/client/resource_api.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>

#include "kubexx/codec/protobuf_stream.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json_stream.hpp"
#include "kubexx/meta/status.hpp"

namespace kubexx::client {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

void add(Query& query, std::string_view name, std::string_view value) {
  if (!value.empty()) query.emplace_back(name, value);
}

void add(Query& query, std::string_view name, const std::optional<std::int64_t>& value) {
  if (value) query.emplace_back(name, std::to_string(*value));
}

void add(Query& query, std::string_view name, bool value) {
  if (value) query.emplace_back(name, "true");
}

void add_list(Query& query, const ListOptions& options) {
  add(query, "labelSelector", options.label_selector);
  add(query, "fieldSelector", options.field_selector);
  add(query, "resourceVersion", options.resource_version);
  add(query, "resourceVersionMatch", options.resource_version_match);
  if (options.limit > 0) add(query, "limit", std::optional(options.limit));
  add(query, "continue", options.continue_token);
  add(query, "timeoutSeconds", options.timeout_seconds);
}

std::string_view content_type(PatchType type) {
  switch (type) {
    case PatchType::Merge:
      return "application/merge-patch+json";
    case PatchType::Json:
      return "application/json-patch+json";
    case PatchType::Strategic:
      return "application/strategic-merge-patch+json";
    case PatchType::Apply:
      break;
  }
  return "application/apply-patch+yaml";
}

Result<void> refuse_cut(const meta::Object& object) {
  if (object.completeness() == meta::Completeness::Full ||
      object.completeness() == meta::Completeness::WithoutManagedFields) {
    return {};
  }
  return Error::config("the object " + std::string(object.name()) + " is not whole (" +
                       std::string(to_string(object.completeness())) + ": " + std::string(object.projection_name()) +
                       "), sending it would erase what it lacks; send a patch");
}

std::string delete_body(const DeleteOptions& options) {
  meta::Draft draft;
  draft["apiVersion"].set("v1");
  draft["kind"].set("DeleteOptions");
  if (options.grace_period_seconds) draft["gracePeriodSeconds"].set(*options.grace_period_seconds);
  if (!options.propagation_policy.empty()) draft["propagationPolicy"].set(options.propagation_policy);
  if (!options.uid.empty()) draft["preconditions"]["uid"].set(options.uid);
  if (!options.resource_version.empty()) draft["preconditions"]["resourceVersion"].set(options.resource_version);
  if (options.dry_run) draft["dryRun"].append(std::string_view("All"));
  return meta::to_json(draft.to_object());
}

template <class Reader>
Result<ObjectList> read_list(std::string_view body, const meta::Projection& projection) {
  ObjectList out;
  meta::DecodeOptions options;
  options.projection = projection;
  Reader reader(options, [&](meta::Object item) { out.items.push_back(std::move(item)); });
  if (auto fed = reader.feed(body); !fed) return fed.error();
  auto end = reader.finish();
  if (!end) return end.error();
  out.meta = std::move(*end);
  return out;
}

/// Events on their way from the strand of a watch to the thread that waits for them.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<meta::WatchEvent> events;  // guarded by mutex
  bool ended = false;                   // guarded by mutex
  std::optional<Error> error;           // guarded by mutex
};

}  // namespace

ResourceApi::ResourceApi(rest::Client client, meta::GroupVersionResource resource, std::string namespace_,
                         rest::Format format)
    : client_(std::move(client)),
      resource_(std::move(resource)),
      namespace_name_(std::move(namespace_)),
      format_(format) {}

ResourceApi ResourceApi::in_namespace(std::string namespace_) const {
  return {client_, resource_, std::move(namespace_), format_};
}

rest::Request ResourceApi::request(std::string method, std::string_view name, std::string_view subresource,
                                   std::string_view namespace_) const {
  rest::Request out;
  out.method = std::move(method);
  out.path.resource = resource_;
  out.path.namespace_ = namespace_name_.empty() ? std::string(namespace_) : namespace_name_;
  out.path.name = name;
  out.path.subresource = subresource;
  out.format = format_;
  return out;
}

Result<meta::Object> ResourceApi::write(rest::Request request, const WriteOptions& options) const {
  add(request.query, "fieldManager", options.field_manager);
  add(request.query, "fieldValidation", options.field_validation);
  if (options.dry_run) add(request.query, "dryRun", "All");
  auto answer = client_.send(request, {options.stop, options.timeout});
  if (!answer) return answer.error();
  return answer->object();
}

Result<meta::Object> ResourceApi::create(const meta::Object& object, const WriteOptions& options) const {
  if (auto whole = refuse_cut(object); !whole) return whole.error();
  auto out = request("POST", {}, {}, object.namespace_());
  out.body = meta::to_json(object);
  return write(std::move(out), options);
}

Result<meta::Object> ResourceApi::get(std::string_view name, const GetOptions& options) const {
  return get_subresource(name, {}, options);
}

Result<meta::Object> ResourceApi::get_subresource(std::string_view name, std::string_view subresource,
                                                  const GetOptions& options) const {
  if (name.empty()) return Error::config("a name is needed");
  auto out = request("GET", name, subresource, {});
  add(out.query, "resourceVersion", options.resource_version);
  auto answer = client_.send(out, {options.stop, options.timeout});
  if (!answer) return answer.error();
  return answer->object();
}

Result<ObjectList> ResourceApi::list(const ListOptions& options) const {
  auto out = request("GET", {}, {}, {});
  add_list(out.query, options);
  auto answer = client_.send(out, {options.stop, options.timeout});
  if (!answer) return answer.error();
  const auto* type = answer->headers.find("Content-Type");
  if (type && type->starts_with("application/vnd.kubernetes.protobuf")) {
    return read_list<codec::ProtobufListReader>(answer->body, options.projection);
  }
  return read_list<meta::JsonListReader>(answer->body, options.projection);
}

Result<ObjectList> ResourceApi::list_all(ListOptions options) const {
  if (options.limit <= 0) options.limit = 500;
  ObjectList all;
  while (true) {
    auto page = list(options);
    if (!page) return page.error();
    for (auto& item : page->items) all.items.push_back(std::move(item));
    all.meta = std::move(page->meta);
    if (all.meta.continue_token.empty()) return all;
    options.continue_token = all.meta.continue_token;
    options.resource_version.clear();
    options.resource_version_match.clear();
  }
}

Result<void> ResourceApi::watch(const ListOptions& options,
                                const std::function<bool(const meta::WatchEvent&)>& on_event) const {
  rest::ResourcePath path;
  path.resource = resource_;
  path.namespace_ = namespace_name_;
  meta::ListOptions query;
  query.label_selector = options.label_selector;
  query.field_selector = options.field_selector;
  query.resource_version = options.resource_version;
  query.resource_version_match = options.resource_version_match;
  query.timeout_seconds = options.timeout_seconds;
  query.allow_watch_bookmarks = options.allow_watch_bookmarks;
  query.watch = true;
  rest::ReadOptions read;
  read.decode.projection = options.projection;
  read.format = format_;

  const auto box = std::make_shared<Mailbox>();
  rest::WatchCallbacks callbacks;
  callbacks.on_open = [] {};
  callbacks.on_event = [box](meta::WatchEvent event) {
    const std::lock_guard lock(box->mutex);
    box->events.push_back(std::move(event));
    box->changed.notify_all();
  };
  callbacks.on_end = [box](const Error* error) {
    const std::lock_guard lock(box->mutex);
    box->ended = true;
    if (error) box->error = *error;
    box->changed.notify_all();
  };
  const Strand strand(client_.executor());
  // The call lives and dies on its strand.
  const auto held = std::make_shared<std::unique_ptr<rest::Call>>();
  strand.post([=, client = client_, callbacks = std::make_shared<rest::WatchCallbacks>(std::move(callbacks))] {
    *held = client.watch(path, query, read, strand, std::move(*callbacks));
  });
  const auto close = [&] { strand.post([held] { held->reset(); }); };

  std::unique_lock lock(box->mutex);
  while (true) {
    box->changed.wait(lock, options.stop, [&] { return box->ended || !box->events.empty(); });
    if (options.stop.stop_requested()) {
      close();
      return Error::canceled("watch " + resource_.group_resource().to_string());
    }
    if (box->events.empty()) {
      close();
      if (box->error) return *box->error;
      return {};
    }
    const auto event = std::move(box->events.front());
    box->events.pop_front();
    lock.unlock();
    if (event.type == meta::WatchEventType::Error) {
      close();
      return meta::error_from_status(event.object);
    }
    if (!on_event(event)) {
      close();
      return {};
    }
    lock.lock();
  }
}

Result<meta::Object> ResourceApi::put(const meta::Object& object, std::string_view name, std::string_view subresource,
                                      const WriteOptions& options) const {
  if (auto whole = refuse_cut(object); !whole) return whole.error();
  if (name.empty()) return Error::config("the object has no name");
  auto out = request("PUT", name, subresource, object.namespace_());
  out.body = meta::to_json(object);
  return write(std::move(out), options);
}

Result<meta::Object> ResourceApi::update(const meta::Object& object, const WriteOptions& options) const {
  return put(object, object.name(), {}, options);
}

Result<meta::Object> ResourceApi::update_status(const meta::Object& object, const WriteOptions& options) const {
  return put(object, object.name(), "status", options);
}

Result<meta::Object> ResourceApi::update_subresource(std::string_view name, std::string_view subresource,
                                                     const meta::Object& object, const WriteOptions& options) const {
  return put(object, name, subresource, options);
}

Result<meta::Object> ResourceApi::create_subresource(std::string_view name, std::string_view subresource,
                                                     const meta::Object& object, const WriteOptions& options) const {
  auto out = request("POST", name, subresource, object.namespace_());
  out.body = meta::to_json(object);
  return write(std::move(out), options);
}

Result<meta::Object> ResourceApi::patch(std::string_view name, PatchType type, std::string_view body,
                                        const WriteOptions& options, std::string_view subresource) const {
  if (name.empty()) return Error::config("a name is needed");
  auto out = request("PATCH", name, subresource, {});
  out.content_type = content_type(type);
  out.body = body;
  if (type == PatchType::Apply) add(out.query, "force", options.force);
  return write(std::move(out), options);
}

Result<meta::Object> ResourceApi::apply(const meta::Object& object, const WriteOptions& options,
                                        std::string_view subresource) const {
  if (options.field_manager.empty()) return Error::config("apply needs a field manager");
  if (auto whole = refuse_cut(object); !whole) return whole.error();
  if (object.name().empty()) return Error::config("the object has no name");
  auto draft = object.edit();
  draft["metadata"].erase("managedFields");
  auto out = request("PATCH", object.name(), subresource, object.namespace_());
  out.content_type = content_type(PatchType::Apply);
  out.body = meta::to_json(draft.to_object());
  add(out.query, "force", options.force);
  return write(std::move(out), options);
}

Result<void> ResourceApi::remove(std::string_view name, const DeleteOptions& options) const {
  if (name.empty()) return Error::config("a name is needed");
  auto out = request("DELETE", name, {}, {});
  out.body = delete_body(options);
  auto answer = client_.send(out, {options.stop, options.timeout});
  if (!answer) return answer.error();
  return {};
}

Result<void> ResourceApi::remove_collection(const ListOptions& which, const DeleteOptions& options) const {
  auto out = request("DELETE", {}, {}, {});
  add_list(out.query, which);
  out.body = delete_body(options);
  auto answer = client_.send(out, {options.stop, options.timeout});
  if (!answer) return answer.error();
  return {};
}

Result<std::string> ResourceApi::logs(std::string_view name, const LogOptions& options) const {
  if (name.empty()) return Error::config("a name is needed");
  auto out = request("GET", name, "log", {});
  out.accept = "text/plain, */*";
  add(out.query, "container", options.container);
  add(out.query, "previous", options.previous);
  add(out.query, "timestamps", options.timestamps);
  add(out.query, "tailLines", options.tail_lines);
  add(out.query, "sinceSeconds", options.since_seconds);
  add(out.query, "limitBytes", options.limit_bytes);
  auto answer = client_.send(out, {options.stop, options.timeout});
  if (!answer) return answer.error();
  return std::move(answer->body);
}

}  // namespace kubexx::client
