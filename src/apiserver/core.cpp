#include "kubexx/apiserver/core.hpp"

#include <algorithm>
#include <stdexcept>

#include "apiserver/core_impl.hpp"
#include "apiserver/faults/fault_writer.hpp"
#include "apiserver/http/codecs.hpp"
#include "apiserver/http/compress.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/limits.hpp"
#include "apiserver/storage/view.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

std::string random_hex(Random& random, std::size_t digits) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < digits; ++i) out += kDigits[random.below(16)];
  return out;
}

std::shared_ptr<Executor> required(const Options& options) {
  if (!options.executor) throw std::logic_error("apiserver::Core needs an executor in its options");
  return options.executor;
}

std::unique_ptr<Random> make_random(const Options& options) {
  return std::make_unique<Random>(options.seed ? options.seed : Random::process().next());
}

constexpr std::size_t kCompressFrom = 128 << 10;  // as a real server

}  // namespace

std::string_view Request::header(std::string_view lower_case_name) const noexcept {
  for (const auto& [name, value] : headers) {
    if (name == lower_case_name) return value;
  }
  return {};
}

CoreImpl::CoreImpl(Options options)
    : log(options.request_log_entries),
      options_(std::move(options)),
      executor_(required(options_)),
      clock_(executor_->clock()),
      authority_(options_,
                 options_.admin_token.empty() ? random_hex(*make_random(options_), 32) : options_.admin_token),
      random_(make_random(options_)),
      storage_(options_.history_events, options_.history_bytes),
      table_(storage_, options_.api_all),
      hub_(storage_, clock_, [this](Duration delay, Task task) { return schedule(delay, std::move(task)); },
           {options_.watch_backlog, options_.unread_bytes, options_.bookmark_interval}) {}

void CoreImpl::open() {
  const std::lock_guard lock(mutex_);
  storage_.set_listener([this](const std::shared_ptr<const Event>& event) { on_event(event); });
  const auto namespaces = table_.find("", "v1", "namespaces");
  for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    meta::Draft draft;
    draft["kind"].set("Namespace");
    draft["apiVersion"].set("v1");
    draft["metadata"]["name"].set(name);
    draft["metadata"]["uid"].set(make_uid());
    draft["metadata"]["resourceVersion"].set("0");
    draft["metadata"]["creationTimestamp"].set(now_text());
    draft["metadata"]["labels"]["kubernetes.io/metadata.name"].set(name);
    draft["spec"]["finalizers"].append("kubernetes");
    draft["status"]["phase"].set("Active");
    store(*namespaces, name, draft.to_object());
  }
}

void CoreImpl::close() {
  std::vector<Timer> delayed;  // they hold calls, and those the server's threads
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    delayed.swap(delayed_);
    for (const auto& watcher : hub_.matching({})) hub_.abort(watcher->id);
  }
  for (auto& timer : delayed) timer.cancel();
}

Timer CoreImpl::schedule(Duration delay, Task task) {
  return executor_->post_after(delay, [weak = weak_from_this(), task = std::move(task)]() mutable {
    const auto self = weak.lock();
    if (!self) return;
    const std::lock_guard lock(self->mutex_);
    if (!self->closed_) task();
  });
}

void CoreImpl::on_event(const std::shared_ptr<const Event>& event) {
  hub_.publish(event);
  note_owners(*event);
}

std::shared_ptr<const Resource> CoreImpl::resource_of_bucket(const Bucket& bucket) const {
  std::shared_ptr<const Resource> found;
  for (const auto& resource : table_.all()) {
    if (resource->bucket.get() != &bucket) continue;
    if (!found || resource->group == bucket.group) found = resource;
    if (resource->group == bucket.group && resource->version.find("alpha") == std::string::npos &&
        resource->version.find("beta") == std::string::npos)
      return resource;
  }
  return found;
}

