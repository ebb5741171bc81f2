#include "kubexx/apiserver/core.hpp"

#include "apiserver/controllers/containers.hpp"
#include "apiserver/core_impl.hpp"
#include "apiserver/faults/control.hpp"
#include "apiserver/faults/fault_writer.hpp"
#include "apiserver/http/discovery.hpp"
#include "apiserver/http/respond.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/verbs/seed.hpp"
#include "apiserver/verbs/verbs.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {

void Core::Impl::close() {
  std::vector<Timer> delayed;  // they hold calls, and those the server's threads
  {
    const Locked cluster = lock();
    cluster->closed = true;
    delayed.swap(cluster->faults.delayed);
    for (const auto& watcher : cluster->hub.matching({})) cluster->hub.abort(watcher->id);
    cluster->logs.end_followers(true);
  }
  for (auto& timer : delayed) timer.cancel();
}

Cluster::Action Core::Impl::guarded(Cluster::Action action) {
  return [weak = weak_from_this(), action = std::move(action)] {
    const auto self = weak.lock();
    if (!self) return;
    const Locked cluster = self->lock();
    if (!cluster->closed) action();
  };
}

void Core::Impl::handle(Request request, std::shared_ptr<ResponseWriter> writer) {
  auto call = std::make_shared<Call>();
  call->request = std::move(request);
  call->route = parse_route(call->request.method, call->request.target);
  call->out = std::move(writer);
  call->ticket = environment.log.add(log_entry(*call, environment.clock.now()));

  std::optional<Fault> fault;
  {
    const Locked cluster = lock();
    if (cluster->closed) return call->out->abort();
    fault = cluster->faults.strike(*call, environment.random);
  }
  if (!fault) return proceed(call);
  if (fault->truncate_after || fault->corrupt_at) call->out = fault_writer(call->out, *fault);
  auto go = [weak = weak_from_this(), call, what = *fault] {
    const auto self = weak.lock();
    if (!self || what.reset) return call->out->abort();
    if (what.status == 0) return self->proceed(call);
    Error error =
        Error::api(what.status, reason_of_code(what.status), what.message.empty() ? "injected fault" : what.message);
    if (what.retry_after) error = error.with_retry_after(std::chrono::seconds(*what.retry_after));
    respond(self->environment, *call, error);
  };
  if (fault->delay <= Duration::zero()) return go();
  auto timer = environment.executor->post_after(fault->delay, std::move(go));
  const Locked cluster = lock();
  if (cluster->closed) return timer.cancel();
  auto& delayed = cluster->faults.delayed;
  std::erase_if(delayed, [](const Timer& each) { return !each.pending(); });
  delayed.push_back(std::move(timer));
}

void Core::Impl::proceed(const std::shared_ptr<Call>& call) {
  if (call->out->closed()) return;
  auto result = serve(*call);
  if (!result) return respond(environment, *call, result.error());
  if (!result->sent) respond(environment, *call, std::move(*result));
}

Result<Answer> Core::Impl::serve(Call& call) {
  auto user = environment.authority.authenticate(call.request);
  if (!user) return user.error();
  call.user = std::move(*user);
  if (auto allowed = environment.authority.authorize(call.user, call.route); !allowed) return allowed.error();
  return call.route.resource_request ? serve_resource(call) : serve_path(call);
}

Result<Answer> Core::Impl::serve_path(Call& call) {
  if (call.route.path == "/kubexx/faults" && environment.options.fault_path) return serve_control(*this, call);
  const ResourceTable resources = lock()->resources;
  return serve_discovery(resources, call);
}

Result<Answer> Core::Impl::serve_resource(Call& call) {
  const Route& route = call.route;
  {
    const Locked cluster = lock();
    call.resource = cluster->resources.find(route.group, route.version, route.resource);
    if (!call.resource) {
      if (cluster->resources.has_group_version(route.group, route.version)) return unknown_resource();
      return page_not_found();
    }
  }
  if (auto ready = prepare(call); !ready) return ready.error();
  const Locked cluster = lock();
  if (!cluster->closed) return serve_verb(*cluster, call);
  call.out->abort();
  Answer none;
  none.sent = true;
  return none;
}

Core::Core(Options options) : impl_(std::make_shared<Impl>(std::move(options))) {
  impl_->lock()->open();
}
Core::~Core() {
  impl_->close();
}

