#include "kubexx/client/resource_api.hpp"

#include <algorithm>
#include <mutex>

#include "client/mailbox.hpp"
#include "kubexx/client/pager.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/status.hpp"

namespace kubexx::client {
namespace {

constexpr std::size_t kWaitingEvents = 64;
constexpr std::size_t kWaitingPieces = 16;  // of at most 64 KB each
constexpr std::size_t kLongestLine = 1 << 20;

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

/// Collects a page for the thread that waits for it.
class PageWait final : public meta::StreamSink {
 public:
  explicit PageWait(const meta::ListLimits& limits) : progress_(limits) {}
  void on_item(meta::Object item) override {
    if (over_) return;
    if (auto more = progress_.add(); !more) return end_with(more.error());
    list_.items.push_back(std::move(item));
  }
  void on_end(Result<meta::ListMeta> end) override {
    if (over_) return;
    if (!end) return end_with(end.error());
    list_.meta = std::move(*end);
    end_with(std::move(list_));
  }
  Result<ObjectList> result(const kubexx::detail::Awaited& awaited, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto met = arrived_.wait(awaited, lock, [&] { return result_.has_value(); }, stop);
    if (!met) return met.error();
    if (!*met) return Error::canceled();
    return std::move(*result_);
  }

 private:
  void end_with(Result<ObjectList> result) {
    over_ = true;
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    arrived_.notify_all();
  }

  ObjectList list_;  // of the strand, as the next two
  meta::ListProgress progress_;
  bool over_ = false;
  std::mutex mutex_;
  kubexx::detail::DrivingCondition arrived_;
  std::optional<Result<ObjectList>> result_;  // guarded by mutex_
};

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

meta::ListOptions query_of(const ListOptions& options) {
  meta::ListOptions query;
  query.label_selector = options.label_selector;
  query.field_selector = options.field_selector;
  query.resource_version = options.resource_version;
  query.resource_version_match = options.resource_version_match;
  query.limit = options.limit;
  query.continue_token = options.continue_token;
  query.timeout_seconds = options.timeout_seconds;
  return query;
}

}  // namespace

ResourceApi::ResourceApi(rest::Client client, meta::GroupVersionResource resource, std::string namespace_,
                         rest::Format format)
    : client_(std::move(client)),
      resource_(std::move(resource)),
      namespace_name_(std::move(namespace_)),
      format_(format) {}

ResourceApi ResourceApi::namespaced(std::string namespace_) const {
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

rest::ReadOptions ResourceApi::reading(const ListOptions& options) const {
  rest::ReadOptions read;
  read.decode.projection = options.projection;
  read.format = format_;
  read.timeout = options.timeout;
  return read;
}

Result<ObjectList> ResourceApi::list(const ListOptions& options) const {
  if (options.stop.stop_requested()) return Error::canceled();
  const kubexx::detail::Awaited awaited{client_.executor().get(), client_.handlers().get()};
  if (auto possible = awaited.possible(); !possible) return possible.error();
  const auto wait = std::make_shared<PageWait>(options.limits);
  const auto call = std::make_shared<std::unique_ptr<meta::Call>>();  // of the strand
  const Strand strand(client_.executor());
  strand.post([=, api = *this] {
    if (options.stop.stop_requested()) return;
    *call = api.client_.list(api.path(), query_of(options), api.reading(options), strand, wait);
  });
  auto result = wait->result(awaited, options.stop);
  strand.post([call] { call->reset(); });
  return result;
}

Result<ObjectList> ResourceApi::list_all(ListOptions options) const {
  auto all = Pager(*this).list(std::move(options));
  if (!all) return all.error();
  return ObjectList(std::move(*all));
}

std::unique_ptr<meta::Call> ResourceApi::start_watch(const ListOptions& options, const Strand& strand,
                                                     std::shared_ptr<meta::StreamSink> sink) const {
  auto query = query_of(options);
  query.watch = true;
  query.allow_watch_bookmarks = options.allow_watch_bookmarks;
  return client_.watch(path(), query, reading(options), strand, std::move(sink));
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

rest::Request ResourceApi::log_request(std::string_view name, const LogOptions& options) const {
  auto out = request("GET", name, "log", {});
  out.accept = "text/plain, */*";
  add(out.query, "container", options.container);
  add(out.query, "follow", options.follow);
  add(out.query, "previous", options.previous);
  add(out.query, "timestamps", options.timestamps);
  add(out.query, "tailLines", options.tail_lines);
  add(out.query, "sinceSeconds", options.since_seconds);
  add(out.query, "sinceTime", options.since_time);
  add(out.query, "limitBytes", options.limit_bytes);
  return out;
}

Result<std::string> ResourceApi::logs(std::string_view name, const LogOptions& options) const {
  if (name.empty()) return Error::config("a name is needed");
  auto answer = client_.send(log_request(name, options), {options.stop, options.timeout});
  if (!answer) return answer.error();
  return std::move(answer->body);
}

Result<void> ResourceApi::stream_logs(std::string_view name, const LogOptions& options,
                                      const std::function<bool(std::string_view)>& on_bytes) const {
  if (name.empty()) return Error::config("a name is needed");
  return read_stream<std::string>(
      client_, {options.stop, options.timeout}, kWaitingPieces,
      [client = client_, request = log_request(name, options)](const Strand& strand, Mailbox<std::string>& box) {
        rest::ByteCallbacks callbacks;
        callbacks.on_bytes = [weak = box.weak_from_this()](std::string_view bytes) {
          if (const auto to = weak.lock()) to->put(std::string(bytes));
        };
        callbacks.on_end = [weak = box.weak_from_this()](const Error* error) {
          if (const auto to = weak.lock()) to->end(error);
        };
        return client.stream(request, strand, std::move(callbacks));
      },
      [&](const std::string& bytes) -> Result<bool> { return on_bytes(bytes); });
}

Result<void> ResourceApi::stream_log_lines(std::string_view name, const LogOptions& options,
                                           const std::function<bool(std::string_view)>& on_line) const {
  std::string line;
  bool wanted = true;
  auto read = stream_logs(name, options, [&](std::string_view bytes) {
    while (wanted && !bytes.empty()) {
      const auto end = bytes.find('\n');
      const auto piece = bytes.substr(0, end);
      const auto room = kLongestLine - line.size();
      const bool too_long = piece.size() > room;
      line.append(piece.substr(0, room));
      if (!too_long && end == std::string_view::npos) break;
      bytes.remove_prefix(too_long ? room : end + 1);
      wanted = on_line(line);
      line.clear();
    }
    return wanted;
  });
  if (read && wanted && !line.empty()) on_line(line);
  return read;
}

}  // namespace kubexx::client