void CoreImpl::handle(Request request, std::shared_ptr<ResponseWriter> writer) {
  auto call = std::make_shared<Call>();
  call->request = std::move(request);
  call->route = parse_route(call->request.method, call->request.target);
  call->out = std::move(writer);

  LoggedRequest entry;
  const Route& route = call->route;
  entry.verb = route.verb;
  entry.method = call->request.method;
  entry.path = route.path;
  entry.group = route.group;
  entry.version = route.version;
  entry.resource = route.resource;
  entry.subresource = route.subresource;
  entry.namespace_ = route.namespace_;
  entry.name = route.name;
  if (auto options = list_options(route.query)) entry.options = std::move(*options);
  entry.user_agent = call->request.header("user-agent");
  entry.accept = call->request.header("accept");
  entry.content_type = call->request.header("content-type");
  entry.time = clock_.now();
  call->ticket = log.add(std::move(entry));

  std::optional<Fault> fault;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return call->out->abort();
    fault = strike(*call);
  }
  if (!fault) return proceed(call);
  if (fault->truncate_after || fault->corrupt_at) call->out = fault_writer(call->out, *fault);
  auto go = [weak = weak_from_this(), call, what = *fault] {
    const auto self = weak.lock();
    if (!self) return call->out->abort();
    if (what.reset) return call->out->abort();
    if (what.status == 0) return self->proceed(call);
    Error error =
        Error::api(what.status, reason_of_code(what.status), what.message.empty() ? "injected fault" : what.message);
    if (what.retry_after) error = error.with_retry_after(std::chrono::seconds(*what.retry_after));
    self->answer_error(*call, error);
  };
  if (fault->delay <= Duration::zero()) return go();
  auto timer = executor_->post_after(fault->delay, std::move(go));
  const std::lock_guard lock(mutex_);
  if (closed_) return timer.cancel();
  std::erase_if(delayed_, [](const Timer& each) { return !each.pending(); });
  delayed_.push_back(std::move(timer));
}

void CoreImpl::proceed(const std::shared_ptr<Call>& call) {
  if (call->out->closed()) return;
  auto user = authority_.authenticate(call->request);
  if (!user) return answer_error(*call, user.error());
  call->user = std::move(*user);
  if (auto allowed = authority_.authorize(call->user, call->route); !allowed)
    return answer_error(*call, allowed.error());
  if (call->route.resource_request) return serve_resource(call);
  auto result = serve_path(*call);
  if (!result) return answer_error(*call, result.error());
  answer(*call, std::move(*result));
}

Result<void> CoreImpl::prepare_resource(Call& call) {
  const Resource& resource = *call.resource;
  Route& route = call.route;
  if (call.request.body.size() > kMaxRequestBytes) return request_too_large();
  if (!resource.namespaced && !route.namespace_.empty()) return unknown_resource();
  if (resource.namespaced && route.namespace_.empty() && !route.name.empty()) return unknown_resource();
  if (route.subresource.empty()) {
    if (route.verb == "create" && !route.name.empty()) return method_not_allowed();
    if (!resource.allows(route.verb)) return method_not_allowed();
    if (route.verb == "create" && resource.namespaced && route.namespace_.empty()) return method_not_allowed();
  } else {
    const Subresource* sub = resource.subresource(route.subresource);
    if (!sub) return unknown_resource();
    const auto& verbs = sub->verbs;
    if (std::find(verbs.begin(), verbs.end(), route.verb) == verbs.end()) return method_not_allowed();
  }
  Offer offer;
  offer.protobuf = resource.type != nullptr;
  offer.views = route.verb == "get" || route.verb == "list" || route.verb == "watch" || route.verb == "create" ||
                route.verb == "update" || route.verb == "patch" || route.verb == "delete";
  auto form = negotiate(call.request.header("accept"), offer);
  if (!form) return form.error();
  call.form = std::move(*form);
  call.form.include_object = route.query.get("includeObject");
  if (route.query.has("dryRun") && route.verb != "get" && route.verb != "list" && route.verb != "watch") {
    if (route.query.get("dryRun") != "All") {
      return invalid(
          "meta.k8s.io", "CreateOptions", "",
          {{"FieldValueNotSupported",
            "Unsupported value: [" + in_quotes(route.query.get("dryRun")) + "]: supported values: \"All\"", "dryRun"}});
    }
    call.dry_run = true;
  }
  if (route.verb == "create" || route.verb == "update") {
    auto format = body_format(call.request.header("content-type"));
    if (!format) return format.error();
    auto body = decode_body(*format, call.request.body);
    if (!body || !body->root().is_map()) {
      const std::string why = body ? std::string("not an object") : body.error().message();
      return bad_request("the object provided is unrecognized (must be of type " + resource.kind +
                         "): couldn't get version/kind; json parse error: " + why);
    }
    call.body = std::move(*body);
  }
  return {};
}

