#include "kubexx/client/resource_api.hpp"

#include "client/query.hpp"
#include "kubexx/client/pager.hpp"
#include "kubexx/meta/draft.hpp"
#include "rest/internal/operation.hpp"

namespace kubexx::client {
namespace {

void add_list(Query& query, const ListOptions& options) {
  add(query, "labelSelector", options.label_selector);
  add(query, "fieldSelector", options.field_selector);
  add(query, "resourceVersion", options.resource_version);
  add(query, "resourceVersionMatch", options.resource_version_match);
  if (options.limit > 0) add(query, "limit", std::optional(options.limit));
  add(query, "continue", options.continue_token);
  add(query, "timeoutSeconds", options.timeout_seconds);
  query.insert(query.end(), options.more.begin(), options.more.end());
}

using Listing = rest::Operation<Result<ObjectList>>;

/// Collects a page.
class PageSink final : public meta::StreamSink {
 public:
  PageSink(std::shared_ptr<Listing> listing, const meta::ListLimits& limits)
      : listing_(std::move(listing)), progress_(limits) {}
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

 private:
  void end_with(Result<ObjectList> result) {
    over_ = true;
    listing_->finish(std::move(result));
  }

  const std::shared_ptr<Listing> listing_;
  ObjectList list_;
  meta::ListProgress progress_;
  bool over_ = false;
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
  query.shard_selector = options.shard_selector;
  query.more = options.more;
  return query;
}

/// What was never sent.
Async<Result<meta::Object>> refused(const rest::Client& client, Error error) {
  return Async<Result<meta::Object>>::ready(client.executor(), std::move(error));
}

Result<meta::Object> object_of(Result<rest::Response> answer) {
  if (!answer) return answer.error();
  return answer->object();
}

Result<void> without_answer(const Result<rest::Response>& answer) {
  if (!answer) return answer.error();
  return {};
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

Async<Result<meta::Object>> ResourceApi::write(rest::Request request, const WriteOptions& options) const {
  add(request.query, "fieldManager", options.field_manager);
  add(request.query, "fieldValidation", options.field_validation);
  if (options.dry_run) add(request.query, "dryRun", "All");
  return client_.send_async(std::move(request), {options.stop, options.timeout}).map(object_of);
}

Async<Result<meta::Object>> ResourceApi::create_async(const meta::Object& object, const WriteOptions& options) const {
  if (auto whole = refuse_cut(object); !whole) return refused(client_, whole.error());
  auto out = request("POST", {}, {}, object.namespace_());
  out.body = meta::to_json(object);
  return write(std::move(out), options);
}

Async<Result<meta::Object>> ResourceApi::get_async(std::string_view name, const GetOptions& options) const {
  return get_subresource_async(name, {}, options);
}

Async<Result<meta::Object>> ResourceApi::get_subresource_async(std::string_view name, std::string_view subresource,
                                                               const GetOptions& options) const {
  if (name.empty()) return refused(client_, Error::config("a name is needed"));
  auto out = request("GET", name, subresource, {});
  add(out.query, "resourceVersion", options.resource_version);
  return client_.send_async(std::move(out), {options.stop, options.timeout}).map(object_of);
}

rest::ReadOptions ResourceApi::reading(const ListOptions& options) const {
  rest::ReadOptions read;
  read.decode.projection = options.projection;
  read.format = format_;
  read.timeout = options.timeout;
  return read;
}

Async<Result<ObjectList>> ResourceApi::list_async(const ListOptions& options) const {
  return Listing::make(client_.executor(), options.stop,
                       [api = *this, options](const std::shared_ptr<Listing>& listing) {
                         return api.client_.list(api.path(), query_of(options), api.reading(options), listing->strand(),
                                                 std::make_shared<PageSink>(listing, options.limits));
                       })
      .needs(client_.handlers());
}

Async<Result<ObjectList>> ResourceApi::list_all_async(const ListOptions& options) const {
  const Pager pager([api = *this](const ListOptions& page) { return api.list_async(page); }, client_.executor());
  return pager.list_async(options).map([](Result<PagedList> all) -> Result<ObjectList> {
    if (!all) return all.error();
    return ObjectList(std::move(*all));
  });
}

std::unique_ptr<meta::Call> ResourceApi::start_watch(const ListOptions& options, const Strand& strand,
                                                     std::shared_ptr<meta::StreamSink> sink) const {
  auto query = query_of(options);
  query.watch = true;
  query.allow_watch_bookmarks = options.allow_watch_bookmarks;
  return client_.watch(path(), query, reading(options), strand, std::move(sink));
}

Async<Result<meta::Object>> ResourceApi::put(const meta::Object& object, std::string_view name,
                                             std::string_view subresource, const WriteOptions& options) const {
  if (auto whole = refuse_cut(object); !whole) return refused(client_, whole.error());
  if (name.empty()) return refused(client_, Error::config("the object has no name"));
  auto out = request("PUT", name, subresource, object.namespace_());
  out.body = meta::to_json(object);
  return write(std::move(out), options);
}

Async<Result<meta::Object>> ResourceApi::update_async(const meta::Object& object, const WriteOptions& options) const {
  return put(object, object.name(), {}, options);
}

Async<Result<meta::Object>> ResourceApi::update_status_async(const meta::Object& object,
                                                             const WriteOptions& options) const {
  return put(object, object.name(), "status", options);
}

Async<Result<meta::Object>> ResourceApi::update_subresource_async(std::string_view name, std::string_view subresource,
                                                                  const meta::Object& object,
                                                                  const WriteOptions& options) const {
  return put(object, name, subresource, options);
}

Async<Result<meta::Object>> ResourceApi::create_subresource_async(std::string_view name, std::string_view subresource,
                                                                  const meta::Object& object,
                                                                  const WriteOptions& options) const {
  auto out = request("POST", name, subresource, object.namespace_());
  out.body = meta::to_json(object);
  return write(std::move(out), options);
}

Async<Result<meta::Object>> ResourceApi::patch_async(std::string_view name, PatchType type, std::string_view body,
                                                     const WriteOptions& options, std::string_view subresource) const {
  if (name.empty()) return refused(client_, Error::config("a name is needed"));
  auto out = request("PATCH", name, subresource, {});
  out.content_type = content_type(type);
  out.body = body;
  if (type == PatchType::Apply) add(out.query, "force", options.force);
  return write(std::move(out), options);
}

Async<Result<meta::Object>> ResourceApi::apply_async(const meta::Object& object, const WriteOptions& options,
                                                     std::string_view subresource) const {
  if (options.field_manager.empty()) return refused(client_, Error::config("apply needs a field manager"));
  if (auto whole = refuse_cut(object); !whole) return refused(client_, whole.error());
  if (object.name().empty()) return refused(client_, Error::config("the object has no name"));
  auto draft = object.edit();
  draft["metadata"].erase("managedFields");
  auto out = request("PATCH", object.name(), subresource, object.namespace_());
  out.content_type = content_type(PatchType::Apply);
  out.body = meta::to_json(draft.to_object());
  add(out.query, "force", options.force);
  return write(std::move(out), options);
}

Async<Result<rest::Response>> ResourceApi::erase(rest::Request request, const DeleteOptions& options) const {
  request.body = delete_body(options);
  return client_.send_async(std::move(request), {options.stop, options.timeout});
}

Async<Result<void>> ResourceApi::remove_async(std::string_view name, const DeleteOptions& options) const {
  if (name.empty()) return Async<Result<void>>::ready(client_.executor(), Error::config("a name is needed"));
  return erase(request("DELETE", name, {}, {}), options).map(without_answer);
}

Async<Result<meta::Object>> ResourceApi::remove_answered_async(std::string_view name,
                                                               const DeleteOptions& options) const {
  if (name.empty()) return refused(client_, Error::config("a name is needed"));
  return erase(request("DELETE", name, {}, {}), options).map(object_of);
}

Async<Result<void>> ResourceApi::remove_collection_async(const ListOptions& which, const DeleteOptions& options) const {
  if (!which.shard_selector.empty()) {  // a server that does not know shards would remove all, and only then say so
    return Async<Result<void>>::ready(client_.executor(), Error::config("a collection is not removed by shards"));
  }
  auto out = request("DELETE", {}, {}, {});
  add_list(out.query, which);
  return erase(std::move(out), options).map(without_answer);
}

}  // namespace kubexx::client
