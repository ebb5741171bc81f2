#include "resolver.hpp"

#include "kubexx/informer/event_handler.hpp"

namespace service_resolver {

using namespace kubexx;
using api::core::v1::Service;
using api::discovery::v1::EndpointSlice;

namespace {

informer::Scope only_the_service(const Question& question) {
  return {.namespaces = {question.namespace_},
          .field_selector = meta::FieldSelector::equals("metadata.name", question.service)};
}

informer::Scope slices_of_it(const Question& question) {
  return {.namespaces = {question.namespace_},
          .label_selector = meta::LabelSelector::equals("kubernetes.io/service-name", question.service)};
}

}  // namespace

Resolver::Resolver(rest::Client client, Question question, Listener listener)
    : question_(std::move(question)),
      listener_(std::move(listener)),
      factory_(std::move(client)),
      services_(factory_.informer_for<Service>(only_the_service(question_))),
      slices_(factory_.informer_for<EndpointSlice>(slices_of_it(question_))) {}

Resolver::~Resolver() = default;

Result<void> Resolver::start(std::stop_token stop) {
  const auto on_any = [this](const auto&) { refresh(); };
  // However many slices changed meanwhile, one call sees them all.
  const informer::HandlerOptions merged{.coalesce = true};
  registrations_.push_back(
      services_.add_event_handler({.on_add = on_any, .on_update = on_any, .on_delete = on_any}, merged));
  registrations_.push_back(
      slices_.add_event_handler({.on_add = on_any, .on_update = on_any, .on_delete = on_any}, merged));
  factory_.start(stop);
  if (const auto synced = factory_.wait_for_cache_sync(stop, {.fail_fast = true}); !synced) return *synced.as_error();
  refresh();  // also where there is nothing, and no handler was called
  return {};
}

void Resolver::refresh() {
  const std::lock_guard lock(refreshing_);
  if (!services_.has_synced() || !slices_.has_synced()) return;  // half a list would take addresses away
  const auto service = services_.lister().in_namespace(question_.namespace_).get(question_.service);
  auto next =
      std::make_shared<const Endpoints>(merge(service ? *service : Service(), slices_.lister().list(), question_));
  const auto difference = compare(*now_.load(), *next);
  if (difference.empty() && told_) return;
  told_ = true;
  now_.store(next);
  if (listener_) listener_(difference, *next);
}

}  // namespace service_resolver