void CoreImpl::serve_resource(const std::shared_ptr<Call>& call) {
  const Route& route = call->route;
  bool known_version = false;
  {
    const std::lock_guard lock(mutex_);
    call->resource = table_.find(route.group, route.version, route.resource);
    known_version = call->resource || table_.has_group_version(route.group, route.version);
  }
  if (!call->resource) {
    if (known_version) return answer_error(*call, unknown_resource());
    Answer text;
    text.status = 404;
    text.raw = "404 page not found\n";
    text.raw_type = "text/plain; charset=utf-8";
    return answer(*call, std::move(text));
  }
  if (auto ready = prepare_resource(*call); !ready) return answer_error(*call, ready.error());
  Result<Answer> result = Answer();
  std::string continue_token;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return call->out->abort();
    if (route.verb == "watch") return do_watch(call);
    if (!route.subresource.empty() && route.subresource != "status") {
      result = do_subresource(*call);
    } else if (!call->resource->bucket) {
      result = do_review(*call);
    } else if (route.verb == "get") {
      result = do_get(*call);
    } else if (route.verb == "list") {
      result = do_list(*call, continue_token);
    } else if (route.verb == "create") {
      result = do_create(*call);
    } else if (route.verb == "update") {
      result = do_update(*call);
    } else if (route.verb == "patch") {
      result = do_patch(*call);
    } else if (route.verb == "delete") {
      result = do_delete(*call);
    } else if (route.verb == "deletecollection") {
      result = do_delete_collection(*call);
    } else {
      result = method_not_allowed();
    }
  }
  if (!result) return answer_error(*call, result.error(), continue_token);
  answer(*call, std::move(*result));
}

HeaderFields CoreImpl::base_headers(std::string_view type) {
  HeaderFields headers;
  headers.emplace_back("Audit-Id", make_uid());
  headers.emplace_back("Cache-Control", "no-cache, private");
  headers.emplace_back("Content-Type", type);
  if (type.starts_with("text/")) headers.emplace_back("X-Content-Type-Options", "nosniff");
  return headers;
}

void CoreImpl::answer(Call& call, Answer answer) {
  if (call.out->closed()) return;
  Result<std::string> body = std::string();
  std::string type = answer.raw_type;
  if (!answer.raw_type.empty()) {
    body = std::move(answer.raw);
  } else {
    type = content_type(call.form.format, false);
    body = answer.is_list ? render_list(answer.items, answer.list, *answer.resource, call.form, clock_.wall())
                          : render_object(answer.object, answer.resource.get(), call.form, clock_.wall());
  }
  if (!body) return answer_error(call, internal_error(body.error().message()));
  HeaderFields headers = base_headers(type);
  for (auto& header : answer.headers) {
    bool replaced = false;
    for (auto& known : headers) {
      if (known.first != header.first) continue;
      known.second = header.second;
      replaced = true;
    }
    if (!replaced) headers.push_back(std::move(header));
  }
  std::size_t warned = 0;
  for (const std::string& warning : call.warnings) {
    if ((warned += warning.size()) > kMostShown) break;
    headers.emplace_back("Warning", "299 - " + in_quotes(warning));
  }
  if (body->size() > kCompressFrom && call.request.header("accept-encoding").find("gzip") != std::string_view::npos) {
    if (auto compressed = gzip(*body)) {
      body = std::move(*compressed);
      headers.emplace_back("Content-Encoding", "gzip");
      headers.emplace_back("Vary", "Accept-Encoding");
    }
  }
  log.set_status(call.ticket, answer.status);
  call.out->respond(answer.status, std::move(headers), std::move(*body));
}

void CoreImpl::answer_error(Call& call, const Error& error, std::string_view continue_token) {
  const int status = error.code() ? error.code() : 500;
  const meta::Object object = status_object(error, continue_token);
  std::string body;
  Format format = Format::Json;
  if (status == 406 && call.request.header("accept").find("text/html") != std::string_view::npos) {
    // What the routing layer of a real server answers to a browser.
    body = meta::to_json_pretty(status_object(
        Error::api(406, "NotAcceptable",
                   "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
                   "application/vnd.kubernetes.protobuf")));
  } else {
    if (auto form = negotiate(call.request.header("accept"), {})) format = form->format;
    auto encoded = encode_body(format, object);
    if (!encoded) {
      format = Format::Json;
      encoded = encode_body(format, object);
    }
    body = std::move(encoded).value_or(std::string());
  }
  HeaderFields headers = base_headers(content_type(format, false));
  if (status == 403) headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (const auto delay = error.retry_after()) {
    headers.emplace_back("Retry-After",
                         std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*delay).count()));
  }
  log.set_status(call.ticket, status);
  call.out->respond(status, std::move(headers), std::move(body));
}