void Core::handle(Request request, std::shared_ptr<ResponseWriter> writer) {
  impl_->handle(std::move(request), std::move(writer));
}
const std::string& Core::admin_token() const noexcept {
  return impl_->environment.authority.admin_token();
}
std::uint64_t Core::version() const {
  return impl_->lock()->storage.version();
}
std::size_t Core::watchers() const {
  return impl_->lock()->hub.size();
}
RequestLog& Core::requests() noexcept {
  return impl_->environment.log;
}
Result<meta::Object> Core::seed(const meta::Object& object) {
  return seed_object(*impl_->lock(), object, false);
}
Result<meta::Object> Core::update(const meta::Object& object) {
  return seed_object(*impl_->lock(), object, true);
}
Result<meta::Object> Core::get(const meta::GroupVersionResource& resource, const meta::ObjectKey& key) const {
  return find_object(*impl_->lock(), resource, key);
}
std::vector<meta::Object> Core::list(const meta::GroupVersionResource& resource, std::string_view namespace_) const {
  return all_objects(*impl_->lock(), resource, namespace_);
}
Result<meta::Object> Core::remove(const meta::GroupVersionResource& resource, const meta::ObjectKey& key) {
  return remove_object(*impl_->lock(), resource, key);
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
  return apiserver::add_fault(*impl_->lock(), std::move(fault));
}
std::size_t Core::end_watches(const WatchFilter& filter) {
  return apiserver::end_watches(*impl_->lock(), filter, false);
}
std::size_t Core::cut_watches(const WatchFilter& filter) {
  return apiserver::end_watches(*impl_->lock(), filter, true);
}
Outage Core::interrupt_watches(const WatchFilter& filter) {
  Fault fault;
  fault.verb = "watch";
  fault.resource = filter.resource;
  fault.user_agent = filter.user_agent;
  fault.status = 429;
  fault.retry_after = 1;
  fault.message = "too many requests, please try again later.";
  const Locked cluster = impl_->lock();
  apiserver::end_watches(*cluster, filter, true);
  return apiserver::add_fault(*cluster, std::move(fault));
}
Outage Core::stall_watches(const WatchFilter& filter) {
  return disturb_watches(*impl_->lock(), {.filter = filter, .stalls = 1});
}
Outage Core::delay_watches(Duration by, const WatchFilter& filter) {
  return disturb_watches(*impl_->lock(), {.filter = filter, .delay = by});
}
Outage Core::drop_bookmarks(const WatchFilter& filter) {
  return disturb_watches(*impl_->lock(), {.filter = filter, .dropped_bookmarks = 1});
}
std::size_t Core::inject(std::string_view bytes, const WatchFilter& filter) {
  return apiserver::inject(*impl_->lock(), bytes, filter);
}
std::size_t Core::truncate_watches(const WatchFilter& filter) {
  return apiserver::truncate_watches(*impl_->lock(), filter);
}
Result<void> Core::start_container(const ContainerKey& container) {
  return apiserver::start_container(*impl_->lock(), container);
}
Result<void> Core::append_log(const ContainerKey& container, std::string_view text, std::optional<WallTime> time) {
  return apiserver::append_log(*impl_->lock(), container, text, time);
}
Result<void> Core::end_container(const ContainerKey& container, int exit_code) {
  return apiserver::end_container(*impl_->lock(), container, exit_code);
}
std::size_t Core::end_logs() {
  return impl_->lock()->logs.end_followers(false);
}
std::size_t Core::cut_logs() {
  return impl_->lock()->logs.end_followers(true);
}
std::size_t Core::log_followers() const {
  return impl_->lock()->logs.followers();
}
void Core::set_connection_control(ConnectionControl control) {
  impl_->lock()->faults.connections = std::move(control);
}
void Core::send_bookmarks() {
  apiserver::send_bookmarks(*impl_->lock());
}
void Core::compact_history() {
  impl_->lock()->storage.compact();
}

struct KUBEXX_HIDDEN Core::Checkpoint {
  Storage::Snapshot snapshot;
};
std::shared_ptr<const Core::Checkpoint> Core::checkpoint() const {
  return std::make_shared<const Checkpoint>(Checkpoint{impl_->lock()->storage.snapshot()});
}
void Core::restore(const std::shared_ptr<const Checkpoint>& checkpoint) {
  impl_->lock()->restore(checkpoint->snapshot);
}

}  // namespace kubexx::apiserver
