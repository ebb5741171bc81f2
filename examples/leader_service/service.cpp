#include "service.hpp"

#include <iostream>

#include "kubexx/api/core/v1.hpp"
#include "kubexx/base/stop.hpp"

namespace leader_service {

using kubexx::Result;
using kubexx::api::core::v1::ConfigMap;
using kubexx::api::core::v1::ConfigMapDraft;
namespace election = kubexx::election;
namespace httpd = kubexx::httpd;
namespace informer = kubexx::informer;

namespace {

informer::FactoryOptions one_map() {
  informer::FactoryOptions options;
  options.defaults.scope.namespaces = {"default"};
  options.defaults.scope.field_selector = kubexx::meta::FieldSelector::equals("metadata.name", kName);
  return options;
}

ConfigMapDraft first_draft() {
  ConfigMapDraft draft;
  draft.metadata().set_name(kName);
  return draft;
}

}  // namespace

Service::Service(kubexx::rest::Client client, Options options)
    : client_(std::move(client)),
      options_(std::move(options)),
      factory_(client_, one_map()),
      maps_(factory_.core().v1().config_maps()) {}

Result<void> Service::run(std::stop_token stop) {
  // Before the election: a replica that is elected has its cache, and answers at once.
  factory_.start(stop);
  if (!factory_.wait_for_cache_sync(stop)) return {};
  auto server = httpd::Server::start({.address = options_.listen},
                                     [this](const httpd::Request& request, const httpd::Responder& to) {  //
                                       answer(request, to);
                                     });
  if (!server) return server.error();
  const auto address = options_.listen + ":" + std::to_string((*server)->port());

  // [begin elector]
  auto elector = election::LeaderElector::create(
      client_,
      {.name = kName,
       .identity = options_.name,
       .lease_duration = options_.lease,
       .renew_deadline = options_.lease * 2 / 3,
       .retry_period = options_.lease * 2 / 15,
       .annotations = {{kAddress, address}},
       .stop_timeout = std::chrono::seconds(10)},
      {.on_started_leading = [this](const election::LeaderGuard& guard) { lead(guard); }});
  if (!elector) return elector.error();
  // [end elector]
  std::cout << options_.name << " serves at " << address << std::endl;
  while (!stop.stop_requested()) (*elector)->run(stop);  // a term that was lost is followed by another candidacy
  (*server)->stop();
  return {};
}

void Service::lead(const election::LeaderGuard& guard) {
  std::cout << options_.name << " leads, term " << guard.token().to_string() << std::endl;
  {
    const std::lock_guard lock(mutex_);
    const kubexx::client::Api<ConfigMap> guarded(guard.guarded(client_), "default");
    term_ = std::make_shared<Term>(Term{guard, guard.hold(), guarded, {}});
  }
  kubexx::wait_for_stop(guard.stop_token());
  const std::lock_guard lock(mutex_);
  term_.reset();  // no new requests; those under way have their own
}

void Service::answer(const httpd::Request& request, const httpd::Responder& to) {
  if (request.target != "/next") return to.respond(404, {}, "GET /next\n");
  std::shared_ptr<Term> term;
  {
    const std::lock_guard lock(mutex_);
    term = term_;
  }
  if (!term) return to.respond(503, {}, options_.name + " does not lead\n");
  count(term, to);
}

std::optional<ConfigMap> Service::newest(const Term& term) const {
  if (term.last) return term.last;
  const auto cached = maps_.lister().config_maps("default").get(kName);
  if (!cached) return std::nullopt;
  return *cached;
}

/// Runs on an I/O thread of the server, so nothing here blocks.
void Service::count(const std::shared_ptr<Term>& term, const httpd::Responder& to) {
  std::unique_lock lock(mutex_);
  const auto before = newest(*term);
  lock.unlock();
  auto draft = before ? before->edit() : first_draft();
  const auto number = before ? std::stoll(std::string(before->data()["count"])) + 1 : 1;
  const auto token = term->guard.token().to_string();
  draft.data().set("count", std::to_string(number));
  draft.data().set("writer", options_.name);
  draft.data().set("token", token);
  const kubexx::client::WriteOptions limited{.timeout = std::chrono::seconds(5)};
  auto write = before ? term->maps.update_async(draft, limited) : term->maps.create_async(draft, limited);
  std::move(write).start([this, term, to, number, token](const Result<ConfigMap>& written) {
    {
      const std::lock_guard held(mutex_);
      // Conflict: somebody was faster, and the cache will have it.
      if (written) term->last = *written;
      if (!written) term->last.reset();
    }
    if (!written) return to.respond(503, {}, written.error().message() + "\n");
    to.respond(200, {}, options_.name + " " + token + " " + std::to_string(number) + "\n");
  });
}

}  // namespace leader_service