Core::Core(Options options) : impl_(std::make_shared<CoreImpl>(std::move(options))) {
  impl_->open();
}
Core::~Core() {
  impl_->close();
}

void Core::handle(Request request, std::shared_ptr<ResponseWriter> writer) {
  impl_->handle(std::move(request), std::move(writer));
}
const std::string& Core::admin_token() const noexcept {
  return impl_->admin_token();
}
std::uint64_t Core::version() const {
  return impl_->version();
}
std::size_t Core::watchers() const {
  return impl_->watchers();
}
RequestLog& Core::requests() noexcept {
  return impl_->log;
}
Result<meta::Object> Core::seed(const meta::Object& object) {
  return impl_->seed(object, false);
}
Result<meta::Object> Core::update(const meta::Object& object) {
  return impl_->seed(object, true);
}
Result<meta::Object> Core::get(const meta::GroupVersionResource& resource, const meta::ObjectKey& key) const {
  return impl_->get(resource, key);
}
std::vector<meta::Object> Core::list(const meta::GroupVersionResource& resource, std::string_view namespace_) const {
  return impl_->list(resource, namespace_);
}
Result<meta::Object> Core::remove(const meta::GroupVersionResource& resource, const meta::ObjectKey& key) {
  return impl_->remove(resource, key);
}

Result<void> Core::seed_json(std::string_view json) {
  meta::DecodeOptions options;
  options.max_bytes = 256 << 20;
  auto document = meta::parse_json(json, options);
  if (!document) return document.error();
  const auto put = [&](meta::Value value) -> Result<void> {
    auto object = meta::parse_json(meta::to_json(value), options);
    if (!object) return object.error();
    auto stored = seed(*object);
    if (!stored) return stored.error();
    return {};
  };
  const meta::Value items = document->root().is_list() ? document->root() : document->root()["items"];
  if (!items.is_list()) return put(document->root());
  for (meta::Value item : items.items()) {
    if (auto done = put(item); !done) return done;
  }
  return {};
}

Outage Core::add_fault(Fault fault) {
  return impl_->add_fault(std::move(fault));
}
std::size_t Core::end_watches(const WatchFilter& filter) {
  return impl_->end_watches(filter, false);
}
std::size_t Core::cut_watches(const WatchFilter& filter) {
  return impl_->end_watches(filter, true);
}
Outage Core::interrupt_watches(const WatchFilter& filter) {
  Fault fault;
  fault.verb = "watch";
  fault.resource = filter.resource;
  fault.user_agent = filter.user_agent;
  fault.status = 429;
  fault.retry_after = 1;
  fault.message = "too many requests, please try again later.";
  Outage outage = impl_->add_fault(std::move(fault));
  impl_->end_watches(filter, true);
  return outage;
}
Outage Core::stall_watches(const WatchFilter& filter) {
  return impl_->stall_watches(filter);
}
Outage Core::delay_watches(Duration by, const WatchFilter& filter) {
  return impl_->delay_watches(by, filter);
}
Outage Core::drop_bookmarks(const WatchFilter& filter) {
  return impl_->drop_bookmarks(filter);
}
std::size_t Core::inject(std::string_view bytes, const WatchFilter& filter) {
  return impl_->inject(bytes, filter);
}
std::size_t Core::truncate_watches(const WatchFilter& filter) {
  return impl_->truncate_watches(filter);
}
void Core::set_connection_control(ConnectionControl control) {
  impl_->set_connection_control(std::move(control));
}
void Core::send_bookmarks() {
  impl_->send_bookmarks();
}
void Core::compact_history() {
  impl_->compact_history();
}

struct Core::Checkpoint {
  Storage::Snapshot snapshot;
};
std::shared_ptr<const Core::Checkpoint> Core::checkpoint() const {
  return std::make_shared<const Checkpoint>(Checkpoint{impl_->checkpoint()});
}
void Core::restore(const std::shared_ptr<const Checkpoint>& checkpoint) {
  impl_->restore(checkpoint->snapshot);
}

}  // namespace kubexx::apiserver
